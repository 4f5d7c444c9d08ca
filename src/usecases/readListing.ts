import type { ListingDetail } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { ApiError } from '../domain/errors.ts'
import { findListing } from '../infra/listings/byId.ts'
import type { Read } from '../infra/listings/versionedCache.ts'
import type { Deps } from './deps.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/
const LONGEST_SLUG = 1_000
const SHOWN = 80

/**
 * One lot by its id or slug.
 * @throws ApiError not_found for anything else.
 */
export async function readListing(deps: Deps, idOrSlug: string, caller: Caller): Promise<ListingDetail> {
  return JSON.parse((await readListingText(deps, idOrSlug, caller)).value) as ListingDetail
}

/** The same as JSON, as PostgreSQL wrote it. */
export async function readListingText(
  { reads, publicUrl }: Deps,
  idOrSlug: string,
  caller: Caller,
): Promise<Read<string>> {
  const by = keyOf(idOrSlug)
  const found = by && (await reads.read(caller, context => findListing({ ...context, publicUrl }, by)))
  if (!found) throw new ApiError('not_found', `No listing has the id or slug "${shortened(idOrSlug)}".`)
  return found
}

function keyOf(idOrSlug: string): { id: string } | { slug: string } | null {
  if (UUID.test(idOrSlug)) return { id: idOrSlug }
  if (idOrSlug.length <= LONGEST_SLUG && SLUG.test(idOrSlug)) return { slug: idOrSlug }
  return null
}

/** What was sent, short and printable: it may be anything. */
function shortened(text: string): string {
  const printable = text.replace(/[^\x20-\x7e]/g, '?')
  return printable.length > SHOWN ? `${printable.slice(0, SHOWN)}…` : printable
}
