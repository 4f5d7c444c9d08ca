import { CATEGORIES, pricedAs } from '../../titles/categories.ts'
import type { Corpus, CorpusColumns, Sale } from './corpus.ts'
import { GrowingColumn } from './growingColumn.ts'
import { Vocabulary } from './vocabulary.ts'

const DAY_MS = 86_400_000
/** A sale this old counts half. */
const RECENCY_HALF_LIFE_DAYS = 90

const bytes = () => new GrowingColumn<Uint8Array>(length => new Uint8Array(length))
const ints = () => new GrowingColumn<Int32Array>(length => new Int32Array(length))
const shorts = () => new GrowingColumn<Int16Array>(length => new Int16Array(length))
const floats = () => new GrowingColumn<Float64Array>(length => new Float64Array(length))

/**
 * Takes the sales of a window one after the other, newest first, those of one moment by id, and keeps only numbers of
 * them, so that a million need no million objects.
 */
export class CorpusBuilder {
  readonly #asOfMs: number
  readonly #vocabulary: Vocabulary
  readonly #items = new Map<string, number>()
  readonly #places = new Map<string, number>()
  readonly #ids = bytes()
  readonly #idStart = ints()
  readonly #priceCents = floats()
  readonly #recency = floats()
  readonly #category = bytes()
  readonly #market = bytes()
  readonly #item = shorts()
  readonly #place = ints()
  readonly #year = shorts()
  readonly #make = shorts()
  readonly #surfaceStart = ints()
  readonly #surface = ints()
  #last: Pick<Sale, 'id' | 'sold_at_ms'> = { id: '', sold_at_ms: Number.POSITIVE_INFINITY }

  constructor(asOfMs: number) {
    this.#asOfMs = asOfMs
    this.#vocabulary = new Vocabulary(asOfMs)
    this.#idStart.push(0)
    this.#surfaceStart.push(0)
  }

  /** @throws RangeError when the sales do not come in their order: the result would depend on it. */
  add({ id, title, category, item = null, zip = null, final_bid_cents, sold_at_ms }: Sale): void {
    const last = this.#last
    if (sold_at_ms > last.sold_at_ms || (sold_at_ms === last.sold_at_ms && id < last.id))
      throw new RangeError(`The sale ${id} comes after one that is older.`)
    this.#last = { id, sold_at_ms }
    this.#ids.pushText(id)
    this.#idStart.push(this.#ids.length)
    this.#priceCents.push(final_bid_cents)
    this.#recency.push(recencyAt(this.#asOfMs, sold_at_ms))
    this.#category.push(CATEGORIES.indexOf(category))
    this.#market.push(CATEGORIES.indexOf(pricedAs(category, title)))
    this.#item.push(numberOf(this.#items, item))
    this.#place.push(numberOf(this.#places, zip && placeOf(zip)))
    const { year, make } = this.#vocabulary.learnTitle(title, word => this.#surface.push(word))
    this.#year.push(year)
    this.#make.push(make)
    this.#surfaceStart.push(this.#surface.length)
  }

  finish(): Corpus {
    const columns = {
      ids: this.#ids.toShared(),
      idStart: this.#idStart.toShared(),
      priceCents: this.#priceCents.toShared(),
      recency: this.#recency.toShared(),
      category: this.#category.toShared(),
      market: this.#market.toShared(),
      item: this.#item.toShared(),
      place: this.#place.toShared(),
      year: this.#year.toShared(),
      make: this.#make.toShared(),
      surfaceStart: this.#surfaceStart.toShared(),
      surface: this.#surface.toShared(),
    }
    const itemNames = [...this.#items.keys()]
    const placeNames = [...this.#places.keys()]
    return corpusOf(columns, this.#vocabulary, { itemNames, placeNames, asOfMs: this.#asOfMs })
  }
}

/** Five digits: what may follow (ZIP+4) is a side of a street. */
function placeOf(zip: string): string {
  return zip.slice(0, 5)
}

function numberOf(numbers: Map<string, number>, name: string | null): number {
  if (name === null) return -1
  const number = numbers.get(name) ?? numbers.size
  numbers.set(name, number)
  return number
}

/** What a moment counts beside `asOfMs`: 1 for the same, halved by every 90 days. */
export function recencyAt(asOfMs: number, ms: number): number {
  return 0.5 ** ((asOfMs - ms) / DAY_MS / RECENCY_HALF_LIFE_DAYS)
}

/** A corpus of its columns and its words. */
export function corpusOf(
  columns: CorpusColumns,
  vocabulary: Vocabulary,
  { itemNames, placeNames, asOfMs }: Pick<Corpus, 'itemNames' | 'placeNames' | 'asOfMs'>,
): Corpus {
  const { ids, idStart } = columns
  const items = new Map(itemNames.map((name, n) => [name, n]))
  const places = new Map(placeNames.map((name, n) => [name, n]))
  return {
    ...columns,
    count: columns.priceCents.length,
    logPrice: columns.priceCents.map(Math.log),
    asOfMs,
    itemNames,
    placeNames,
    words: [...vocabulary.words()],
    comparedAs: Int32Array.from(vocabulary.comparedAs),
    comparedWords: vocabulary.comparedWords,
    idOf: position => textIn(ids, idStart[position]!, idStart[position + 1]!),
    itemNumber: item => items.get(item ?? '') ?? -1,
    placeNumber: zip => (zip ? places.get(placeOf(zip)) : undefined) ?? -1,
    readTitle: title => vocabulary.readTitle(title),
  }
}

/** Written out: a view of the bytes that is spread into an array takes five times as long. */
function textIn(ascii: Uint8Array, start: number, end: number): string {
  let text = ''
  for (let at = start; at < end; at++) text += String.fromCharCode(ascii[at]!)
  return text
}
