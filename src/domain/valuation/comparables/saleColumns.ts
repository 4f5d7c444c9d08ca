import { DAY_MS, WINDOW_DAYS } from '../../durations.ts'
import { CATEGORIES, pricedAs } from '../../titles/categories.ts'
import {
  learnedLogPrice,
  type PricedLot,
  type PricedSale,
  seenFactor,
} from '../learnedPrice.ts'
import { isPoor } from '../lotFacts.ts'
import { createVocabulary, numberOf, type ReadTitle } from './vocabulary.ts'

/** What the value of a lot is read from. */
export interface LotToDescribe extends PricedLot {
  /** Slug of the tracked item, if any. */
  item?: string | null
  /** Pick-up location. */
  zip?: string | null
}

/** A past sale. */
export interface Sale extends LotToDescribe, PricedSale {
  id: string
  state?: string | null
  sold_at_ms: number
  /**
   * Whether its price is that of the close, or was paid; absent for a last bid
   * that somebody saw.
   */
  is_real?: boolean
}

/**
 * A lot that ended without a bid: a sign that similar lots are worth little.
 */
export interface UnsoldLot extends LotToDescribe {
  ended_at_ms: number
}

/**
 * The baseline learns from so many of the newest sales, however old: it bounds
 * the time, and older prices add little.
 */
export const LEARNED_FROM = 50_000

/**
 * The columns of numbers, each with the array that it is stored in. Position n
 * is the same sale in all but the last three.
 */
const NUMBERS = {
  /** Of `learnedLogPrice`. */
  logPrice: Float64Array,
  /** Of `seenFactor`, as ln. */
  logSeenFactor: Float64Array,
  /** 1 for what is sold for its parts or its metal. */
  isPoor: Uint8Array,
  /** ln(cents) by the price book; 0 where it has no price. */
  bookPrice: Float64Array,
  /** 1 where the title states none. */
  pieces: Int32Array,
  /**
   * Positions in CATEGORIES: the stored category, and the one whose prices
   * apply (see `pricedAs`).
   */
  category: Uint8Array,
  market: Uint8Array,
  /** Position in `itemNames`; -1 for none. */
  item: Int16Array,
  /** Position in `placeNames`; -1 for none. */
  place: Int32Array,
  year: Int16Array,
  make: Int16Array,
  /** The id of sale n is `ids.slice(idStart[n], idStart[n + 1])`. */
  idStart: Int32Array,
  /**
   * The words of sale n are `surface[surfaceStart[n]]` to
   * `surface[surfaceStart[n + 1] - 1]`.
   */
  surfaceStart: Int32Array,
  surface: Int32Array,
}

type NumberColumns = {
  [Name in keyof typeof NUMBERS]: InstanceType<(typeof NUMBERS)[Name]>
}

/** What is stored of past sales, the newest first. */
export interface StoredColumns extends NumberColumns {
  asOfMs: number
  /** When the oldest sale that the baseline learns from was sold. */
  learnedSinceMs: number
  /** How many of the sales, the first, are of the window. */
  inWindow: number
  /**
   * Tracked items and ZIP codes in the order in which they first appear, so
   * those of the newest sales come first.
   */
  itemNames: readonly string[]
  placeNames: readonly string[]
  /** Words as written, by number. */
  words: readonly string[]
  /** All ids joined. */
  ids: string
}

/**
 * The sales of the window, and older ones that the baseline learns from, newest
 * first, with their titles as numbers.
 */
export interface SaleColumns extends StoredColumns {
  data: StoredColumns
  /** How many sales there are. */
  count: number
  /**
   * For each word as written, the number of the word it is compared by; -1 for
   * none.
   */
  comparedAs: Int32Array
  comparedWords: number
  idOf(position: number): string
  /** Positions in `itemNames` and `placeNames`; -1 if no sale has it. */
  itemNumber(item?: string | null): number
  placeNumber(zip?: string | null): number
  readTitle: (title: string) => ReadTitle
}

/** Builds a columns from its data. */
export function openSaleColumns(data: StoredColumns): SaleColumns {
  const vocabulary = createVocabulary(data.asOfMs, data.words)
  const items = new Map(data.itemNames.map((name, n) => [name, n]))
  const places = new Map(data.placeNames.map((name, n) => [name, n]))
  return {
    ...data,
    data,
    count: data.logPrice.length,
    comparedAs: Int32Array.from(vocabulary.comparedAs),
    comparedWords: vocabulary.comparedWords(),
    idOf: (position: number) =>
      data.ids.slice(data.idStart[position], data.idStart[position + 1]),
    itemNumber: (item?: string | null) => items.get(item ?? '') ?? -1,
    placeNumber: (zip?: string | null) => places.get(placeOf(zip ?? '')) ?? -1,
    readTitle: vocabulary.readTitle,
  }
}

