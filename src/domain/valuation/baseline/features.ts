import { CATEGORIES } from '../../titles/categories.ts'
import { LEARNED_FROM, type SaleColumns } from '../comparables/saleColumns.ts'
import {
  MAKES_COUNT,
  numberOf,
  type TitleNumbers,
} from '../comparables/vocabulary.ts'

/**
 * Weight of each kind of feature, against all words of a title together (1).
 * Chosen on time splits.
 */
const SHARE = {
  category: 0.8,
  pair: 0.8,
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

/**
 * An item with a level of its own instead of its category's. Forklifts are half
 * of the sales of heavy equipment and sell for a fraction of the others:
 * without them, heavy equipment missed by ×2.87 instead of ×3.03 (federal) and
 * ×2.07 instead of ×2.69 (city), `make bench-values`.
 */
const OWN_LEVEL = 'forklift'

/**
 * The price signals of a lot: its title, and positions in CATEGORIES,
 * `itemNames` and `placeNames` (-1: none).
 */
export interface Described extends TitleNumbers {
  market: number
  item: number
  place: number
}

/** What the baseline knows a sale or a lot by. */
export interface BaselineFeatures {
  /** How many sales it learns from. */
  learnedFrom: number
  /** How many features there are. */
  count: number
  /** What is known of a sale of the columns. */
  ofSale: (n: number) => Described
  /** The numbers of its features, and their values. */
  describe: ({ surface, year, make, market, item, place }: Described) => {
    ids: number[]
    values: number[]
  }
}

/**
 * Describes lots as sparse vectors: words as written, pairs of neighboring
 * words, category, tracked item, ZIP code, and the model year by itself, by
 * category and by make. Rare words count more; all words of a title together,
 * also those that no sale has, have length 1. The features are those of the
 * first sales: the newest, so their words, items and places have the lowest
 * numbers.
 */
export function baselineFeatures(columns: SaleColumns): BaselineFeatures {
  const learnedFrom = Math.min(columns.count, LEARNED_FROM)
  /** Position of `OWN_LEVEL` in `itemNames`; -1 without a sale of one. */
  const ownLevel = columns.itemNames.indexOf(OWN_LEVEL)
  /** By number; a word's number is also its feature's number. */
  const salesWithWord: number[] = []
  const salesWithPair: number[] = []
  const pairs = new Map<number, number>()
  /** Items and places below these numbers were learned. */
  let itemCount = 0
  let placeCount = 0
  for (let n = 0; n < learnedFrom; n++) {
    const { surface, item, place } = ofSale(n)
    for (const word of surface) countOne(salesWithWord, word)
    for (const key of pairKeys(surface))
      countOne(salesWithPair, numberOf(pairs, key))
    itemCount = Math.max(itemCount, item + 1)
    placeCount = Math.max(placeCount, place + 1)
  }
  const firstCategory = salesWithWord.length
  const firstCategoryAge = firstCategory + CATEGORIES.length + 1
  const hasYear = firstCategoryAge + CATEGORIES.length
  const firstItem = hasYear + 1 + YEAR_STEPS
  const firstMakeAge = firstItem + itemCount
  const firstPlace = firstMakeAge + MAKES_COUNT
  const firstPair = firstPlace + placeCount

  /** Describes a sale of the columns. */
  function ofSale(n: number): Described {
    const {
      surface,
      surfaceStart,
      year,
      make,
      pieces,
      bookPrice,
      market,
      item,
      place,
    } = columns
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

  /** Inverse document frequency. */
  function rarity(sales = 0) {
    return Math.log(1 + learnedFrom / (sales + 0.5))
  }

  /** A lot's features and their values. */
  function describe({ surface, year, make, market, item, place }: Described) {
    const ids: number[] = []
    const values: number[] = []
    const add = (id: number, value: number) => {
      ids.push(id)
      values.push(value)
    }
    let squares = 0
    for (const word of surface) {
      const value = rarity(salesWithWord[word])
      squares += value ** 2
      if (word < salesWithWord.length) add(word, value)
    }
    for (const key of pairKeys(surface)) {
      const pair = pairs.get(key)
      if (pair !== undefined)
        add(firstPair + pair, SHARE.pair * rarity(salesWithPair[pair]))
    }
    const length = Math.sqrt(squares)
    for (let i = 0; i < values.length; i++) values[i]! /= length
    const isOwnLevel = item >= 0 && item === ownLevel
    add(
      firstCategory + (isOwnLevel ? CATEGORIES.length : market),
      SHARE.category,
    )
    if (place >= 0 && place < placeCount) add(firstPlace + place, SHARE.place)
    if (item >= 0 && item < itemCount) add(firstItem + item, SHARE.item)
    if (!year) return { ids, values }
    add(hasYear, SHARE.hasYear)
    const steps = Math.min(
      YEAR_STEPS,
      Math.floor((year - FIRST_YEAR) / YEARS_PER_STEP),
    )
    for (let step = 1; step <= steps; step++)
      add(hasYear + step, SHARE.yearStep)
    const age = (SHARE.age * (year - USUAL_YEAR)) / YEARS_PER_AGE
    add(firstCategoryAge + market, age)
    if (make >= 0) add(firstMakeAge + make, age)
    return { ids, values }
  }

  return { learnedFrom, count: firstPair + pairs.size, ofSale, describe }
}

function countOne(counts: number[], number: number) {
  counts[number] = (counts[number] ?? 0) + 1
}

/** A number for each pair of neighboring words. */
function pairKeys(surface: Described['surface']) {
  return Float64Array.from(surface.slice(1)).map(
    (word, i) => surface[i]! * 67_108_864 + word,
  )
}
