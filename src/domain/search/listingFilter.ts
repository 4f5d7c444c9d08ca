import type { Schemas } from '../../contract/types.ts'
import type { SearchWords } from './searchWords.ts'

/** A point in degrees and a radius around it. */
export interface Circle {
  latitude: number
  longitude: number
  radius_miles: number
}

/** The filters of a search. A null does not filter. Prices are US dollars. */
export interface ListingFilter {
  words: SearchWords | null
  category: string | null
  state: string | null
  source: string | null
  center: Circle | null
  price_min: number | null
  price_max: number | null
  no_bids: boolean
  buy_now: boolean
  /** Only lots that end within so many hours from now. */
  closing_within_hours: number | null
  min_flip_score: number | null
  /** Against the approximate value. */
  value_min: number | null
}

/**
 * The order, and the part of all matches that a page shows. Without a sort: best match first, or what ends first where there are no
 * words. `nearest` needs the center of the filter.
 */
export interface ListingWindow {
  sort?: Schemas['Sort'] | undefined
  limit: number
  offset: number
  /** These fields of each lot, as an array of text or null; absent: the Listing. */
  columns?: string[]
}

/** The mean diameter of the earth. */
export const EARTH_DIAMETER_MILES = 7917.6
/** One degree of latitude in miles. */
const MILES_PER_DEGREE = 69.0

/** Degrees north and south, and east and west, that contain the whole circle. */
export function boxAround({ latitude, radius_miles }: Circle): { north: number; east: number } {
  const north = radius_miles / MILES_PER_DEGREE + 0.01
  const widest = Math.min(89, Math.abs(latitude) + north)
  return { north, east: north / Math.cos((widest * Math.PI) / 180) }
}

/** An inclusive lower bound in US cents of an amount in dollars; null is below everything. */
export function leastCents(dollars: number | null): number {
  return dollars === null ? Number.NEGATIVE_INFINITY : Math.ceil(inCents(dollars))
}

/** Inclusive bounds in US cents. A lot without a price, which counts as infinite, is within them only where the filter has no price. */
export function priceBounds({ price_min, price_max }: ListingFilter): { least: number; most: number } {
  const unbounded = price_min === null ? Number.POSITIVE_INFINITY : Number.MAX_VALUE
  return {
    least: leastCents(price_min),
    most: price_max === null ? unbounded : Math.floor(inCents(price_max)),
  }
}

/** Moves the decimal point of the written number: 1.1 * 100 is 110.00000000000001. */
function inCents(dollars: number): number {
  const [digits, exponent = '0'] = String(dollars).split('e')
  return Number(`${digits}e${Number(exponent) + 2}`)
}
