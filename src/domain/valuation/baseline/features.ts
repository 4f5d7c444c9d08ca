import { CATEGORIES } from '../../titles/categories.ts'
import type { SaleColumns } from '../comparables/saleColumns.ts'
import { MAKES_COUNT, type TitleNumbers } from '../comparables/vocabulary.ts'
import { type SparseRows, sparseRows } from './leastSquares.ts'

/** Weight of each kind of feature, against all words of a title together (1). Chosen on time splits. */
const SHARE = {
  category: 0.8,
  pair: 0.8,
  inTrade: 0.5,
  item: 0.85,
  place: 0.5,
  hasYear: 0.5,
  yearStep: 0.25,
  age: 0.25,
}
const FIRST_YEAR = 1980
const YEARS_PER_STEP = 2
const YEAR_STEPS = 26
/** The model year from which ages count, in steps of four years. */
const USUAL_YEAR = 2012
const YEARS_PER_AGE = 4

type Kind = 'category' | 'categoryAge' | 'year' | 'item' | 'itemAge' | 'makeAge' | 'place' | 'pair'

/** The price signals of a lot: its title, and positions in CATEGORIES, `itemNames` and `placeNames` (-1: none). */
export interface Described extends TitleNumbers {
  market: number
  item: number
  place: number
}

/**
 * Describes lots as sparse vectors: words as written, by themselves and by category, pairs of neighboring words, category, tracked
 * item, ZIP code, and the model year by itself, by category, by item and by make. Rare words count more; all words of a title
 * together have length 1.
 */
export class BaselineFeatures {
  /** After `describe`: the lot's features and their values. */
  readonly ids: number[] = []
  readonly values: number[] = []
  /** After `describe`: the numbers of the words that were not learned, and the values they would have. */
  readonly newWords: number[] = []
  readonly newValues: number[] = []
  readonly count: number
  /** Words below this number were learned. A word's number is also its feature's number. */
  readonly wordCount: number
  readonly #columns: SaleColumns
  readonly #learnedFrom: number
  readonly #pairs = new Map<number, number>()
  /** Items and places below these numbers were learned. */
  #itemCount = 0
  #placeCount = 0
  readonly #salesWithWord: number[] = []
  readonly #salesWithPair: number[] = []
  readonly #first: Record<Kind, number>

  /** Learns the features of the first `learnedFrom` sales: the newest, so their words, items and places have the lowest numbers. */
  constructor(columns: SaleColumns, learnedFrom: number) {
    this.#columns = columns
    this.#learnedFrom = learnedFrom
    for (let n = 0; n < learnedFrom; n++) this.#learn(this.ofSale(n))
    this.wordCount = this.#salesWithWord.length
    const category = this.wordCount
    const categoryAge = category + CATEGORIES.length
    const year = categoryAge + CATEGORIES.length
    const item = year + 1 + YEAR_STEPS
    const itemAge = item + this.#itemCount
    const makeAge = itemAge + this.#itemCount
    const place = makeAge + MAKES_COUNT
    const pair = place + this.#placeCount
    this.#first = { category, categoryAge, year, item, itemAge, makeAge, place, pair }
    this.count = pair + this.#pairs.size
  }

  /** Describes a sale of the columns. */
  ofSale(n: number): Described {
    const { surface, surfaceStart, year, make, market, item, place } = this.#columns
    return {
      surface: surface.subarray(surfaceStart[n], surfaceStart[n + 1]),
      year: year[n]!,
      make: make[n]!,
      market: market[n]!,
      item: item[n]!,
      place: place[n]!,
    }
  }

  /** Fills `ids`, `values`, `newWords` and `newValues`, and returns itself. */
  describe({ surface, year, make, market, item, place }: Described): this {
    for (const list of [this.ids, this.values, this.newWords, this.newValues]) list.length = 0
    this.#describeWords(surface, market)
    this.#add(this.#first.category + market, SHARE.category)
    if (place >= 0 && place < this.#placeCount) this.#add(this.#first.place + place, SHARE.place)
    const hasItem = item >= 0 && item < this.#itemCount
    if (hasItem) this.#add(this.#first.item + item, SHARE.item)
    if (year) this.#describeYear(year, market, hasItem ? item : -1, make)
    return this
  }

  #learn({ surface, market, item, place }: Described): void {
    for (const [i, word] of surface.entries()) {
      this.#learnPair(inTrade(word, market))
      this.#salesWithWord[word] = (this.#salesWithWord[word] ?? 0) + 1
      if (i === 0) continue
      this.#learnPair(pairKey(surface[i - 1]!, word))
    }
    this.#itemCount = Math.max(this.#itemCount, item + 1)
    this.#placeCount = Math.max(this.#placeCount, place + 1)
  }

