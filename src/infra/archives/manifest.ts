import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../../contract/errors.ts'
import type { Schemas } from '../../contract/types.ts'
import type { Part } from './partFiles.ts'
import type { ArchiveStore } from './store.ts'

/** The first column that is added after a release makes it larger. */
export const SCHEMA_VERSION = 4

/** A file as the manifest of its folder names it. */
export interface ArchivedFile
  extends Omit<
    Schemas['ArchiveFile'],
    'table' | 'feed' | 'url' | 'url_expires_at'
  > {
  /**
   * Below the store. It ends with a part of the hash, so that a file never
   * changes under its name.
   */
  path: string
  table: Schemas['ArchiveTable'] | 'aggregates'
  /** The saved search of a feed; null for the others. */
  search_id: number | null
}

/**
 * The files that are published in a folder (`v1`, `aggregates`,
 * `feeds/<account>`); none before the first.
 */
export async function readManifest(
  store: ArchiveStore,
  folder: string,
): Promise<ArchivedFile[]> {
  const name = `${folder}/manifest.json`
  const text = await store.read(name)
  if (text === null) return []
  try {
    return JSON.parse(text).files
  } catch {
    throw new UserError(
      `The list of the archives, ${store.folder === null ? name : join(store.folder, name)}, was cut: put it back from a backup, or delete it, and the archives are written again.`,
    )
  }
}

/**
 * How the manifest names a part.
 * @param base its path without hash and ending.
 */
export function fileOf(
  { file: _, ending, ...sizes }: Part,
  base: string,
  {
    day = null,
    search_id = null,
    ...facts
  }: Pick<ArchivedFile, 'table' | 'month'> & Partial<ArchivedFile>,
): ArchivedFile {
  const format = ending.replace('.gz', '') as ArchivedFile['format']
  const path = `${base.replace('{format}', format)}.${sizes.sha256.slice(0, 8)}.${ending}`
  return {
    path,
    format,
    day,
    search_id,
    schema_version: SCHEMA_VERSION,
    ...facts,
    ...sizes,
  }
}

/**
 * Publishes files: first they are moved in under names of their own, then one
 * step replaces the manifest. A process that is killed at any moment leaves a
 * manifest whose files are all there. Those that it no longer names are for
 * `removeUnnamedFiles`.
 * @param isKept whether a file that is published already stays.
 */
export async function publish(
  store: ArchiveStore,
  folder: string,
  added: { part: Part; file: ArchivedFile }[],
  { license, isKept }: { license: string; isKept(file: ArchivedFile): boolean },
): Promise<void> {
  const before = await readManifest(store, folder)
  for (const { part, file } of added) await store.put(part.file, file.path)
  const files = [...before.filter(isKept), ...added.map(({ file }) => file)]
  files.sort((one, other) => (one.path < other.path ? -1 : 1))
  const manifest = { schema_version: SCHEMA_VERSION, license, files }
  const text = join(store.workFolder, 'manifest')
  await writeFile(text, `${JSON.stringify(manifest, null, 2)}\n`)
  await store.put(text, `${folder}/manifest.json`)
}

/**
 * A file of ours, by its name: the folder of its manifest, and a name with a
 * part of a hash.
 */
const PART =
  /^(v1|aggregates|feeds\/\d+)\/.+\.[0-9a-f]{8}\.(parquet|jsonl|csv)(\.gz)?$/
const folderOf = (name: string) => PART.exec(name)![1]!

/**
 * Removes the files that were replaced, and those that a process left which was
 * killed before it published them. A folder without a manifest keeps its files:
 * nobody can tell whether the manifest was lost.
 */
export async function removeUnnamedFiles(store: ArchiveStore): Promise<void> {
  const parts = (await store.list()).filter(name => PART.test(name))
  for (const folder of new Set(parts.map(folderOf))) {
    const named = new Set(
      (await readManifest(store, folder)).map(({ path }) => path),
    )
    if (named.size === 0) continue
    for (const name of parts)
      if (folderOf(name) === folder && !named.has(name))
        await store.remove(name)
  }
}
