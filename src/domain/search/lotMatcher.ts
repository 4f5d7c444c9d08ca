import { firstAbove, firstAtLeast, groupOf, type LotList } from './columns.ts'
import { boxAround, type Circle, EARTH_DIAMETER_MILES, type ListingFilter } from './listingFilter.ts'
import { type FactName, fact, factMask } from './lotFacts.ts'
import type { LotIndex } from './lotIndex.ts'
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
  /** Lots among which all that match are, as few as one of the filters leaves; null: among all. */
  candidates: Candidates | null
  /** How many of the matches had begun when the index was made; null where that must be counted. */
  begun: number | null
}

/** What one of the filters leaves. */
interface Candidates {
  size: number
  begun: number
  lists(): LotList[]
}

/** @param words the lots that have the words of the filter; null when it has none. */
export function lotMatcher(index: LotIndex, filter: ListingFilter, words: WordMatches | null): LotMatcher {
  const category = codeOf(index.category, filter.category)
  const state = codeOf(index.state, filter.state)
  const source = codeOf(index.source, filter.source)
  const price = priceBounds(filter)
  const near = filter.center && placesNear(index, filter.center)
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
    category !== null && one(groupOf(index.category.groups, category)),
    state !== null && one(groupOf(index.state.groups, state)),
    source !== null && one(groupOf(index.source.groups, source)),
    price && one(pricedBetween(index, price)),
    near,
    words && one(words),
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

function one(list: LotList): Candidates {
  return { size: list.ordinals.length, begun: list.begun, lists: () => [list] }
}

/** -1 for a value that no lot has. */
function codeOf({ byValue }: LotIndex['category'], value: string | null): number | null {
  return value === null ? null : (byValue.get(value) ?? -1)
}

export interface PriceBounds {
  least: number
  most: number
}

/** In cents; null when no price is asked for. A lot without a price is within no bounds. */
export function priceBounds({ price_min, price_max }: ListingFilter): PriceBounds | null {
  if (price_min === null && price_max === null) return null
  return {
    least: price_min === null ? Number.NEGATIVE_INFINITY : Math.ceil(hundredTimes(price_min)),
    most: price_max === null ? Number.MAX_VALUE : Math.floor(hundredTimes(price_max)),
  }
}

function isWithin({ least, most }: PriceBounds, cents: number): boolean {
  return cents >= least && cents <= most
}

/** By the decimal places that were written: 1.1 * 100 is 110.00000000000001. */
function hundredTimes(dollars: number): number {
  const [digits, exponent = '0'] = String(dollars).split('e')
  return Number(`${digits}e${Number(exponent) + 2}`)
}

function pricedBetween(
  { orders, price_cents, lots, begunBelow }: LotIndex,
  { least, most }: PriceBounds,
): LotList {
  const priceAt = (place: number) => price_cents[orders.price_low[place]!]!
  const from = firstAtLeast(lots, priceAt, least)
  const to = Math.max(from, firstAbove(lots, priceAt, most))
  const begun = begunBelow[to]! - begunBelow[from]!
  return { ordinals: orders.price_low.subarray(from, to), begun, facts: null, price_cents: null }
}

/** Lots lie at few places (a ZIP code is one), so the distance is told once a place. The formula is that of `distanceTo`. */
function placesNear(
  { latitudes, longitudes, northward, place }: LotIndex,
  center: Circle,
): Candidates & { isNear: Uint8Array } {
  const { north, east } = boxAround(center)
  const isNear = new Uint8Array(latitudes.length)
  const { starts, begun } = place.groups
  const near = { size: 0, begun: 0 }
  const codes: number[] = []
  const southmost = firstAtLeast(northward.length, at => latitudes[northward[at]!]!, center.latitude - north)
  for (let at = southmost; at < northward.length; at++) {
    const code = northward[at]!
    const latitude = latitudes[code]!
    const longitude = longitudes[code]!
    if (!(latitude <= center.latitude + north)) break
    if (Math.abs(longitude - center.longitude) > east) continue
    if (milesBetween(center, latitude, longitude) > center.radius_miles) continue
    isNear[code] = 1
    near.size += starts[code + 1]! - starts[code]!
    near.begun += begun[code]!
    codes.push(code)
  }
  return { ...near, isNear, lists: () => codes.map(code => groupOf(place.groups, code)) }
}

/** The haversine formula. */
function milesBetween(center: Circle, latitude: number, longitude: number): number {
  const half = (degrees: number) => Math.sin((degrees * Math.PI) / 360) ** 2
  const cosines = Math.cos((center.latitude * Math.PI) / 180) * Math.cos((latitude * Math.PI) / 180)
  const root = Math.sqrt(half(latitude - center.latitude) + cosines * half(longitude - center.longitude))
  return EARTH_DIAMETER_MILES * Math.asin(Math.min(1, root))
}
