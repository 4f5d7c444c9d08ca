import { BaselineFeatures } from './appraisalFeatures.ts'
import { robustRidge } from './appraisalRobustFit.ts'
import { CATEGORIES, type Category, pricedAs } from './categories.ts'
import type { Corpus } from './comparablesCorpus.ts'
import { percentileCont } from './percentiles.ts'

/** What a lot is likely to bring by its category and the words of its title alone, as ln(cents). */
export interface Baseline {
  ofSale(position: number): number
  ofLot(lot: { title: string; category: Category; item?: string | null }): number
}

/** The effects are learned from at most this many sales, the newest: it bounds the time, and old prices teach little. */
const LEARNED_FROM = 100_000
/** A category's median is mixed with the median of everything as if that had been seen in so many of its sales. */
const CATEGORY_PRIOR_SALES = 4
/** How strongly effects are held at zero, and where a miss stops counting by its square. Chosen on time splits. */
const FIT = { strength: 2, softness: 1 }

/** Learns from the sales of a corpus what each category and each word of a title does to the price. */
export function fitBaseline(corpus: Corpus): Baseline {
  const rows = Math.min(corpus.count, LEARNED_FROM)
  const level = categoryLevels(corpus)
  const features = new BaselineFeatures(corpus, rows)
  const target = Float64Array.from(
    { length: rows },
    (_, n) => corpus.logPrice[n]! - level[corpus.market[n]!]!,
  )
  const effects = robustRidge(features.rows, target, corpus.recency.subarray(0, rows), FIT)
  const known = new Float64Array(corpus.count).fill(Number.NaN)
  return {
    ofSale: position => {
      if (Number.isNaN(known[position])) {
        known[position] = level[corpus.market[position]!]! + features.sumOfSale(position, effects)
      }
      return known[position]!
    },
    ofLot: ({ title, category, item }) => {
      const market = CATEGORIES.indexOf(pricedAs(category, title))
      return level[market]! + features.sum(corpus.readTitle(title), market, item ?? null, effects)
    },
  }
}

/** ln of each category's median price, drawn towards that of all sales where there are few. */
function categoryLevels(corpus: Corpus): Float64Array {
  const all = corpus.logPrice.toSorted()
  const overall = all.length > 0 ? percentileCont(all, 0.5) : 0
  return Float64Array.from(CATEGORIES, (_, number) => {
    const own = corpus.logPrice.filter((_, n) => corpus.market[n] === number).sort()
    if (own.length === 0) return overall
    const share = own.length / (own.length + CATEGORY_PRIOR_SALES)
    return share * percentileCont(own, 0.5) + (1 - share) * overall
  })
}