  #learnPair(key: number): void {
    const pair = this.#pairs.get(key) ?? this.#pairs.size
    this.#pairs.set(key, pair)
    this.#salesWithPair[pair] = (this.#salesWithPair[pair] ?? 0) + 1
  }

  #describeWords(surface: Int32Array, market: number): void {
    let squares = 0
    for (const word of surface) {
      const rarity = this.#rarity(this.#salesWithWord[word] ?? 0)
      squares += rarity ** 2
      if (word < this.wordCount) this.#add(word, rarity)
      else {
        this.newWords.push(word)
        this.newValues.push(rarity)
      }
    }
    for (let i = 0; i < surface.length; i++) {
      if (i > 0) this.#addPair(pairKey(surface[i - 1]!, surface[i]!), SHARE.pair)
      this.#addPair(inTrade(surface[i]!, market), SHARE.inTrade)
    }
    const length = Math.sqrt(squares)
    for (const values of [this.values, this.newValues])
      for (let i = 0; i < values.length; i++) values[i]! /= length
  }

  #addPair(key: number, share: number): void {
    const pair = this.#pairs.get(key)
    if (pair !== undefined)
      this.#add(this.#first.pair + pair, share * this.#rarity(this.#salesWithPair[pair]!))
  }

  #describeYear(year: number, market: number, item: number, make: number): void {
    const { year: hasYear, categoryAge, itemAge, makeAge } = this.#first
    this.#add(hasYear, SHARE.hasYear)
    const steps = Math.min(YEAR_STEPS, Math.floor((year - FIRST_YEAR) / YEARS_PER_STEP))
    for (let step = 1; step <= steps; step++) this.#add(hasYear + step, SHARE.yearStep)
    const age = (SHARE.age * (year - USUAL_YEAR)) / YEARS_PER_AGE
    this.#add(categoryAge + market, age)
    if (item >= 0) this.#add(itemAge + item, age)
    if (make >= 0) this.#add(makeAge + make, age)
  }

  /** Inverse document frequency. */
  #rarity(count: number): number {
    return Math.log(1 + this.#learnedFrom / (count + 0.5))
  }

  #add(id: number, value: number): void {
    this.ids.push(id)
    this.values.push(value)
  }
}

function pairKey(left: number, right: number): number {
  return left * 67_108_864 + right
}

/** A word in a category: a monitor of a hospital is not one of an office. */
function inTrade(word: number, market: number): number {
  return pairKey(word, 67_108_863 - market)
}

const GROUP_LENGTHS = [2, 3]

/**
 * The groups of two and three neighboring letters of words, their ends marked: `van` has `<v`, `va`, `an`, `n>`, `<va`,
 * `van`, `an>`. They give a value to words that no sale has: a plural, a typo, the next model's number. All groups of a word
 * together have the weight of the word itself.
 */
export class LetterGroups {
  /** Row n holds the groups of word n. */
  readonly ofWords: SparseRows
  readonly #ids = new Map<string, number>()

  /** Learns the groups of the words. `rows` is the number of rows; those after the words are empty. */
  constructor(words: readonly string[], rows: number) {
    const none = { ids: [], values: [] }
    const made = sparseRows(rows, n => (n < words.length ? this.#learn(words[n]!) : none))
    this.ofWords = { ...made, columns: this.#ids.size }
  }

  /** The sum of the effects of a word's groups; the word itself can be new. */
  sum(word: string, effects: Float64Array): number {
    const groups = groupsOf(word)
    let sum = 0
    for (const group of groups) sum += effects[this.#ids.get(group) ?? -1] ?? 0
    return sum / Math.sqrt(groups.size)
  }

  #learn(word: string): { ids: number[]; values: number[] } {
    const groups = [...groupsOf(word)]
    for (const group of groups) if (!this.#ids.has(group)) this.#ids.set(group, this.#ids.size)
    const value = 1 / Math.sqrt(groups.length)
    return { ids: groups.map(group => this.#ids.get(group)!), values: groups.map(() => value) }
  }
}

function groupsOf(word: string): Set<string> {
  const marked = `<${word}>`
  const groups = new Set<string>()
  for (const length of GROUP_LENGTHS)
    for (let at = 0; at + length <= marked.length; at++) groups.add(marked.slice(at, at + length))
  return groups
}
