import { createHmac } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isSameToken } from '../../domain/alerts/tokens.ts'

/** How long a link is good, at least; the contract says so. */
export const LINK_SECONDS = 15 * 60

/** Where the files of the archives are: a folder or a bucket. A name is a path below it, such as `v1/manifest.json`. */
export interface ArchiveStore {
  /** Files that are being written are here, on this machine. */
  workFolder: string
  /** Moves a local file in, at once or not at all. */
  put(file: string, name: string): Promise<void>
  /** Null where there is no such file. */
  read(name: string): Promise<string | null>
  remove(name: string): Promise<void>
  /** An address that needs no key until `expiresAt`, in seconds since 1970. */
  linkTo(name: string, expiresAt: number): Promise<string>
  /** The folder, for a service that sends its files itself; null for a bucket. */
  folder: string | null
}

/** Files in a folder; the service sends them itself. @param pepper what links are signed with. */
export function createFolderStore(folder: string, pepper: string, publicUrl: string): ArchiveStore {
  return {
    folder,
    workFolder: join(folder, 'work'),
    put: async (file, name) => {
      const target = join(folder, name)
      await mkdir(dirname(target), { recursive: true })
      // On the disk before its name is, so that a loss of power leaves no manifest that names half a file.
      const written = await open(file, 'r+')
      await written.sync().finally(() => written.close())
      await rename(file, target)
    },
    read: name => readFile(join(folder, name), 'utf8').catch(nullIfMissing),
    remove: name => rm(join(folder, name), { force: true }),
    linkTo: async (name, expiresAt) =>
      `${publicUrl}/archives/${name}?expires=${expiresAt}&signature=${signatureOf(pepper, name, expiresAt)}`,
  }
}

/** Whether a link to a file was made here and is still good. @param now in seconds since 1970. */
export function isGoodLink(
  pepper: string,
  name: string,
  sent: { expires: string; signature: string },
  now: number,
): boolean {
  const expires = /^\d{1,12}$/.test(sent.expires) ? Number(sent.expires) : 0
  return isSameToken(signatureOf(pepper, name, expires), sent.signature) && now < expires
}

/** Writes a text where `put` can take it from. */
export async function putText(store: ArchiveStore, text: string, name: string): Promise<void> {
  const file = join(store.workFolder, 'text')
  await writeFile(file, text)
  await store.put(file, name)
}

function signatureOf(pepper: string, name: string, expiresAt: number): string {
  return createHmac('sha256', pepper).update(`archive ${expiresAt} ${name}`).digest('base64url')
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
