import { firstAbove, firstAtLeast } from './columns.ts'
import { type ListingFilter, type ListingWindow, NO_FILTER } from './listingFilter.ts'
import { factMask } from './lotFacts.ts'
import type { LotIndex } from './lotIndex.ts'
import { type LotMatcher, lotMatcher } from './lotMatcher.ts'
import { priceBounds } from './priceBounds.ts'
import { totalsOverTime } from './totalsOverTime.ts'
import type { WordMatches } from './wordMatches.ts'

const WAS_UPCOMING = factMask('wasUpcoming')

/** What a search finds in an index. */
interface FoundLots {
  total: number
  /** Those of the page, in the asked order. */
  ordinals: Uint32Array
}

/** Searches one index. It knows the lots as they were read; the clock says which of them are live. */
export interface LotSearch {
  index: LotIndex
  /** @param words the lots that have the words of the filter; null when it has none. @param now_ms not before `as_of_ms`. */
  find(filter: ListingFilter, window: ListingWindow, words: WordMatches | null, now_ms: number): FoundLots
  /** How many live lots each source has. */
  liveBySource(now_ms: number): Map<string, number>
  /** When the next lot, of all, begins or ends. Infinity when none does. */
  nextChange(now_ms: number): number
  /** How many of the lots have ended since. */
  ended(now_ms: number): number
}

/** A step along an order costs about as much as looking at two candidates, and one that matches is sorted besides. */
const STEPS_PER_CANDIDATE = 0.5
const STEPS_PER_MATCH = 5
const LEAST_STEPS = 1_000

const NOTHING: ListingWindow = { sort: 'ending_soon', limit: 0, offset: 0 }

export function createLotSearch(index: LotIndex): LotSearch {
  const { ends_ms, price_cents, facts, orders, upcoming } = index
  const startsOf = new Map(
    [...upcoming.ordinals].map((ordinal, at): [number, number] => [ordinal, upcoming.starts_ms[at]!]),
  )
  const ranks: Partial<Record<ListingWindow['sort'], Uint32Array>> = {}
  const totals = totalsOverTime(index, isLive)

  function isLive(ordinal: number, now_ms: number): boolean {
    return (
      ends_ms[ordinal]! > now_ms &&
      ((facts[ordinal]! & WAS_UPCOMING) === 0 || startsOf.get(ordinal)! <= now_ms)
    )
  }

  function find(
    filter: ListingFilter,
    { sort, limit, offset }: ListingWindow,
    words: WordMatches | null,
    now_ms: number,
  ): FoundLots {
    const matcher = lotMatcher(index, filter, words)
    const total = totals.total(JSON.stringify(filter), matcher, now_ms)
    const wanted = Math.min(offset + limit, total)
    if (wanted <= offset) return { total, ordinals: new Uint32Array() }
    const first =
      walk(stretchOf(sort, filter, now_ms), matcher, wanted, total, now_ms) ??
      sortAll(sort, matcher, wanted, total, now_ms)
    return { total, ordinals: first.subarray(offset, wanted) }
  }

  function liveBySource(now_ms: number): Map<string, number> {
    const ofOne = (source: string) => find({ ...NO_FILTER, source }, NOTHING, null, now_ms).total
    return new Map([...index.source.byValue.keys()].map(source => [source, ofOne(source)]))
  }

  /** The part of an order in which the matches are. */
  function stretchOf(sort: ListingWindow['sort'], filter: ListingFilter, now_ms: number): Uint32Array {
    const order = orders[sort]
    if (sort === 'ending_soon') return order.subarray(ended(now_ms))
    if (sort === 'newest') return order.subarray(upcoming.ordinals.length - begun(now_ms))
    const bounds = priceBounds(filter)
    if (!bounds || (sort !== 'price_low' && sort !== 'price_high')) return order
    const keyOf = keyFor(sort)
    const keyAt = (place: number) => keyOf(order[place]!)
    const [least, most] = sort === 'price_low' ? [bounds.least, bounds.most] : [-bounds.most, -bounds.least]
    return order.subarray(
      firstAtLeast(order.length, keyAt, least),
      firstAbove(order.length, keyAt, Math.min(most, Number.MAX_VALUE)),
    )
  }

  /** The first so many along an order; null when that would take longer than to sort all that match. */
  function walk(
    order: Uint32Array,
    { matches, candidates }: LotMatcher,
    wanted: number,
    total: number,
    now_ms: number,
  ): Uint32Array | null {
    const steps = candidates
      ? LEAST_STEPS + candidates.size * STEPS_PER_CANDIDATE + total * STEPS_PER_MATCH
      : order.length
    const first = new Uint32Array(wanted)
    let found = 0
    for (let at = 0; at < order.length; at++) {
      if (at >= steps) return null
      const ordinal = order[at]!
      if (!matches(ordinal) || !isLive(ordinal, now_ms)) continue
      first[found++] = ordinal
      if (found === wanted) break
    }
    return first
  }

  function sortAll(
    sort: ListingWindow['sort'],
    { matches, candidates }: LotMatcher,
    wanted: number,
    total: number,
    now_ms: number,
  ): Uint32Array {
    const found = new Uint32Array(total)
    let count = 0
    for (const list of candidates!.lists())
      for (const ordinal of list.ordinals)
        if (matches(ordinal) && isLive(ordinal, now_ms)) found[count++] = ordinal
    const keyOf = keyFor(sort)
    // Numbers sort much faster than what needs a comparison of our own, so those past the last wanted one are left out first.
    const last = Float64Array.from(found, keyOf).sort()[wanted - 1]!
    const first = found.filter(ordinal => keyOf(ordinal) <= last)
    return first.sort((one, other) => keyOf(one) - keyOf(other) || one - other)
  }

  /** What an order is by, ascending: a column, or the place in that order, which is made at the first question. */
  function keyFor(sort: ListingWindow['sort']): (ordinal: number) => number {
    if (sort === 'ending_soon') return ordinal => ends_ms[ordinal]!
    if (sort === 'price_low') return ordinal => price_cents[ordinal]!
    if (sort === 'price_high')
      return ordinal => (hasPrice(ordinal) ? -price_cents[ordinal]! : price_cents[ordinal]!)
    const rank = ranks[sort] ?? new Uint32Array(index.lots)
    if (!ranks[sort]) for (let place = 0; place < index.lots; place++) rank[orders[sort][place]!] = place
    ranks[sort] = rank
    return ordinal => rank[ordinal]!
  }

  function hasPrice(ordinal: number): boolean {
    return price_cents[ordinal] !== Number.POSITIVE_INFINITY
  }

  function ended(now_ms: number): number {
    return firstAbove(index.lots, place => ends_ms[orders.ending_soon[place]!]!, now_ms)
  }

  /** How many of those that had not begun have begun since. */
  function begun(now_ms: number): number {
    return firstAbove(upcoming.starts_ms.length, place => upcoming.starts_ms[place]!, now_ms)
  }

  function nextChange(now_ms: number): number {
    const end = ended(now_ms)
    return Math.min(
      end < index.lots ? ends_ms[orders.ending_soon[end]!]! : Number.POSITIVE_INFINITY,
      upcoming.starts_ms[begun(now_ms)] ?? Number.POSITIVE_INFINITY,
    )
  }

  return { index, find, liveBySource, nextChange, ended }
}
