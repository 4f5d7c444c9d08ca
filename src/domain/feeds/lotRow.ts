/** What became of a lot; `null` while nobody has said. */
export type Outcome = 'sold' | 'unsold' | 'withdrawn'

/** What a final price is, best first: the award, the high bid at the close, the last bid seen before it. */
export const PRICE_BASES = ['awarded', 'closed_high_bid', 'last_observed'] as const
export type PriceBasis = (typeof PRICE_BASES)[number]

/**
 * One lot as a feed tells it, in the columns of the feed format, checked: money in integer US cents, times as
 * RFC 3339 in UTC, `null` where the feed does not say.
 */
export interface LotRow {
  source: string
  source_id: string
  title: string
  description: string | null
  category: string | null
  state: string | null
  city: string | null
  zip: string | null
  current_bid_cents: number | null
  buy_now_cents: number | null
  starting_bid_cents: number | null
  num_bids: number
  condition_grade: string | null
  image_url: string | null
  start_date: string | null
  end_date: string | null
  source_url: string
  outcome: Outcome | null
  final_bid_cents: number | null
  price_basis: PriceBasis | null
  /** The source says that bidding has not begun, so the lot is upcoming even when `start_date` is past or unknown. */
  is_preview?: boolean
  /** Where the source itself says that the lot is, in degrees; else its ZIP code or city tells. */
  point?: { latitude: number; longitude: number } | null
}
