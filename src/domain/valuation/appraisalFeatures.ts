import type { SparseRows } from './appraisalRobustFit.ts'
import { CATEGORIES } from './categories.ts'
import type { Corpus } from './comparablesCorpus.ts'
import type { TitleNumbers } from './comparablesVocabulary.ts'

/** How much each kind of feature may explain, against a title's words taken together (1). Chosen on time splits. */
const SHARE = { category: 0.8, pair: 0.8, item: 0.7, hasYear: 0.5, yearStep: 0.25 }
const FIRST_YEAR = 1980
const YEARS_PER_STEP = 2
const YEAR_STEPS = 26

/**
 * What a title tells about a price, as sparse numbers: its category, its words as written, its pairs of neighbouring
 * words, its tracked item, its model year. Rare words count more, and a title's words count as one together.
 */
export class BaselineFeatures {
  readonly rows: SparseRows
  readonly #corpus: Corpus
  readonly #learnedFrom: number
  readonly #pairs = new Map<number, number>()
  readonly #items = new Map<string, number>()
  readonly #wordCount: Float64Array
  readonly #pairCount: number[] = []
  readonly #offset: { word: number; item: number; pair: number }
  #ids: number[] = []
  #values: number[] = []

  /** Learns the features of the first `learnedFrom` sales of the corpus. */
  constructor(corpus: Corpus, learnedFrom: number) {
    this.#corpus = corpus
    this.#learnedFrom = learnedFrom
    this.#wordCount = new Float64Array(corpus.comparedAs.length)
    for (let n = 0; n < learnedFrom; n++) this.#count(n)
    const word = CATEGORIES.length + 1 + YEAR_STEPS
    const item = word + corpus.comparedAs.length
    const pair = item + this.#items.size
    this.#offset = { word, item, pair }
    this.rows = this.#rowsOf(pair + this.#pairs.size)
  }

  /** The sum of effects for a title, its category's number and its item. */
  sum(title: TitleNumbers, category: number, item: string | null, effects: Float64Array): number {
    this.#describe(title, category, item)
    return this.#values.reduce((sum, value, i) => sum + value * effects[this.#ids[i]!]!, 0)
  }

  sumOfSale(position: number, effects: Float64Array): number {
    const { market } = this.#corpus
    return this.sum(this.#titleOf(position), market[position]!, this.#corpus.itemOf(position), effects)
  }

  #titleOf(n: number): TitleNumbers {
    const { surface, surfaceStart, year, make } = this.#corpus
    return { surface: surface.subarray(surfaceStart[n], surfaceStart[n + 1]), year: year[n]!, make: make[n]! }
  }

  #count(n: number): void {
    const { surface } = this.#titleOf(n)
    for (const [i, word] of surface.entries()) {
      this.#wordCount[word]! += 1
      if (i > 0) this.#learnPair(pairKey(surface[i - 1]!, word))
    }
    const item = this.#corpus.itemOf(n)
    if (item && !this.#items.has(item)) this.#items.set(item, this.#items.size)
  }

  #learnPair(key: number): void {
    const id = this.#pairs.get(key) ?? this.#pairs.size
    this.#pairs.set(key, id)
    this.#pairCount[id] = (this.#pairCount[id] ?? 0) + 1
  }

  #rowsOf(features: number): SparseRows {
    const start = new Int32Array(this.#learnedFrom + 1)
    const feature: number[] = []
    const value: number[] = []
    for (let n = 0; n < this.#learnedFrom; n++) {
      this.#describe(this.#titleOf(n), this.#corpus.market[n]!, this.#corpus.itemOf(n))
      for (const [i, id] of this.#ids.entries()) {
        feature.push(id)
        value.push(this.#values[i]!)
      }
      start[n + 1] = feature.length
    }
    return { features, start, feature: Int32Array.from(feature), value: Float64Array.from(value) }
  }

  /** Fills `#ids` and `#values`. */
  #describe({ surface, year }: TitleNumbers, category: number, item: string | null): void {
    this.#ids = []
    this.#values = []
    this.#add(category, SHARE.category)
    if (year) {
      this.#add(CATEGORIES.length, SHARE.hasYear)
      const steps = Math.min(YEAR_STEPS - 1, Math.floor((year - FIRST_YEAR) / YEARS_PER_STEP))
      for (let step = 0; step < steps; step++) this.#add(CATEGORIES.length + 1 + step, SHARE.yearStep)
    }
    const itemId = item === null ? undefined : this.#items.get(item)
    if (itemId !== undefined) this.#add(this.#offset.item + itemId, SHARE.item)
    this.#describeWords(surface)
  }

  #describeWords(surface: Int32Array): void {
    const first = this.#ids.length
    let squares = 0
    for (const word of surface) {
      const count = this.#wordCount[word] ?? 0
      const weight = this.#rarity(count)
      squares += weight ** 2
      if (count > 0) this.#add(this.#offset.word + word, weight)
    }
    for (let i = 1; i < surface.length; i++) {
      const pair = this.#pairs.get(pairKey(surface[i - 1]!, surface[i]!))
      if (pair !== undefined)
        this.#add(this.#offset.pair + pair, SHARE.pair * this.#rarity(this.#pairCount[pair]!))
    }
    const length = Math.sqrt(squares)
    for (let i = first; i < this.#values.length; i++) this.#values[i]! /= length
  }

  /** Inverse document frequency. */
  #rarity(count: number): number {
    return Math.log(1 + this.#learnedFrom / (count + 0.5))
  }

  #add(id: number, value: number): void {
    this.#ids.push(id)
    this.#values.push(value)
  }
}

function pairKey(left: number, right: number): number {
  return left * 67_108_864 + right
}
