import { BaselineFeatures, type Described } from './appraisalFeatures.ts'
import { type LayeredRows, withParts } from './appraisalLeastSquares.ts'
import { LetterGroups } from './appraisalLetters.ts'
import { robustRidge } from './appraisalRobustFit.ts'
import { CATEGORIES, type Category, pricedAs } from './categories.ts'
import type { Corpus } from './comparablesCorpus.ts'
import { percentileCont } from './percentiles.ts'

/** What a lot is likely to bring by its category, its title, its item and its place alone, as ln(cents). */
export interface Baseline {
  ofSale(position: number): number
  ofLot(lot: { title: string; category: Category; item?: string | null; zip?: string | null }): number
}

/** The effects are learned from at most this many sales, the newest: it bounds the time, and old prices teach little. */
const LEARNED_FROM = 50_000
/** A category's median is mixed with the median of everything as if that had been seen in so many of its sales. */
const CATEGORY_PRIOR_SALES = 4
/** How strongly effects are held at zero, and where a miss stops counting by its square. Chosen on time splits. */
const FIT = { strength: 3, softness: 0.25 }

/** Learns from the sales of a corpus what each category, each word of a title and so on does to the price. */
export function fitBaseline(corpus: Corpus): Baseline {
  const learnedFrom = Math.min(corpus.sales.length, LEARNED_FROM)
  const level = categoryLevels(corpus)
  const levelOf = (position: number) => level[corpus.market[position]!]!
  const features = new BaselineFeatures(corpus, learnedFrom)
  const letters = new LetterGroups(corpus.words.slice(0, features.wordCount), features.count)
  const layered: LayeredRows = { rows: rowsOf(features, learnedFrom), parts: letters.ofWords }
  const target = Float64Array.from({ length: learnedFrom }, (_, n) => corpus.logPrice[n]! - levelOf(n))
  const effects = robustRidge(layered, target, corpus.recency.subarray(0, learnedFrom), FIT)
  const told = withParts(layered, effects)
  const ofLetters = effects.subarray(features.count)
  const sum = (lot: Described, unknown: readonly string[]) => {
    features.describe(lot)
    const { ids, values, newWords, newValues } = features
    let sum = level[lot.market]!
    for (let i = 0; i < ids.length; i++) sum += values[i]! * told[ids[i]!]!
    for (const [i, word] of newWords.entries())
      sum += newValues[i]! * letters.sum(corpus.words[word] ?? unknown[word - corpus.words.length]!, ofLetters)
    return sum
  }
  const known = new Float64Array(corpus.sales.length).fill(Number.NaN)
  return {
    ofSale: position => {
      if (Number.isNaN(known[position])) known[position] = sum(features.ofSale(position), [])
      return known[position]!
    },
    ofLot: ({ title, category, item = null, zip = null }) => {
      const read = corpus.readTitle(title)
      const market = CATEGORIES.indexOf(pricedAs(category, title))
      return sum({ ...read, market, item, zip }, read.unknown)
    },
  }
}

/** The sales that are learned from, one row each. */
function rowsOf(features: BaselineFeatures, learnedFrom: number): LayeredRows['rows'] {
  const start = new Int32Array(learnedFrom + 1)
  const column: number[] = []
  const value: number[] = []
  for (let n = 0; n < learnedFrom; n++) {
    features.describe(features.ofSale(n))
    for (const [i, id] of features.ids.entries()) {
      column.push(id)
      value.push(features.values[i]!)
    }
    start[n + 1] = column.length
  }
  return {
    columns: features.count,
    start,
    column: Int32Array.from(column),
    value: Float64Array.from(value),
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
