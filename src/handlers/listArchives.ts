import { pageJson, type RawJson } from '../contract/rawJson.ts'
import type { Input, Ok, Schemas } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { feedNames } from '../infra/archives/archiveRows.ts'
import { type ArchivedFile, readManifest } from '../infra/archives/manifest.ts'
import { LINK_SECONDS } from '../infra/archives/store.ts'
import type { Deps } from '../usecases/deps.ts'

/**
 * One page of the files of the archives and of the caller's own feeds, the
 * newest month first, each with a link. Links of one minute expire at the same
 * moment, so that an answer is the same for as long.
 */
export async function listArchives(
  { archives, reads, now }: Deps,
  { page, per_page, ...filter }: Input<'listArchives'>,
  caller: Caller,
): Promise<RawJson<Ok<'listArchives'>>> {
  const accountId = caller.key?.accountId ?? null
  const names = await reads.read(caller, context =>
    feedNames(context, accountId),
  )
  const [months, feeds] = archives
    ? await Promise.all([
        readManifest(archives, 'v1'),
        readManifest(archives, `feeds/${accountId}`),
      ])
    : [[], []]
  const found = [
    ...months,
    ...feeds.filter(({ search_id }) => names.has(search_id ?? 0)),
  ]
    .filter(
      file =>
        (filter.month ?? file.month) === file.month &&
        (filter.table ?? file.table) === file.table &&
        (filter.format ?? file.format) === file.format,
    )
    .sort(newestFirst)
  const expiresAt = Math.ceil(now().getTime() / 60_000) * 60 + LINK_SECONDS
  const shown = found.slice((page - 1) * per_page, page * per_page)
  const data = await Promise.all(
    shown.map(
      async ({
        path,
        search_id,
        ...file
      }): Promise<Schemas['ArchiveFile']> => ({
        ...file,
        feed: names.get(search_id ?? 0) ?? null,
        url: await archives!.linkTo(path, expiresAt),
        url_expires_at: new Date(expiresAt * 1000)
          .toISOString()
          .replace('.000', ''),
      }),
    ),
  )
  return pageJson(JSON.stringify(data), { page, per_page, total: found.length })
}

/** By month and day; those of one day by path. */
function newestFirst(one: ArchivedFile, other: ArchivedFile) {
  const [a, b] = [one, other].map(({ month, day }) => day ?? `${month}-99`) as [
    string,
    string,
  ]
  if (a !== b) return a < b ? 1 : -1
  return one.path < other.path ? -1 : 1
}
