import type { Category } from './categories.ts'
import { CorpusBuilder } from './comparablesCorpusBuilder.ts'
import type { TitleNumbers } from './comparablesVocabulary.ts'

/** One past sale, as far as prices are concerned. `item` is the tracked item, when the sale was tagged with one. */
export interface Sale {
  id: string
  title: string
  category: Category
  item?: string | null
  state?: string | null
  final_bid_cents: number
  sold_at_ms: number
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
  itemNames: readonly string[]
  /** The words as written, by their number. */
  words: readonly string[]
  /** For each word as written, the word it is compared by (-1: none). */
  comparedAs: Int32Array
  comparedWords: number
  idOf(position: number): string
  itemOf(position: number): string | null
  readTitle(title: string): TitleNumbers & { compared: Int32Array }
}

/** Drops what is outside the 365 days before `asOfMs` or has no price, sorts, and reads every title once. */
export function buildCorpus(allSales: readonly Sale[], asOfMs: number): Corpus {
  const oldestMs = asOfMs - WINDOW_DAYS * DAY_MS
  const sales = allSales
    .filter(sale => sale.final_bid_cents > 0 && sale.sold_at_ms > oldestMs && sale.sold_at_ms <= asOfMs)
    .sort((a, b) => b.sold_at_ms - a.sold_at_ms || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  const builder = new CorpusBuilder(asOfMs)
  for (const sale of sales) builder.add(sale)
  return builder.finish()
}