/** The first five digits: the rest (ZIP+4) is one side of a street. */
function placeOf(zip: string) {
  return zip.slice(0, 5)
}

/** Whether a moment lies in the 365 days before `asOfMs`. */
export function isInWindow(ms: number, asOfMs: number): boolean {
  return ms > asOfMs - WINDOW_DAYS * DAY_MS && ms <= asOfMs
}

/** Fills the columns, sale by sale. */
export interface SaleColumnsBuilder {
  /**
   * Adds a sale. Sales must come newest first, those of one moment by id.
   * @throws RangeError for another order, because the result would depend on
   * it.
   */
  add(sale: Sale): void
  finish(): SaleColumns
}

/**
 * Builds a columns sale by sale and keeps only numbers, so a million sales need
 * no million objects.
 */
export function saleColumnsBuilder(asOfMs: number): SaleColumnsBuilder {
  const vocabulary = createVocabulary(asOfMs)
  const items = new Map<string, number>()
  const places = new Map<string, number>()
  const ids: string[] = []
  const numbers = mapNumbers((): number[] => [])
  numbers.idStart.push(0)
  numbers.surfaceStart.push(0)
  let idEnd = 0
  let inWindow = 0
  let learnedSinceMs = asOfMs
  let last: Pick<Sale, 'id' | 'sold_at_ms'> = {
    id: '',
    sold_at_ms: Number.POSITIVE_INFINITY,
  }
  return {
    add(sale: Sale) {
      const { id, title, category, item = null, zip = null, sold_at_ms } = sale
      if (
        sold_at_ms > last.sold_at_ms ||
        (sold_at_ms === last.sold_at_ms && id < last.id)
      )
        throw new RangeError(`The sale ${id} comes after one that is older.`)
      last = { id, sold_at_ms }
      ids.push(id)
      idEnd += id.length
      if (isInWindow(sold_at_ms, asOfMs)) inWindow += 1
      if (ids.length <= LEARNED_FROM) learnedSinceMs = sold_at_ms
      const read = vocabulary.learnTitle(title)
      for (const word of read.surface) numbers.surface.push(word)
      numbers.surfaceStart.push(numbers.surface.length)
      numbers.year.push(read.year)
      numbers.make.push(read.make)
      numbers.pieces.push(read.pieces)
      numbers.bookPrice.push(read.bookPrice)
      numbers.idStart.push(idEnd)
      numbers.logPrice.push(learnedLogPrice(sale))
      numbers.logSeenFactor.push(Math.log(seenFactor(sale)))
      numbers.isPoor.push(Number(isPoor(sale)))
      numbers.category.push(CATEGORIES.indexOf(category))
      numbers.market.push(CATEGORIES.indexOf(pricedAs(category, title)))
      numbers.item.push(numberOf(items, item))
      numbers.place.push(numberOf(places, zip && placeOf(zip)))
    },

    finish() {
      return openSaleColumns({
        asOfMs,
        learnedSinceMs,
        inWindow,
        itemNames: [...items.keys()],
        placeNames: [...places.keys()],
        words: vocabulary.words(),
        ids: ids.join(''),
        ...(mapNumbers(
          name => new NUMBERS[name](numbers[name]),
        ) as NumberColumns),
      })
    },
  }
}

function mapNumbers<Made>(
  make: (name: keyof NumberColumns) => Made,
): Record<keyof NumberColumns, Made> {
  const made = Object.keys(NUMBERS).map(name => [
    name,
    make(name as keyof NumberColumns),
  ])
  return Object.fromEntries(made)
}

/** Compares texts by their UTF-16 units, the same on every machine. */
export function inCodeOrder(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/**
 * The sales up to `asOfMs` that a model uses and that have a price, in the
 * order that `saleColumnsBuilder` needs.
 */
export function salesToUse(sales: readonly Sale[], asOfMs: number): Sale[] {
  return sales
    .filter(sale => sale.final_bid_cents > 0 && sale.sold_at_ms <= asOfMs)
    .sort((a, b) => b.sold_at_ms - a.sold_at_ms || inCodeOrder(a.id, b.id))
    .filter(
      (sale, n) => n < LEARNED_FROM || isInWindow(sale.sold_at_ms, asOfMs),
    )
}

/** Builds a columns from sales in any order. */
export function buildSaleColumns(
  sales: readonly Sale[],
  asOfMs: number,
): SaleColumns {
  const builder = saleColumnsBuilder(asOfMs)
  for (const sale of salesToUse(sales, asOfMs)) builder.add(sale)
  return builder.finish()
}
