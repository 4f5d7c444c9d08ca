import type { Schemas } from '../../../src/contract/types.ts'
import { DAY, fromNow, MINUTE, type SaleDraft } from './fixtures.ts'

/** The window of statistics ends with the running minute, and is 365 days long. */
export const WINDOW_END = fromNow(MINUTE)
export const WINDOW_START = fromNow(MINUTE - 365 * DAY)

type Statistics = Pick<
  Schemas['Comps'],
  | 'median_cents'
  | 'average_cents'
  | 'min_cents'
  | 'max_cents'
  | 'sold_count'
  | 'piece_count'
  | 'piece_median_cents'
  | 'model_year_count'
  | 'avg_bids'
  | 'price_basis'
  | 'real'
>

/** The statistics of sales, computed from the rows that a test inserted. */
export function statisticsOf(sales: SaleDraft[]): Statistics {
  const prices = pricesOf(sales)
  const pieces = pricesOf(sales.filter(sale => sale.is_piece ?? true))
  const real = sales.filter(sale => sale.price_basis !== 'last_observed')
  const bases = new Set(sales.map(sale => sale.price_basis ?? 'awarded'))
  return {
    median_cents: Math.round(valueAt(prices, 0.5)),
    average_cents: Math.round(mean(prices)),
    min_cents: prices[0]!,
    max_cents: prices.at(-1)!,
    sold_count: prices.length,
    piece_count: pieces.length,
    piece_median_cents: pieces.length < 5 ? null : Math.round(valueAt(pieces, 0.5)),
    model_year_count: new Set(sales.flatMap(sale => sale.vehicle_year ?? [])).size,
    avg_bids: Math.round(mean(sales.map(sale => sale.num_bids ?? 1)) * 10) / 10,
    price_basis: bases.size === 1 ? [...bases][0]! : 'mixed',
    real: {
      count: real.length,
      median_cents: real.length < 5 ? null : Math.round(valueAt(pricesOf(real), 0.5)),
    },
  }
}

/**
 * The five percentiles of sales, by the definition of the contract: interpolated, in whole cents.
 */
export function percentilesOf(sales: SaleDraft[]): NonNullable<Schemas['Percentiles']> {
  const at = (share: number) => Math.round(valueAt(pricesOf(sales), share))
  return {
    p10_cents: at(0.1),
    p25_cents: at(0.25),
    p50_cents: at(0.5),
    p75_cents: at(0.75),
    p90_cents: at(0.9),
  }
}

function pricesOf(sales: SaleDraft[]): number[] {
  return sales.map(sale => sale.final_bid_cents).sort((a, b) => a - b)
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function valueAt(ascending: number[], share: number): number {
  const place = share * (ascending.length - 1)
  const low = ascending[Math.floor(place)]!
  const high = ascending[Math.ceil(place)]!
  return low + (high - low) * (place % 1)
}
