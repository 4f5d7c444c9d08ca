import { CATEGORIES, type Category } from '../titles/categories.ts'
import { buildDocuments } from './comparables/documents.ts'
import { nearestFinder } from './comparables/nearest.ts'
import type { SaleColumns } from './comparables/saleColumns.ts'

/** Past sales, searchable by similarity. */
export type PastSales = ReturnType<typeof pastSales>

/** Makes the sales of some columns searchable. */
export function pastSales(
  columns: SaleColumns,
  documents = buildDocuments(columns),
) {
  const known = countsOf(columns.category)
  return {
    columns,
    documents,
    /**
     * At most 25 sales with a similarity above 0.2, most similar first; never
     * the lot itself.
     */
    nearest: nearestFinder(columns, documents),
    /** How many sales of a category are known, however old. */
    salesOf: (category: Category) => known[CATEGORIES.indexOf(category)]!,
  }
}

/** Lots of each category. */
export type LotCounts = Partial<Record<Category, number>>

const ENOUGH_CLOSED_LOTS = 20

/**
 * The share of each category's closed lots that sold, 0 to 1; absent where
 * fewer than 20 closed.
 * @param unsold those that closed without a sale in the 365 days of the
 * columns.
 */
export function sellThroughOf(
  { category: categories, inWindow }: SaleColumns,
  unsold: LotCounts,
): LotCounts {
  const sold = countsOf(categories.subarray(0, inWindow))
  const shares = CATEGORIES.flatMap((category, n) => {
    const closed = sold[n]! + (unsold[category] ?? 0)
    return closed < ENOUGH_CLOSED_LOTS ? [] : [[category, sold[n]! / closed]]
  })
  return Object.fromEntries(shares)
}

/** By position in CATEGORIES. */
function countsOf(categories: Uint8Array) {
  const counts = new Int32Array(CATEGORIES.length)
  for (const category of categories) counts[category]! += 1
  return counts
}
