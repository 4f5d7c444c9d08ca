import type { Groups } from './columns.ts'
import type { ListingWindow } from './listingFilter.ts'

/** Of an id. */
export const ID_BYTES = 16

/**
 * The open lots in columns: what a search filters and sorts by, and nothing else (about 125 bytes a lot). A lot is known by its
 * ordinal, its place in the order of the ids. It can be sent to another thread as it is.
 */
export interface LotIndex {
  lots: number
  /** The clock of the database when the lots were read; those that had ended by then are not here. Milliseconds since 1970. */
  as_of_ms: number
  /** The sixteen bytes of each id. */
  ids: Uint8Array
  /** When it ends; infinite where that is not known. */
  ends_ms: Float64Array
  /** Infinite where there is none. */
  price_cents: Float64Array
  /** See `fact`; a category, state or source is told by its code. */
  facts: Uint32Array
  category: Coded
  state: Coded
  source: Coded
  place: Coded
  /** The code of the place of each lot. */
  places: Uint32Array
  /** By the code of the place; NaN where a lot has none. */
  latitudes: Float64Array
  longitudes: Float64Array
  /** The codes of the places from south to north; last, that of no place. */
  northward: Uint32Array
  /** Those that had not begun, by when they do. */
  upcoming: { ordinals: Uint32Array; starts_ms: Float64Array }
  /** All ordinals in the order of each sort, equal ones by id. */
  orders: Record<ListingWindow['sort'], Uint32Array>
  /** How many of the lots before each place of the order by price had begun; and, last, of all. */
  begunBelow: Uint32Array
}

/** A property of few values: their codes, and the lots of each, by category, then by price. A lot without one has the value ''. */
export interface Coded {
  byValue: ReadonlyMap<string, number>
  groups: Groups
}

/** One open lot, as it is read into the index. */
export interface IndexedLot {
  /** A UUID in its usual form. */
  id: string
  category: string
  state: string | null
  source: string
  latitude: number | null
  longitude: number | null
  price_cents: number | null
  num_bids: number
  has_buy_now: boolean
  flip_score: number | null
  starts_ms: number
  ends_ms: number
}
