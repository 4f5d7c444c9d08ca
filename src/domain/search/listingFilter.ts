import type { Schemas } from '../../contract/types.ts'

/** A point, and how far from it is near. */
export interface Circle {
  latitude: number
  longitude: number
  radius_miles: number
}

/** A search in the words of the database. A null does not filter. Prices are US dollars, distances miles. */
export interface ListingFilter {
  /** A web-search query over stems; see searchWords. */
  words: string | null
  category: string | null
  state: string | null
  source: string | null
  center: Circle | null
  price_min: number | null
  price_max: number | null
  no_bids: boolean
  buy_now: boolean
}

/** What filters nothing. */
export const NO_FILTER: ListingFilter = {
  words: null,
  category: null,
  state: null,
  source: null,
  center: null,
  price_min: null,
  price_max: null,
  no_bids: false,
  buy_now: false,
}

/** Which of all that match. */
export interface ListingWindow {
  sort: Schemas['Sort']
  limit: number
  offset: number
}

/** The mean diameter of the earth. */
export const EARTH_DIAMETER_MILES = 7917.6
/** One degree of latitude in miles. */
const MILES_PER_DEGREE = 69.0

/** Degrees north and south, and east and west, that hold the whole circle. */
export function boxAround({ latitude, radius_miles }: Circle): { north: number; east: number } {
  const north = radius_miles / MILES_PER_DEGREE + 0.01
  const widest = Math.min(89, Math.abs(latitude) + north)
  return { north, east: north / Math.cos((widest * Math.PI) / 180) }
}
