import { CATEGORIES, type Category } from './categories.ts'
import type { Comparable } from './comparablesBest.ts'
import { buildCorpus, type Corpus, type Sale, type UnsoldLot } from './comparablesCorpus.ts'
import { buildDocuments } from './comparablesDocuments.ts'
import { nearestFinder, type Wanted } from './comparablesNearest.ts'
import { percentileCont } from './percentiles.ts'

/** Past sales, ready to be asked. */
export interface SalesIndex {
  corpus: Corpus
  /** At most 25 sales with a similarity above 0.2, most similar first; never the lot itself. */
  nearest(lot: Wanted): Comparable[]
  /** The median price of a category in cents, or null when nothing was sold in it. */
  categoryMedianCents(category: Category): number | null
  /** The share of a category's closed lots that sold, 0 to 1, or null when too few closed to say. */
  sellThrough(category: Category): number | null
}

const ENOUGH_CLOSED_LOTS = 20

/**
 * Builds the index over the sales of the 365 days before `asOfMs`. `unsoldCounts` says how many lots of each category
 * closed without a sale in the same time; `unsoldLots` are those of them that had no bid. The same sales give the same answers, in whatever order they come.
 */
export function buildSalesIndex(
  sales: readonly Sale[],
  asOfMs: number,
  unsoldCounts: Partial<Record<Category, number>> = {},
  unsoldLots: readonly UnsoldLot[] = [],
): SalesIndex {
  const corpus = buildCorpus(sales, asOfMs, unsoldLots)
  const prices = CATEGORIES.map((_, number) =>
    Float64Array.from(
      corpus.sales.filter((_, n) => corpus.category[n] === number),
      sale => sale.final_bid_cents,
    ).sort(),
  )
  const pricesOf = (category: Category) => prices[CATEGORIES.indexOf(category)]!
  return {
    corpus,
    nearest: nearestFinder(corpus, buildDocuments(corpus)),
    categoryMedianCents: category => {
      const own = pricesOf(category)
      return own.length === 0 ? null : Math.round(percentileCont(own, 0.5))
    },
    sellThrough: category => {
      const sold = pricesOf(category).length
      const closed = sold + (unsoldCounts[category] ?? 0)
      return closed < ENOUGH_CLOSED_LOTS ? null : sold / closed
    },
  }
}
