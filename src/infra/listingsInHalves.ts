import { joinedRows } from './csvRows.ts'
import { type Found, findListings, type ListingContext, type PageQuery } from './listings/listings.ts'
import type { Read } from './listings/versionedCache.ts'

/**
 * The same as `findListings` for many rows of CSV: PostgreSQL writes their two halves at once, on two of its cores. They are taken for
 * one where both saw the same version of the data, and no lot has begun or ended between them; otherwise all is read anew, in
 * one statement.
 */
export async function findListingsInHalves(
  context: ListingContext,
  query: PageQuery,
  counted: Read<number> | null,
): Promise<Found> {
  const { window } = query
  const half = Math.ceil(window.limit / 2)
  const later = { ...window, limit: window.limit - half, offset: window.offset + half }
  if (counted && counted.value <= later.offset) return findListings(context, query, counted)
  const halves = await Promise.all([
    findListings(context, { ...query, window: { ...window, limit: half } }, counted),
    findListings(context, { ...query, window: later }, 'uncounted'),
  ])
  if (!areAtOneMoment(halves)) return findListings(context, query, counted)
  const [first, second] = halves
  return {
    ...first,
    now_ms: Math.max(first.now_ms, second.now_ms),
    text: joinedRows([first.text, second.text]),
  }
}

function areAtOneMoment([one, other]: [Found, Found]): boolean {
  const untilMs = Math.min(one.until_ms, other.until_ms)
  return one.version === other.version && Math.max(one.now_ms, other.now_ms) < untilMs
}
