import { CATEGORIES } from '../../titles/categories.ts'
import { type Corpus, isInWindow, recencyAt, type UnsoldLot } from '../comparables/corpus.ts'
import { percentileCont } from '../percentiles.ts'
import type { Described } from './features.ts'
import { robustRidge, sparseRows, withParts } from './leastSquares.ts'
import { type BaselineFit, type BaselineTerms, baselineTerms, describedLot } from './predict.ts'

/** At most this many lots without a bid are learned from, the newest. */
export const MOST_UNSOLD = 25_000
/** The median of all sales counts in each category's median like this many of its sales. */
const CATEGORY_PRIOR_SALES = 4
/**
 * A lot without a bid is a ceiling: similar lots bring at most 60 % of the category's median. `importance` compares it with a
 * sale of this moment. Chosen on time splits.
 */
const UNSOLD = { importance: 0.3, logShare: Math.log(0.6) }
/** How strongly effects are pulled to zero, and where a miss stops counting by its square. Chosen on time splits. */
const FIT = { strength: 3, softness: 0.25 }

/** Learns the effect of each category, word and other feature on the price, from the sales of a corpus and lots without a bid. */
export function fitBaseline(
  corpus: Corpus,
  unsoldLots: readonly UnsoldLot[],
  { learnedFrom, features, letters }: BaselineTerms = baselineTerms(corpus),
): BaselineFit {
  const level = categoryLevels(corpus)
  const unsold = describedUnsold(corpus, learnedFrom, unsoldLots)
  const rows = { length: learnedFrom + unsold.length }
  const described = sparseRows(rows.length, n =>
    features.describe(n < learnedFrom ? features.ofSale(n) : unsold[n - learnedFrom]!),
  )
  const layered = { rows: { ...described, columns: features.count }, parts: letters.ofWords }
  const target = Float64Array.from(rows, (_, n) =>
    n < learnedFrom ? corpus.logPrice[n]! - level[corpus.market[n]!]! : UNSOLD.logShare,
  )
  const importance = Float64Array.from(rows, (_, n) =>
    n < learnedFrom ? corpus.recency[n]! : UNSOLD.importance,
  )
  const found = robustRidge(layered, target, importance, { ...FIT, ceilingsFrom: learnedFrom })
  const effects = found.slice()
  effects.set(withParts(layered, found))
  return { level, effects }
}

/** The lots without a bid that ended since the oldest sale that is learned from, sorted so that their order does not matter. */
function describedUnsold(corpus: Corpus, learnedFrom: number, lots: readonly UnsoldLot[]): Described[] {
  const { asOfMs } = corpus
  const leastRecency = corpus.recency[learnedFrom - 1] ?? 0
  return lots
    .filter(({ ended_at_ms: ms }) => isInWindow(ms, asOfMs) && recencyAt(asOfMs, ms) >= leastRecency)
    .sort((a, b) => b.ended_at_ms - a.ended_at_ms || (a.title < b.title ? -1 : a.title > b.title ? 1 : 0))
    .slice(0, MOST_UNSOLD)
    .map(lot => describedLot(corpus, lot))
}

/** ln of each category's median price, pulled towards the median of all sales where there are few. */
function categoryLevels(corpus: Corpus): Float64Array {
  const all = corpus.logPrice.toSorted()
  const overall = all.length > 0 ? percentileCont(all, 0.5) : 0
  const levels = new Float64Array(CATEGORIES.length)
  for (const number of CATEGORIES.keys()) {
    const own = corpus.logPrice.filter((_, n) => corpus.market[n] === number).sort()
    const share = own.length / (own.length + CATEGORY_PRIOR_SALES)
    levels[number] = own.length === 0 ? overall : share * percentileCont(own, 0.5) + (1 - share) * overall
  }
  return levels
}
