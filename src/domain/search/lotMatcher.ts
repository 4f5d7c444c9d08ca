import {
  firstAtLeast,
  type Groups,
  type LotList,
  listOf,
  type Stretch,
  stretchBetween,
  stretchOf,
} from './columns.ts'
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
  /** Lots among which all that match are, as few as one of the filters leaves, with the category and price; null: among all. */
  candidates: Candidates | null
  /** How many of the matches had begun when the index was made; null where that must be counted. */
  begun: number | null
}

/** What one of the filters leaves. */
interface Candidates {
  size: number
  /** How many of them had begun when the index was made; null where that must be counted. */
  begun: number | null
  lists(): LotList[]
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
    category !== null && group(index.category, category, narrow),
    state !== null && group(index.state, state, narrow),
    source !== null && group(index.source, source, narrow),
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

function group({ groups }: LotIndex['category'], code: number, narrow: Narrow): Candidates {
  const whole = stretchOf(groups, code)
  const [from, to] = narrow(groups, whole)
  const begun = to - from === whole[1] - whole[0] ? (groups.begun[code] ?? 0) : null
  return { size: to - from, begun, lists: () => [listOf(groups, [from, to], begun)] }
}

/** The part of a group that the category and the price leave. */
type Narrow = (groups: Groups, stretch: Stretch) => Stretch

/** Each group is in the order of the category, and then of the price. */
function narrowing({ price_cents }: LotIndex, category: number | null, price: PriceBounds | null): Narrow {
  if (category === null) return (_groups, stretch) => stretch
  const mask = factMask('category')
  const asked = fact('category', Math.max(0, category))
  return ({ ordinals, facts }, stretch) => {
    const ofCategory = stretchBetween(stretch, place => facts[place]! & mask, asked, asked)
    if (price === null) return ofCategory
    return stretchBetween(ofCategory, place => price_cents[ordinals[place]!]!, price.least, price.most)
  }
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
  const [from, to] = stretchBetween([0, lots], priceAt, least, most)
  const begun = begunBelow[to]! - begunBelow[from]!
  return { ordinals: orders.price_low.subarray(from, to), begun, facts: null, price_cents: null }
}

/** Lots lie at few places (a ZIP code is one), so the distance is told once a place. The formula is that of `distanceTo`. */
function placesNear(
  { latitudes, longitudes, northward, place: { groups } }: LotIndex,
  center: Circle,
  narrow: Narrow,
): Candidates & { isNear: Uint8Array } {
  const { north, east } = boxAround(center)
  const isNear = new Uint8Array(latitudes.length)
  const stretches: Stretch[] = []
  let size = 0
  let begun: number | null = 0
  const southmost = firstAtLeast(northward.length, at => latitudes[northward[at]!]!, center.latitude - north)
  for (let at = southmost; at < northward.length; at++) {
    const code = northward[at]!
    const latitude = latitudes[code]!
    const longitude = longitudes[code]!
    if (!(latitude <= center.latitude + north)) break
    if (Math.abs(longitude - center.longitude) > east) continue
    if (milesBetween(center, latitude, longitude) > center.radius_miles) continue
    isNear[code] = 1
    const whole = stretchOf(groups, code)
    const stretch = narrow(groups, whole)
    if (stretch[1] > stretch[0]) stretches.push(stretch)
    size += stretch[1] - stretch[0]
    begun = begun !== null && stretch === whole ? begun + groups.begun[code]! : null
  }
  return { size, begun, isNear, lists: () => stretches.map(stretch => listOf(groups, stretch, null)) }
}

/** The haversine formula. */
function milesBetween(center: Circle, latitude: number, longitude: number): number {
  const half = (degrees: number) => Math.sin((degrees * Math.PI) / 360) ** 2
  const cosines = Math.cos((center.latitude * Math.PI) / 180) * Math.cos((latitude * Math.PI) / 180)
  const root = Math.sqrt(half(latitude - center.latitude) + cosines * half(longitude - center.longitude))
  return EARTH_DIAMETER_MILES * Math.asin(Math.min(1, root))
}
