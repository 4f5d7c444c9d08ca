import { CATEGORIES, type Category, pricedAs } from '../../titles/categories.ts'
import type { Corpus } from '../comparables/corpus.ts'
import { BaselineFeatures, type Described, LetterGroups } from './features.ts'

/** The result of `fitBaseline`, as plain numbers, which are stored with the index. */
export interface BaselineFit {
  /** ln of the usual price of each category, by position in CATEGORIES. */
  level: Float64Array
  /** The effect of each feature, its parts included, then of each group of letters. */
  effects: Float64Array
}

export interface LotToDescribe {
  title: string
  category: Category
  /** Slug of the tracked item, if any. */
  item?: string | null
  /** Pick-up location. */
  zip?: string | null
}

/** The terms that a baseline is the sum of. They follow from the corpus alone. */
export type BaselineTerms = ReturnType<typeof baselineTerms>

/** Effects are learned from at most this many of the newest sales: it bounds the time, and old prices add little. */
const LEARNED_FROM = 50_000

/** Collects the terms of the newest sales of a corpus. */
export function baselineTerms(corpus: Corpus) {
  const learnedFrom = Math.min(corpus.count, LEARNED_FROM)
  const features = new BaselineFeatures(corpus, learnedFrom)
  const letters = new LetterGroups(corpus.words.slice(0, features.wordCount), features.count)
  return { learnedFrom, features, letters }
}

/** Returns the baseline of a fit to this corpus: the value by category, title, item and place alone, as ln(cents). */
export function baselineOf(
  corpus: Corpus,
  { level, effects }: BaselineFit,
  { features, letters }: BaselineTerms = baselineTerms(corpus),
) {
  const ofLetters = effects.subarray(features.count)
  /** A sale is a comparable of many lots. */
  const ofSales = new Float64Array(corpus.count).fill(Number.NaN)
  const sum = (lot: Described, unknown: readonly string[]) => {
    const { ids, values, newWords, newValues } = features.describe(lot)
    let sum = level[lot.market]!
    for (let i = 0; i < ids.length; i++) sum += values[i]! * effects[ids[i]!]!
    for (let i = 0; i < newWords.length; i++) {
      const word = corpus.words[newWords[i]!] ?? unknown[newWords[i]! - corpus.words.length]!
      sum += newValues[i]! * letters.sum(word, ofLetters)
    }
    return sum
  }
  return {
    ofSale: (position: number): number => {
      if (Number.isNaN(ofSales[position])) ofSales[position] = sum(features.ofSale(position), [])
      return ofSales[position]!
    },
    ofLot: (lot: LotToDescribe): number => {
      const described = describedLot(corpus, lot)
      return sum(described, described.unknown)
    },
  }
}

/** Describes a lot in the numbers of a corpus, with its words that no sale has. */
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
