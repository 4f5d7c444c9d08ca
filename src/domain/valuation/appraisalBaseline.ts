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
/**
 * A lot without a bid counts as so much of a sale of this moment, and says that its like bring no more than this share of
 * the category's median. Chosen on time splits.
 */
const UNSOLD = { importance: 0.3, logShare: Math.log(0.6) }
/** How strongly effects are held at zero, and where a miss stops counting by its square. Chosen on time splits. */
const FIT = { strength: 3, softness: 0.25 }

/** Learns from the sales of a corpus what each category, each word of a title and so on does to the price. */
export function fitBaseline(corpus: Corpus): Baseline {
  const learnedFrom = Math.min(corpus.sales.length, LEARNED_FROM)
  const level = categoryLevels(corpus)
  const levelOf = (position: number) => level[corpus.market[position]!]!
  const features = new BaselineFeatures(corpus, learnedFrom)
  const letters = new LetterGroups(corpus.words.slice(0, features.wordCount), features.count)
  const unsold = describedUnsold(corpus, learnedFrom)
  const layered: LayeredRows = { rows: rowsOf(features, learnedFrom, unsold), parts: letters.ofWords }
  const rows = { length: learnedFrom + unsold.length }
  const target = Float64Array.from(rows, (_, n) =>
    n < learnedFrom ? corpus.logPrice[n]! - levelOf(n) : UNSOLD.logShare,
  )
  const importance = Float64Array.from(rows, (_, n) =>
    n < learnedFrom ? corpus.recency[n]! : UNSOLD.importance,
  )
  const effects = robustRidge(layered, target, importance, { ...FIT, ceilingsFrom: learnedFrom })
  const told = withParts(layered, effects)
  const ofLetters = effects.subarray(features.count)
  const newWordEffect = remembered(corpus.words.length, word => letters.sum(corpus.words[word]!, ofLetters))
  const sum = (lot: Described, unknown: readonly string[]) => {
    features.describe(lot)
    const { ids, values, newWords, newValues } = features
    let sum = level[lot.market]!
    for (let i = 0; i < ids.length; i++) sum += values[i]! * told[ids[i]!]!
    for (let i = 0; i < newWords.length; i++) {
      const other = unknown[newWords[i]! - corpus.words.length]
      sum +=
        newValues[i]! * (other === undefined ? newWordEffect(newWords[i]!) : letters.sum(other, ofLetters))
    }
    return sum
  }
  return {
    ofSale: remembered(corpus.sales.length, position => sum(features.ofSale(position), [])),
    ofLot: lot => {
      const described = describedLot(corpus, lot)
      return sum(described, described.unknown)
    },
  }
}

/** The same function of the numbers below `count`, reckoned once for each. */
function remembered(count: number, reckon: (n: number) => number): (n: number) => number {
  const known = new Float64Array(count).fill(Number.NaN)
  return n => {
    if (Number.isNaN(known[n])) known[n] = reckon(n)
    return known[n]!
  }
}

/** The lots without a bid that ended since the oldest sale that is learned from. */
function describedUnsold(corpus: Corpus, learnedFrom: number): Described[] {
  const sinceMs = corpus.sales[learnedFrom - 1]?.sold_at_ms ?? 0
  return corpus.unsold
    .filter(lot => lot.ended_at_ms >= sinceMs)
    .slice(0, LEARNED_FROM / 2)
    .map(lot => describedLot(corpus, lot))
}

function describedLot(
  corpus: Corpus,
  { title, category, item = null, zip = null }: Parameters<Baseline['ofLot']>[0],
): Described & { unknown: readonly string[] } {
  const market = CATEGORIES.indexOf(pricedAs(category, title))
  return { ...corpus.readTitle(title), market, item, zip }
}

/** One row for each sale that is learned from, then one for each lot without a bid. */
function rowsOf(
  features: BaselineFeatures,
  learnedFrom: number,
  unsold: readonly Described[],
): LayeredRows['rows'] {
  const rows = learnedFrom + unsold.length
  const start = new Int32Array(rows + 1)
  const column: number[] = []
  const value: number[] = []
  for (let n = 0; n < rows; n++) {
    features.describe(n < learnedFrom ? features.ofSale(n) : unsold[n - learnedFrom]!)
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
