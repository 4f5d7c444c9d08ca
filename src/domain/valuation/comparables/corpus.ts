import type { Category } from '../../titles/categories.ts'
import { CorpusBuilder } from './corpusBuilder.ts'
import type { ReadTitle } from './vocabulary.ts'

/** One past sale, as far as prices are concerned. `item` is the tracked item, when the sale was tagged with one. */
export interface Sale {
  id: string
  title: string
  category: Category
  item?: string | null
  state?: string | null
  /** Where it was picked up. */
  zip?: string | null
  final_bid_cents: number
  sold_at_ms: number
}

/** A lot that ended without a single bid: a hint that its like is worth little. */
export interface UnsoldLot {
  title: string
  category: Category
  item?: string | null
  zip?: string | null
  ended_at_ms: number
}

const DAY_MS = 86_400_000
/** Sales are looked at for this long. */
export const WINDOW_DAYS = 365

/**
 * The columns of a corpus: what is stored of it, and shared between threads. Position n is the same sale everywhere,
 * newest first.
 */
export interface CorpusColumns {
  /** The ids in ASCII, one behind the other: that of sale n is `ids[idStart[n]]` to `ids[idStart[n + 1] - 1]`. */
  ids: Uint8Array
  idStart: Int32Array
  priceCents: Float64Array
  recency: Float64Array
  /** Position in CATEGORIES of the category as stored, and of the one whose prices speak for the sale. */
  category: Uint8Array
  market: Uint8Array
  /** Position of the tracked item in `itemNames` (-1: none). */
  item: Int16Array
  /** Position of the ZIP code in `placeNames` (-1: none). */
  place: Int32Array
  year: Int16Array
  make: Int16Array
  /** Words as written: those of sale n are `surface[surfaceStart[n]]` to `surface[surfaceStart[n + 1] - 1]`. */
  surfaceStart: Int32Array
  surface: Int32Array
}

/** The sales of the window, newest first, with their titles turned into numbers. */
export interface Corpus extends CorpusColumns {
  count: number
  /** ln of the price. */
  logPrice: Float64Array
  asOfMs: number
  /** Tracked items and ZIP codes, each in the order in which they were met: those of the newest sales come first. */
  itemNames: readonly string[]
  placeNames: readonly string[]
  /** The words as written, by their number. */
  words: readonly string[]
  /** For each word as written, the word it is compared by (-1: none). */
  comparedAs: Int32Array
  comparedWords: number
  idOf(position: number): string
  /** Positions in `itemNames` and `placeNames`, -1 for what no sale has. */
  itemNumber(item: string | null): number
  placeNumber(zip: string | null): number
  readTitle(title: string): ReadTitle
}

/** Whether a moment is in the 365 days before another. */
export function isInWindow(ms: number, asOfMs: number): boolean {
  return ms > asOfMs - WINDOW_DAYS * DAY_MS && ms <= asOfMs
}

/** The sales of the 365 days before `asOfMs` that have a price, newest first, those of one moment by id. */
export function salesInWindow(sales: readonly Sale[], asOfMs: number): Sale[] {
  return sales
    .filter(sale => sale.final_bid_cents > 0 && isInWindow(sale.sold_at_ms, asOfMs))
    .sort((a, b) => b.sold_at_ms - a.sold_at_ms || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
}

/** Drops what is outside the 365 days before `asOfMs` or has no price, sorts, and reads every title once. */
export function buildCorpus(sales: readonly Sale[], asOfMs: number): Corpus {
  const builder = new CorpusBuilder(asOfMs)
  for (const sale of salesInWindow(sales, asOfMs)) builder.add(sale)
  return builder.finish()
}
