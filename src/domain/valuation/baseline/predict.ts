import { CATEGORIES, type Category, pricedAs } from '../../titles/categories.ts'
import type { Corpus } from '../comparables/corpus.ts'
import { BaselineFeatures, type Described } from './features.ts'
import { LetterGroups } from './letterNgrams.ts'

/** What a lot is likely to bring by its category, its title, its item and its place alone, as ln(cents). */
export interface Baseline {
  ofSale(position: number): number
  ofLot(lot: LotToDescribe): number
}

/** What `fitBaseline` found, as plain numbers: they are stored with the index, and shared by threads. */
export interface BaselineFit {
  /** ln of what things of each category bring, by position in CATEGORIES. */
  level: Float64Array
  /** What each feature adds, its parts included, then what each group of letters adds. */
  effects: Float64Array
}

export interface LotToDescribe {
  title: string
  category: Category
  item?: string | null
  zip?: string | null
}

/** What a baseline is the sum of. It follows from the columns of a corpus alone. */
export interface BaselineTerms {
  learnedFrom: number
  features: BaselineFeatures
  letters: LetterGroups
}

/** The effects are learned from at most this many sales, the newest: it bounds the time, and old prices teach little. */
const LEARNED_FROM = 50_000

/** Finds the terms of the newest sales of a corpus. */
export function baselineTerms(corpus: Corpus): BaselineTerms {
  const learnedFrom = Math.min(corpus.count, LEARNED_FROM)
  const features = new BaselineFeatures(corpus, learnedFrom)
  const letters = new LetterGroups(corpus.words.slice(0, features.wordCount), features.count)
  return { learnedFrom, features, letters }
}

/** The baseline of a fit to this corpus. */
export function baselineOf(
  corpus: Corpus,
  { level, effects }: BaselineFit,
  { features, letters }: BaselineTerms = baselineTerms(corpus),
): Baseline {
  const ofLetters = effects.subarray(features.count)
  const newWordEffect = remembered(corpus.words.length, word => letters.sum(corpus.words[word]!, ofLetters))
  const sum = (lot: Described, unknown: readonly string[]) => {
    features.describe(lot)
    const { ids, values, newWords, newValues } = features
    let sum = level[lot.market]!
    for (let i = 0; i < ids.length; i++) sum += values[i]! * effects[ids[i]!]!
    for (let i = 0; i < newWords.length; i++) {
      const other = unknown[newWords[i]! - corpus.words.length]
      sum +=
        newValues[i]! * (other === undefined ? newWordEffect(newWords[i]!) : letters.sum(other, ofLetters))
    }
    return sum
  }
  return {
    ofSale: remembered(corpus.count, position => sum(features.ofSale(position), [])),
    ofLot: lot => {
      const described = describedLot(corpus, lot)
      return sum(described, described.unknown)
    },
  }
}

/** A lot in the numbers of a corpus, and its words that no sale has. */
export function describedLot(
  corpus: Corpus,
  { title, category, item = null, zip = null }: LotToDescribe,
): Described & { unknown: readonly string[] } {
  return {
    ...corpus.readTitle(title),
    market: CATEGORIES.indexOf(pricedAs(category, title)),
    item: corpus.itemNumber(item),
    place: corpus.placeNumber(zip),
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
