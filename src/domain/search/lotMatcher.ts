import type { ListingFilter } from './listingFilter.ts'
import { type Candidates, narrowing, ofGroup, one, placesNear, pricedBetween } from './lotCandidates.ts'
import { type FactName, fact, factMask } from './lotFacts.ts'
import type { Coded, LotIndex } from './lotIndex.ts'
import { isWithin, type PriceBounds, priceBounds } from './priceBounds.ts'
import type { WordMatches } from './wordMatches.ts'

/** A filter, made ready for one index. The clock is not its business. */
export interface LotMatcher {
  matches(ordinal: number): boolean
  /** The same in steps, for loops over many lots: first these bits of the facts, then, of the few that are left, the others. */
  mask: number
  wanted: number
  price: PriceBounds | null
  /** Null where the facts and the price tell all. */
  rest: ((ordinal: number) => boolean) | null
  /** Lots among which all that match are, as few as one of the filters leaves, with the category and price; null: among all. */
  candidates: Candidates | null
  /** How many of the matches had begun when the index was made; null where that must be counted. */
  begun: number | null
}

/** @param words the lots that have the words of the filter; null when it has none. */
export function lotMatcher(index: LotIndex, filter: ListingFilter, words: WordMatches | null): LotMatcher {
  const category = codeOf(index.category, filter.category)
  const state = codeOf(index.state, filter.state)
  const source = codeOf(index.source, filter.source)
  const price = priceBounds(filter)
  const narrow = narrowing(index, category, price)
  const near = filter.center && placesNear(index, filter.center, narrow)
  const asked: [FactName, number | null][] = [
    ['category', category],
    ['state', state],
    ['source', source],
    ['hasBids', filter.no_bids ? 0 : null],
    ['hasBuyNow', filter.buy_now ? 1 : null],
  ]
  const { mask, wanted } = factsAsked(asked)
  const rest = restOf(index, near?.isNear ?? null, words)
  const { facts, price_cents } = index
  const each = [
    category !== null && ofGroup(index.category, category, narrow),
    state !== null && ofGroup(index.state, state, narrow),
    source !== null && ofGroup(index.source, source, narrow),
    price && pricedBetween(index, price),
    near,
    words && one(words, words.begun),
  ].filter(candidates => !!candidates)
  const candidates = each.reduce<Candidates | null>(
    (least, next) => (least && least.size <= next.size ? least : next),
    null,
  )
  const isSingle = each.length <= 1 && !filter.no_bids && !filter.buy_now
  return {
    matches: ordinal =>
      (facts[ordinal]! & mask) === wanted &&
      (price === null || isWithin(price, price_cents[ordinal]!)) &&
      (rest === null || rest(ordinal)),
    mask,
    wanted,
    price,
    rest,
    candidates,
    begun: isSingle ? (candidates ? candidates.begun : index.begunBelow.at(-1)!) : null,
  }
}

/** A value that no lot has asks for a bit that is not looked at, which no lot has either. */
function factsAsked(asked: [FactName, number | null][]): { mask: number; wanted: number } {
  const facts = asked.filter((each): each is [FactName, number] => each[1] !== null)
  if (facts.some(([, value]) => value < 0)) return { mask: 0, wanted: 1 }
  return {
    mask: facts.reduce((bits, [name]) => bits | factMask(name), 0),
    wanted: facts.reduce((bits, [name, value]) => bits | fact(name, value), 0),
  }
}

function restOf(
  { places }: LotIndex,
  isNear: Uint8Array | null,
  words: WordMatches | null,
): LotMatcher['rest'] {
  if (isNear === null && words === null) return null
  return ordinal =>
    (isNear === null || isNear[places[ordinal]!] === 1) && (words === null || words.has(ordinal))
}

/** -1 for a value that no lot has. */
function codeOf({ byValue }: Coded, value: string | null): number | null {
  return value === null ? null : (byValue.get(value) ?? -1)
}
