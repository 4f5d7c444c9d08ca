import { namesPart, thingNamed } from '../../titles/categories.ts'
import { bookCents } from '../../titles/priceBook.ts'
import { isByWeight, priceWords } from '../../titles/priceWords.ts'
import { readQuantity } from '../../titles/quantity.ts'
import { comparableWord, titleModelYear } from '../../titles/titleWords.ts'
import { VEHICLE_MAKES, vehicleMake } from '../../titles/vehicle.ts'

/**
 * A title as numbers: words as written, model year (0: none), make (-1: none),
 * pieces (1 where it states none), ln(cents) by the price book (0: none).
 */
export interface TitleNumbers {
  surface: Int32Array | number[]
  year: number
  make: number
  pieces: number
  bookPrice: number
}

/** The title of a lot: also the words that it is compared by, as numbers. */
export interface ReadTitle extends TitleNumbers {
  surface: number[]
  compared: number[]
}

/**
 * Numbers the words of the sales in the order in which they appear, and turns
 * titles into numbers.
 * @param asOfMs titles can name model years up to the year after this moment.
 * @param known words as written that have the first numbers.
 */
export function createVocabulary(
  asOfMs: number,
  known: readonly string[] = [],
) {
  const latestModelYear = new Date(asOfMs).getUTCFullYear() + 1
  const surfaceIds = new Map<string, number>()
  const comparedIds = new Map<string, number>()
  const comparedAs: number[] = []
  for (const word of known) learn(word)

  function learn(word: string) {
    const id = numberOf(surfaceIds, word)
    if (id === comparedAs.length)
      comparedAs.push(numberOf(comparedIds, comparableWord(word)))
    return id
  }

  /** The words of a title except the model year, and its other numbers. */
  function read(title: string) {
    const year = titleModelYear(title, latestModelYear) ?? 0
    const pieces = readQuantity(title) ?? 1
    const words = priceWords(title, pieces)
    const numbers = {
      ...yearAndMake(title, words, year),
      pieces,
      bookPrice: bookPriceOf(title, pieces),
    }
    return { words: words.filter(word => word !== String(year)), numbers }
  }

  return {
    /**
     * For each word as written, the number of the word it is compared by; -1
     * for none.
     */
    comparedAs,
    /** The words as written, in the order of their numbers. */
    words: () => [...surfaceIds.keys()],
    /** How many different words titles are compared by. */
    comparedWords: () => comparedIds.size,

    /** Reads the title of a sale. A new word gets the next number. */
    learnTitle(title: string) {
      const { words, numbers } = read(title)
      return { ...numbers, surface: words.map(learn) }
    },

    /**
     * Reads a title without learning its words, with the numbers of the words
     * that it is compared by. Words that no sale has get numbers from the count
     * of the known ones up.
     */
    readTitle(title: string) {
      const { words, numbers } = read(title)
      const compared = new Set<number>()
      for (const [n, word] of words.entries()) {
        const stem = comparableWord(word)
        if (stem !== null)
          compared.add(comparedIds.get(stem) ?? comparedIds.size + n)
      }
      const surface = words.map(word => surfaceIds.get(word) ?? surfaceIds.size)
      return { ...numbers, surface, compared: [...compared] }
    },
  }
}

/** The number of a name, by first appearance; -1 for none. */
export function numberOf<Name>(
  numbers: Map<Name, number>,
  name: Name | null,
): number {
  if (name === null) return -1
  const number = numbers.get(name) ?? numbers.size
  numbers.set(name, number)
  return number
}

/**
 * Makes above this stand for parts of vehicles, material sold by weight and
 * housing, which are compared with their like only.
 */
export const LAST_MAKE = VEHICLE_MAKES.length - 1
const PARTS = LAST_MAKE + 1
const BY_WEIGHT = LAST_MAKE + 2
const HOUSING = LAST_MAKE + 3
export const MAKES_COUNT = LAST_MAKE + 4

const NAMES_HOUSING =
  /\b(?:(?:manufactured|mobile|modular) homes?|housing units?|(?:manufactured|modular) housing|houses?)\s*(?:\W|$)/i

/**
 * The year and make that a lot is compared by. A part has no year: an old
 * truck's wheels are not old wheels.
 */
function yearAndMake(title: string, words: readonly string[], year: number) {
  if (namesPart(title)) return { year: 0, make: PARTS }
  if (isByWeight(title)) return { year: 0, make: BY_WEIGHT }
  if (NAMES_HOUSING.test(title) && thingNamed(title) === 'real-estate')
    return { year: 0, make: HOUSING }
  const make = vehicleMake(words)
  return { year, make: make === null ? -1 : VEHICLE_MAKES.indexOf(make) }
}

/** ln(cents) by the price book; 0 where it has no price. */
function bookPriceOf(title: string, pieces: number) {
  const cents = bookCents(title, pieces)
  return cents === null ? 0 : Math.log(cents)
}
