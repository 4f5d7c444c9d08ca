import { CATEGORIES, type Category, pricedAs } from './categories.ts'
import { comparableWord, surfaceWords, titleModelYear } from './titles.ts'
import { VEHICLE_MAKES, vehicleMake } from './vehicles.ts'

/** One past sale, as far as prices are concerned. `item` is the tracked item, when the sale was tagged with one. */
export interface Sale {
  id: string
  title: string
  category: Category
  item?: string | null
  state?: string | null
  /** Where it was picked up. */
  zip?: string | null
  final_bid_cents: number
  sold_at_ms: number
}

/** A lot that ended without a single bid: a hint that its like is worth little. */
export interface UnsoldLot {
  title: string
  category: Category
  item?: string | null
  zip?: string | null
  ended_at_ms: number
}

const DAY_MS = 86_400_000
/** Sales are looked at for this long. */
export const WINDOW_DAYS = 365
/** A sale this old counts half. */
const RECENCY_HALF_LIFE_DAYS = 90

/** What a title says, as numbers: its words as written, its model year (0: none) and its make (-1: none). */
export interface TitleNumbers {
  surface: Int32Array
  year: number
  make: number
}

/** A title that is looked up. Words that no sale has are numbered upwards from the size of the vocabulary. */
interface ReadTitle extends TitleNumbers {
  /** The words by which it is compared. */
  compared: Int32Array
  /** The words that no sale has, in order. */
  unknown: readonly string[]
}

/** The sales of the window, newest first, with their titles turned into numbers. Position n is the same sale everywhere. */
export interface Corpus {
  sales: readonly Sale[]
  /** Of the same time, newest first. */
  unsold: readonly UnsoldLot[]
  logPrice: Float64Array
  recency: Float64Array
  /** Position in CATEGORIES of the category as stored, and of the one whose prices speak for the sale. */
  category: Uint8Array
  market: Uint8Array
  year: Int16Array
  make: Int8Array
  /** Words as written: those of sale n are `surface[surfaceStart[n]]` to `surface[surfaceStart[n + 1] - 1]`. */
  surfaceStart: Int32Array
  surface: Int32Array
  /** For each word as written, the word it is compared by (-1: none). */
  comparedAs: Int32Array
  comparedWords: number
  /** The words as written. */
  words: readonly string[]
  readTitle(title: string): ReadTitle
}

/** Drops what is outside the 365 days before `asOfMs` or has no price, sorts, and reads every title once. */
export function buildCorpus(
  allSales: readonly Sale[],
  asOfMs: number,
  allUnsold: readonly UnsoldLot[] = [],
): Corpus {
  const isInWindow = (ms: number) => ms > asOfMs - WINDOW_DAYS * DAY_MS && ms <= asOfMs
  const sales = allSales
    .filter(sale => sale.final_bid_cents > 0 && isInWindow(sale.sold_at_ms))
    .sort((a, b) => b.sold_at_ms - a.sold_at_ms || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  const unsold = allUnsold
    .filter(lot => isInWindow(lot.ended_at_ms))
    .sort((a, b) => b.ended_at_ms - a.ended_at_ms || (a.title < b.title ? -1 : a.title > b.title ? 1 : 0))
  const vocabulary = new Vocabulary()
  const latestModelYear = new Date(asOfMs).getUTCFullYear() + 1
  return {
    sales,
    unsold,
    logPrice: Float64Array.from(sales, sale => Math.log(sale.final_bid_cents)),
    recency: Float64Array.from(
      sales,
      sale => 0.5 ** ((asOfMs - sale.sold_at_ms) / DAY_MS / RECENCY_HALF_LIFE_DAYS),
    ),
    category: Uint8Array.from(sales, sale => CATEGORIES.indexOf(sale.category)),
    market: Uint8Array.from(sales, sale => CATEGORIES.indexOf(pricedAs(sale.category, sale.title))),
    ...readTitles(sales, vocabulary, latestModelYear),
    comparedAs: Int32Array.from(vocabulary.comparedAs),
    comparedWords: vocabulary.comparedIds.size,
    words: [...vocabulary.surfaceIds.keys()],
    readTitle: title => vocabulary.readTitle(title, latestModelYear),
  }
}

function readTitles(sales: readonly Sale[], vocabulary: Vocabulary, latestModelYear: number) {
  const year = new Int16Array(sales.length)
  const make = new Int8Array(sales.length)
  const surfaceStart = new Int32Array(sales.length + 1)
  let surface = new Int32Array(sales.length * 8)
  let end = 0
  for (const [n, { title }] of sales.entries()) {
    const words = surfaceWords(title)
    year[n] = titleModelYear(title, latestModelYear) ?? 0
    make[n] = makeNumber(words)
    if (end + words.length > surface.length) surface = grown(surface, words.length)
    const yearWord = String(year[n])
    for (const word of words) if (word !== yearWord) surface[end++] = vocabulary.learn(word)
    surfaceStart[n + 1] = end
  }
  return { year, make, surfaceStart, surface: surface.slice(0, end) }
}

function makeNumber(words: readonly string[]): number {
  const make = vehicleMake(words)
  return make === null ? -1 : VEHICLE_MAKES.indexOf(make)
}

function grown(array: Int32Array<ArrayBuffer>, least: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2 + least)
  larger.set(array)
  return larger
}

class Vocabulary {
  readonly surfaceIds = new Map<string, number>()
  readonly comparedIds = new Map<string, number>()
  readonly comparedAs: number[] = []

  learn(word: string): number {
    const known = this.surfaceIds.get(word)
    if (known !== undefined) return known
    const id = this.surfaceIds.size
    this.surfaceIds.set(word, id)
    const compared = comparableWord(word)
    let comparedId = -1
    if (compared !== null) {
      comparedId = this.comparedIds.get(compared) ?? this.comparedIds.size
      this.comparedIds.set(compared, comparedId)
    }
    this.comparedAs.push(comparedId)
    return id
  }

  readTitle(title: string, latestModelYear: number): ReadTitle {
    const year = titleModelYear(title, latestModelYear) ?? 0
    const words = surfaceWords(title)
    const yearWord = String(year)
    const unknown: string[] = []
    const compared = new Set<number>()
    const surface: number[] = []
    for (const [n, word] of words.entries()) {
      if (word === yearWord) continue
      surface.push(this.surfaceIds.get(word) ?? this.surfaceIds.size + unknown.push(word) - 1)
      const stem = comparableWord(word)
      if (stem !== null) compared.add(this.comparedIds.get(stem) ?? this.comparedIds.size + n)
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
