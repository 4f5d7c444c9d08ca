import { CATEGORIES, pricedAs } from '../../titles/categories.ts'
import { type Corpus, corpusOf, isInWindow, placeOf, recencyAt, type Sale } from './corpus.ts'
import { Vocabulary } from './vocabulary.ts'

/** Builds a corpus sale by sale and keeps only numbers, so a million sales need no million objects. */
export class CorpusBuilder {
  readonly #asOfMs: number
  readonly #vocabulary: Vocabulary
  readonly #items = new Map<string, number>()
  readonly #places = new Map<string, number>()
  readonly #ids: string[] = []
  readonly #idStart = [0]
  readonly #priceCents: number[] = []
  readonly #recency: number[] = []
  readonly #category: number[] = []
  readonly #market: number[] = []
  readonly #item: number[] = []
  readonly #place: number[] = []
  readonly #year: number[] = []
  readonly #make: number[] = []
  readonly #surfaceStart = [0]
  readonly #surface: number[] = []
  #last: Pick<Sale, 'id' | 'sold_at_ms'> = { id: '', sold_at_ms: Number.POSITIVE_INFINITY }

  constructor(asOfMs: number) {
    this.#asOfMs = asOfMs
    this.#vocabulary = new Vocabulary(asOfMs)
  }

  /**
   * Adds a sale. Sales must come newest first, those of one moment by id.
   * @throws RangeError for another order, because the result would depend on it.
   */
  add({ id, title, category, item = null, zip = null, final_bid_cents, sold_at_ms }: Sale): void {
    const last = this.#last
    if (sold_at_ms > last.sold_at_ms || (sold_at_ms === last.sold_at_ms && id < last.id))
      throw new RangeError(`The sale ${id} comes after one that is older.`)
    this.#last = { id, sold_at_ms }
    this.#ids.push(id)
    this.#idStart.push(this.#idStart.at(-1)! + id.length)
    this.#priceCents.push(final_bid_cents)
    this.#recency.push(recencyAt(this.#asOfMs, sold_at_ms))
    this.#category.push(CATEGORIES.indexOf(category))
    this.#market.push(CATEGORIES.indexOf(pricedAs(category, title)))
    this.#item.push(numberOf(this.#items, item))
    this.#place.push(numberOf(this.#places, zip && placeOf(zip)))
    const { year, make } = this.#vocabulary.learnTitle(title, this.#surface)
    this.#year.push(year)
    this.#make.push(make)
    this.#surfaceStart.push(this.#surface.length)
  }

  finish(): Corpus {
    const data = {
      asOfMs: this.#asOfMs,
      itemNames: [...this.#items.keys()],
      placeNames: [...this.#places.keys()],
      words: [...this.#vocabulary.words()],
      ids: this.#ids.join(''),
      idStart: new Int32Array(this.#idStart),
      priceCents: new Float64Array(this.#priceCents),
      recency: new Float64Array(this.#recency),
      category: new Uint8Array(this.#category),
      market: new Uint8Array(this.#market),
      item: new Int16Array(this.#item),
      place: new Int32Array(this.#place),
      year: new Int16Array(this.#year),
      make: new Int16Array(this.#make),
      surfaceStart: new Int32Array(this.#surfaceStart),
      surface: new Int32Array(this.#surface),
    }
    return corpusOf(data, this.#vocabulary)
  }
}

function numberOf(numbers: Map<string, number>, name: string | null): number {
  if (name === null) return -1
  const number = numbers.get(name) ?? numbers.size
  numbers.set(name, number)
  return number
}

/** The sales of the 365 days before `asOfMs` that have a price, in the order that `CorpusBuilder` needs. */
export function salesInWindow(sales: readonly Sale[], asOfMs: number): Sale[] {
  return sales
    .filter(sale => sale.final_bid_cents > 0 && isInWindow(sale.sold_at_ms, asOfMs))
    .sort((a, b) => b.sold_at_ms - a.sold_at_ms || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
}

/** Builds a corpus from the sales of the window, in any order. */
export function buildCorpus(sales: readonly Sale[], asOfMs: number): Corpus {
  const builder = new CorpusBuilder(asOfMs)
  for (const sale of salesInWindow(sales, asOfMs)) builder.add(sale)
  return builder.finish()
}
