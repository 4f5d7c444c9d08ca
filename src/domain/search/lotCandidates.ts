import {
  firstAtLeast,
  type Groups,
  type LotList,
  listOf,
  type Stretch,
  stretchBetween,
  stretchOf,
} from './columns.ts'
import { boxAround, type Circle, EARTH_DIAMETER_MILES } from './listingFilter.ts'
import { fact, factMask } from './lotFacts.ts'
import type { Coded, LotIndex } from './lotIndex.ts'
import type { PriceBounds } from './priceBounds.ts'

/** What one of the filters leaves. */
export interface Candidates {
  size: number
  /** How many of them had begun when the index was made; null where that must be counted. */
  begun: number | null
  lists(): LotList[]
}

/** The lots of a list. */
export function one(list: LotList, begun: number): Candidates {
  return { size: list.ordinals.length, begun, lists: () => [list] }
}

/** Those of a group. @param code -1 for a group that there is not. */
export function ofGroup({ groups }: Coded, code: number, narrow: Narrow): Candidates {
  const whole = stretchOf(groups, code)
  const [from, to] = narrow(groups, whole)
  const begun = to - from === whole[1] - whole[0] ? (groups.begun[code] ?? 0) : null
  return { size: to - from, begun, lists: () => [listOf(groups, [from, to])] }
}

/** The part of a group that the category and the price leave. */
export type Narrow = (groups: Groups, stretch: Stretch) => Stretch

/** Narrows groups, each of which is in the order of the category, and then of the price. */
export function narrowing(
  { price_cents }: LotIndex,
  category: number | null,
  price: PriceBounds | null,
): Narrow {
  if (category === null) return (_groups, stretch) => stretch
  const mask = factMask('category')
  const asked = fact('category', Math.max(0, category))
  return ({ ordinals, facts }, stretch) => {
    const ofCategory = stretchBetween(stretch, place => facts[place]! & mask, asked, asked)
    if (price === null) return ofCategory
    return stretchBetween(ofCategory, place => price_cents[ordinals[place]!]!, price.least, price.most)
  }
}

/** Those with a price within the bounds. */
export function pricedBetween(
  { orders, price_cents, lots, begunBelow }: LotIndex,
  { least, most }: PriceBounds,
): Candidates {
  const priceAt = (place: number) => price_cents[orders.price_low[place]!]!
  const [from, to] = stretchBetween([0, lots], priceAt, least, most)
  const begun = begunBelow[to]! - begunBelow[from]!
  return one({ ordinals: orders.price_low.subarray(from, to), facts: null, price_cents: null }, begun)
}

/** Those in a circle. Lots lie at few places (a ZIP code is one), so the distance is told once a place. The formula is that of `distanceTo`. */
export function placesNear(
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
  return { size, begun, isNear, lists: () => stretches.map(stretch => listOf(groups, stretch)) }
}

/** The haversine formula. */
function milesBetween(center: Circle, latitude: number, longitude: number): number {
  const half = (degrees: number) => Math.sin((degrees * Math.PI) / 360) ** 2
  const cosines = Math.cos((center.latitude * Math.PI) / 180) * Math.cos((latitude * Math.PI) / 180)
  const root = Math.sqrt(half(latitude - center.latitude) + cosines * half(longitude - center.longitude))
  return EARTH_DIAMETER_MILES * Math.asin(Math.min(1, root))
}
