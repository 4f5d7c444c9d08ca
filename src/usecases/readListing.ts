import type { Listing } from '../contract/types.ts'
import { ApiError } from '../domain/errors.ts'
import type { DataState } from '../infra/dataState.ts'
import { findListing } from '../infra/listings.ts'
import type { Read } from '../infra/readCache.ts'
import type { Deps } from './deps.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/
const LONGEST_SLUG = 1_000
const SHOWN = 80

/**
 * One lot by its id or slug.
 * @throws ApiError not_found for anything else.
 */
export async function readListing(deps: Deps, idOrSlug: string): Promise<Listing> {
  return JSON.parse((await readListingText(deps, idOrSlug)).value) as Listing
}

/** The same as JSON, as PostgreSQL wrote it. */
export async function readListingText(deps: Deps, idOrSlug: string): Promise<Read<string>> {
  const by = keyOf(idOrSlug)
  const found = by && (await findRemembered(deps, idOrSlug, by))
  if (!found) throw new ApiError('not_found', `No listing has the id or slug "${shortened(idOrSlug)}".`)
  return found
}

/** Only what may be remembered is worth asking how far the data is. */
async function findRemembered(
  { guard, readLots, publicUrl, dataState, lots }: Deps,
  name: string,
  by: { id: string } | { slug: string },
): Promise<Read<string> | null> {
  const read = (asOf?: DataState) =>
    guard(() => readLots.read(place => findListing({ ...place, publicUrl }, by), asOf))
  if (lots.has(name)) {
    const state = await dataState()
    return lots.getOr(name, state, () => read(state))
  }
  const found = await read()
  if (found) lots.set(name, found)
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
