import { CATEGORIES } from '../../titles/categories.ts'
import { LEARNED_FROM, type SaleColumns } from '../comparables/saleColumns.ts'
import { MAKES_COUNT, type TitleNumbers } from '../comparables/vocabulary.ts'

/** Weight of each kind of feature, against all words of a title together (1). Chosen on time splits. */
const SHARE = { category: 0.8, pair: 0.8, item: 0.85, place: 0.5, hasYear: 0.5, yearStep: 0.25, age: 0.25 }
const FIRST_YEAR = 1980
const YEARS_PER_STEP = 2
const YEAR_STEPS = 26
/** The model year from which ages count, in steps of four years. */
const USUAL_YEAR = 2012
const YEARS_PER_AGE = 4

/**
 * An item with a level of its own instead of its category's. Forklifts are half of the sales of heavy equipment and sell for a fraction of
 * the others: without them, heavy equipment missed by ×2.87 instead of ×3.03 (federal) and ×2.07 instead of ×2.69 (city), `make bench-values`.
 */
const OWN_LEVEL = 'forklift'

type Kind = 'category' | 'categoryAge' | 'year' | 'item' | 'makeAge' | 'place' | 'pair'

/** The price signals of a lot: its title, and positions in CATEGORIES, `itemNames` and `placeNames` (-1: none). */
export interface Described extends TitleNumbers {
  market: number
  item: number
  place: number
}

/**
 * Describes lots as sparse vectors: words as written, pairs of neighboring words, category, tracked item, ZIP code, and the model
 * year by itself, by category and by make. Rare words count more; all words of a title together, also those that no sale has, have
 * length 1.
 */
export class BaselineFeatures {
  /** After `describe`: the lot's features and their values. */
  readonly ids: number[] = []
  readonly values: number[] = []
  readonly count: number
  /** How many of the sales were learned from. */
  readonly learnedFrom: number
  /** Words below this number were learned. A word's number is also its feature's number. */
  readonly #wordCount: number
  readonly #columns: SaleColumns
  readonly #pairs = new Map<number, number>()
  /** Position of `OWN_LEVEL` in `itemNames`; -1 without a sale of one. */
  readonly #ownLevel: number
  /** Items and places below these numbers were learned. */
  #itemCount = 0
  #placeCount = 0
  readonly #salesWithWord: number[] = []
  readonly #salesWithPair: number[] = []
  readonly #first: Record<Kind, number>

  /** Learns the features of the first sales: the newest, so their words, items and places have the lowest numbers. */
  constructor(columns: SaleColumns) {
    this.#columns = columns
    this.#ownLevel = columns.itemNames.indexOf(OWN_LEVEL)
    this.learnedFrom = Math.min(columns.count, LEARNED_FROM)
    for (let n = 0; n < this.learnedFrom; n++) this.#learn(this.ofSale(n))
    this.#wordCount = this.#salesWithWord.length
    const category = this.#wordCount
    const categoryAge = category + CATEGORIES.length + 1
    const year = categoryAge + CATEGORIES.length
    const item = year + 1 + YEAR_STEPS
    const makeAge = item + this.#itemCount
    const place = makeAge + MAKES_COUNT
    const pair = place + this.#placeCount
    this.#first = { category, categoryAge, year, item, makeAge, place, pair }
    this.count = pair + this.#pairs.size
  }

  /** Describes a sale of the columns. */
  ofSale(n: number): Described {
    const { surface, surfaceStart, year, make, pieces, bookPrice, market, item, place } = this.#columns
    return {
      surface: surface.subarray(surfaceStart[n], surfaceStart[n + 1]),
      year: year[n]!,
      make: make[n]!,
      pieces: pieces[n]!,
      bookPrice: bookPrice[n]!,
      market: market[n]!,
      item: item[n]!,
      place: place[n]!,
    }
  }

  /** Fills `ids` and `values`, and returns itself. */
  describe({ surface, year, make, market, item, place }: Described) {
    this.ids.length = 0
    this.values.length = 0
    this.#describeWords(surface)
    const isOwnLevel = item >= 0 && item === this.#ownLevel
    this.#add(this.#first.category + (isOwnLevel ? CATEGORIES.length : market), SHARE.category)
    if (place >= 0 && place < this.#placeCount) this.#add(this.#first.place + place, SHARE.place)
    if (item >= 0 && item < this.#itemCount) this.#add(this.#first.item + item, SHARE.item)
    if (year) this.#describeYear(year, market, make)
    return this
  }

  #learn({ surface, item, place }: Described) {
    for (const [i, word] of surface.entries()) {
      this.#salesWithWord[word] = (this.#salesWithWord[word] ?? 0) + 1
      if (i > 0) this.#learnPair(pairKey(surface[i - 1]!, word))
    }
    this.#itemCount = Math.max(this.#itemCount, item + 1)
    this.#placeCount = Math.max(this.#placeCount, place + 1)
  }

  #learnPair(key: number) {
    const pair = this.#pairs.get(key) ?? this.#pairs.size
    this.#pairs.set(key, pair)
    this.#salesWithPair[pair] = (this.#salesWithPair[pair] ?? 0) + 1
  }

  #describeWords(surface: Int32Array) {
    let squares = 0
    for (const word of surface) {
      const rarity = this.#rarity(this.#salesWithWord[word] ?? 0)
      squares += rarity ** 2
      if (word < this.#wordCount) this.#add(word, rarity)
    }
    for (let i = 1; i < surface.length; i++) this.#addPair(pairKey(surface[i - 1]!, surface[i]!))
    const length = Math.sqrt(squares)
    for (let i = 0; i < this.values.length; i++) this.values[i]! /= length
  }

  #addPair(key: number) {
    const pair = this.#pairs.get(key)
    if (pair !== undefined)
      this.#add(this.#first.pair + pair, SHARE.pair * this.#rarity(this.#salesWithPair[pair]!))
  }

  #describeYear(year: number, market: number, make: number) {
    const { year: hasYear, categoryAge, makeAge } = this.#first
    this.#add(hasYear, SHARE.hasYear)
    const steps = Math.min(YEAR_STEPS, Math.floor((year - FIRST_YEAR) / YEARS_PER_STEP))
    for (let step = 1; step <= steps; step++) this.#add(hasYear + step, SHARE.yearStep)
    const age = (SHARE.age * (year - USUAL_YEAR)) / YEARS_PER_AGE
    this.#add(categoryAge + market, age)
    if (make >= 0) this.#add(makeAge + make, age)
  }

  /** Inverse document frequency. */
  #rarity(count: number) {
    return Math.log(1 + this.learnedFrom / (count + 0.5))
  }

  #add(id: number, value: number) {
    this.ids.push(id)
    this.values.push(value)
  }
}

function pairKey(left: number, right: number) {
  return left * 67_108_864 + right
}
