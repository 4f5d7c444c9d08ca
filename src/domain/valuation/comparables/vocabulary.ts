import { VEHICLE_MAKES, vehicleMake } from '../../titles/makes.ts'
import { comparableWord, surfaceWords, titleModelYear } from '../../titles/titleWords.ts'

/** What a title says, as numbers: its words as written, its model year (0: none) and its make (-1: none). */
export interface TitleNumbers {
  surface: Int32Array
  year: number
  make: number
}

/** A title that is looked up. Words that no sale has are numbered upwards from the size of the vocabulary. */
export interface ReadTitle extends TitleNumbers {
  /** The words by which it is compared. */
  compared: Int32Array
  /** The words that no sale has, in order. */
  unknown: readonly string[]
}

/** The words of the sales, numbered in the order in which they were met, and how a title becomes numbers by them. */
export class Vocabulary {
  readonly #latestModelYear: number
  readonly #surfaceIds = new Map<string, number>()
  readonly #comparedIds = new Map<string, number>()
  readonly #comparedAs: number[] = []

  /** @param asOfMs model years go up to the year after this moment's. */
  constructor(asOfMs: number) {
    this.#latestModelYear = new Date(asOfMs).getUTCFullYear() + 1
  }

  /** For each word as written, the number of the word it is compared by (-1: none). */
  get comparedAs(): readonly number[] {
    return this.#comparedAs
  }

  /** How many words there are to compare by. */
  get comparedWords(): number {
    return this.#comparedIds.size
  }

  /** The words as written, in the order of their numbers. */
  words(): IterableIterator<string> {
    return this.#surfaceIds.keys()
  }

  /** The number of a word as written, a new one when it is met for the first time. */
  learn(word: string): number {
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

  /** Reads the title of a sale, and hands over the number of each of its words but the model year, in order. */
  learnTitle(title: string, take: (word: number) => void): Pick<TitleNumbers, 'year' | 'make'> {
    const words = surfaceWords(title)
    const year = titleModelYear(title, this.#latestModelYear) ?? 0
    const yearWord = year === 0 ? '' : String(year)
    for (const word of words) if (word !== yearWord) take(this.learn(word))
    return { year, make: makeNumber(words) }
  }

  /** Reads a title without learning its words. */
  readTitle(title: string): ReadTitle {
    const year = titleModelYear(title, this.#latestModelYear) ?? 0
    const words = surfaceWords(title)
    const yearWord = String(year)
    const unknown: string[] = []
    const compared = new Set<number>()
    const surface: number[] = []
    for (const [n, word] of words.entries()) {
      if (word === yearWord) continue
      surface.push(this.#surfaceIds.get(word) ?? this.#surfaceIds.size + unknown.push(word) - 1)
      const stem = comparableWord(word)
      if (stem !== null) compared.add(this.#comparedIds.get(stem) ?? this.#comparedIds.size + n)
    }
    return {
      surface: Int32Array.from(surface),
      year,
      make: makeNumber(words),
      compared: Int32Array.from(compared),
      unknown,
    }
  }
}

function makeNumber(words: readonly string[]): number {
  const make = vehicleMake(words)
  return make === null ? -1 : VEHICLE_MAKES.indexOf(make)
}
