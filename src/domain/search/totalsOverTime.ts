import { LRUCache } from 'lru-cache'
import { firstAbove } from './columns.ts'
import { factMask } from './lotFacts.ts'
import type { LotIndex } from './lotIndex.ts'
import type { LotMatcher } from './lotMatcher.ts'

const WAS_UPCOMING = factMask('wasUpcoming')

export interface TotalsOverTime {
  /** How many live lots match. @param name of the filter that the matcher was made of. */
  total(name: string, matcher: LotMatcher, now_ms: number): number
}

interface Counted {
  total: number
  now_ms: number
}

const MOST_REMEMBERED = 10_000
const ANY_PRICE = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY }
const ALL = { facts: null, price_cents: null }

/**
 * Counts what matches in an index. A filter is counted once, as of the moment at which the index was made, and carried on from
 * there: a total changes only by the lots that have begun and ended since, which are few.
 */
export function totalsOverTime(
  index: LotIndex,
  isLive: (ordinal: number, now_ms: number) => boolean,
): TotalsOverTime {
  const { ends_ms, price_cents, facts, orders, upcoming, as_of_ms } = index
  const remembered = new LRUCache<string, Counted>({ max: MOST_REMEMBERED })

  function total(name: string, matcher: LotMatcher, now_ms: number): number {
    const known = remembered.get(name)
    const before =
      known && known.now_ms <= now_ms
        ? known
        : { total: matcher.begun ?? countBegun(matcher), now_ms: as_of_ms }
    const total = carryOn(before, matcher, now_ms)
    remembered.set(name, { total, now_ms })
    return total
  }

  function carryOn(before: Counted, { matches }: LotMatcher, now_ms: number): number {
    const endAt = (place: number) => ends_ms[orders.ending_soon[place]!]!
    const startAt = (place: number) => upcoming.starts_ms[place]!
    let { total } = before
    for (const ordinal of between(orders.ending_soon, endAt, before.now_ms, now_ms))
      if (matches(ordinal) && isLive(ordinal, before.now_ms)) total -= 1
    for (const ordinal of between(upcoming.ordinals, startAt, before.now_ms, now_ms))
      if (matches(ordinal) && isLive(ordinal, now_ms)) total += 1
    return total
  }

  /** What does not change stands before the loop, which is then three times as fast. */
  function countBegun({ mask, wanted, price, rest, candidates }: LotMatcher): number {
    const begunMask = mask | WAS_UPCOMING
    const { least, most } = price ?? ANY_PRICE
    let total = 0
    for (const list of candidates?.lists() ?? [{ ...ALL, ordinals: orders.ending_soon }]) {
      const { ordinals, facts: factsHere, price_cents: pricesHere } = list
      const size = ordinals.length
      for (let at = 0; at < size; at++) {
        const fact = factsHere === null ? facts[ordinals[at]!]! : factsHere[at]!
        if ((fact & begunMask) !== wanted) continue
        if (price !== null) {
          const cents = pricesHere === null ? price_cents[ordinals[at]!]! : pricesHere[at]!
          if (cents < least || cents > most) continue
        }
        if (rest === null || rest(ordinals[at]!)) total += 1
      }
    }
    return total
  }

  return { total }
}

/** Those whose moment is after the one and not after the other. @param momentAt ascending. */
function between(
  ordinals: Uint32Array,
  momentAt: (place: number) => number,
  after_ms: number,
  upTo_ms: number,
): Uint32Array {
  return ordinals.subarray(
    firstAbove(ordinals.length, momentAt, after_ms),
    firstAbove(ordinals.length, momentAt, upTo_ms),
  )
}
