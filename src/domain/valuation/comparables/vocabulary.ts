import { namesPart, thingNamed } from '../../titles/categories.ts'
import { bookCents } from '../../titles/priceBook.ts'
import { isByWeight, priceWords } from '../../titles/priceWords.ts'
import { readQuantity } from '../../titles/quantity.ts'
import { comparableWord, titleModelYear } from '../../titles/titleWords.ts'
import { VEHICLE_MAKES, vehicleMake } from '../../titles/vehicle.ts'

/**
 * A title as numbers: words as written, model year (0: none), make (-1: none), pieces (1 where it states none), ln(cents) by the price
 * book (0: none).
 */
export interface TitleNumbers {
  surface: Int32Array
  year: number
  make: number
  pieces: number
  bookPrice: number
}

/** A title that is looked up. Words that no sale has get numbers from the size of the vocabulary up. */
export interface ReadTitle extends TitleNumbers {
  /** Numbers of the words that the title is compared by. */
  compared: Int32Array
}

/** Numbers the words of the sales in the order in which they appear, and turns titles into numbers. */
export class Vocabulary {
  readonly #latestModelYear: number
  readonly #surfaceIds = new Map<string, number>()
  readonly #comparedIds = new Map<string, number>()
  readonly #comparedAs: number[] = []

  /** @param asOfMs titles can name model years up to the year after this moment. */
  constructor(asOfMs: number) {
    this.#latestModelYear = new Date(asOfMs).getUTCFullYear() + 1
  }

  /** For each word as written, the number of the word it is compared by; -1 for none. */
  get comparedAs(): readonly number[] {
    return this.#comparedAs
  }

  /** How many different words titles are compared by. */
  get comparedWords(): number {
    return this.#comparedIds.size
  }

  /** The words as written, in the order of their numbers. */
  words(): IterableIterator<string> {
    return this.#surfaceIds.keys()
  }

  /** Returns the number of a word as written; a new word gets the next number. */
  learn(word: string) {
    const known = this.#surfaceIds.get(word)
    if (known !== undefined) return known
    const id = this.#surfaceIds.size
    this.#surfaceIds.set(word, id)
    const compared = comparableWord(word)
    let comparedId = -1
    if (compared !== null) {
      comparedId = this.#comparedIds.get(compared) ?? this.#comparedIds.size
      this.#comparedIds.set(compared, comparedId)
    }
    this.#comparedAs.push(comparedId)
    return id
  }

  /** Reads the title of a sale and appends the numbers of its words, except the model year, to `surface`. */
  learnTitle(title: string, surface: number[]): Omit<TitleNumbers, 'surface'> {
    const pieces = readQuantity(title) ?? 1
    const words = priceWords(title, pieces)
    const year = titleModelYear(title, this.#latestModelYear) ?? 0
    const yearWord = year === 0 ? '' : String(year)
    for (const word of words) if (word !== yearWord) surface.push(this.learn(word))
    return { ...yearAndMake(title, words, year), pieces, bookPrice: bookPriceOf(title, pieces) }
  }

  /** Reads a title without learning its words. */
  readTitle(title: string): ReadTitle {
    const year = titleModelYear(title, this.#latestModelYear) ?? 0
    const pieces = readQuantity(title) ?? 1
    const words = priceWords(title, pieces)
    const yearWord = String(year)
    let newWords = 0
    const compared = new Set<number>()
    const surface: number[] = []
    for (const [n, word] of words.entries()) {
      if (word === yearWord) continue
      surface.push(this.#surfaceIds.get(word) ?? this.#surfaceIds.size + newWords++)
      const stem = comparableWord(word)
      if (stem !== null) compared.add(this.#comparedIds.get(stem) ?? this.#comparedIds.size + n)
    }
    return {
      surface: Int32Array.from(surface),
      ...yearAndMake(title, words, year),
      pieces,
      bookPrice: bookPriceOf(title, pieces),
      compared: Int32Array.from(compared),
    }
  }
}

/** Makes above this stand for parts of vehicles, material sold by weight and housing, which are compared with their like only. */
export const LAST_MAKE = VEHICLE_MAKES.length - 1
const PARTS = LAST_MAKE + 1
const BY_WEIGHT = LAST_MAKE + 2
const HOUSING = LAST_MAKE + 3
export const MAKES_COUNT = LAST_MAKE + 4

const NAMES_HOUSING =
  /\b(?:(?:manufactured|mobile|modular) homes?|housing units?|(?:manufactured|modular) housing|houses?)\s*(?:\W|$)/i

/** The year and make that a lot is compared by. A part has no year: an old truck's wheels are not old wheels. */
function yearAndMake(title: string, words: readonly string[], year: number) {
  if (namesPart(title)) return { year: 0, make: PARTS }
  if (isByWeight(title)) return { year: 0, make: BY_WEIGHT }
  if (NAMES_HOUSING.test(title) && thingNamed(title) === 'real-estate') return { year: 0, make: HOUSING }
  const make = vehicleMake(words)
  return { year, make: make === null ? -1 : VEHICLE_MAKES.indexOf(make) }
}

/** ln(cents) by the price book; 0 where it has no price. */
function bookPriceOf(title: string, pieces: number) {
  const cents = bookCents(title, pieces)
  return cents === null ? 0 : Math.log(cents)
}
