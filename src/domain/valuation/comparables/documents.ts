import type { SaleColumns } from './saleColumns.ts'
import { numberOf } from './vocabulary.ts'

/**
 * The sales grouped by title (same words, same model year, same make, same
 * number of pieces), with an inverted index. Documents are numbered by their
 * newest sale, newest first, so the start of every posting list is its most
 * recent part.
 */
export interface Documents {
  /**
   * Weight of a word: rare words count more. ln(1 + N / (n + 1/2)), counted
   * over sales, not over distinct titles. The last entry stands for unknown
   * words.
   */
  idf: Float64Array
  /** Length of a document's vector of weights. */
  norm: Float64Array
  year: Int32Array
  make: Int32Array
  pieces: Int32Array
  /**
   * The words of document d are `words[wordStart[d]]` to `words[wordStart[d +
   * 1] - 1]`; the next two pairs work the same.
   */
  wordStart: Int32Array
  words: Int32Array
  /** The documents that have a word. */
  postingStart: Int32Array
  postings: Int32Array
  /** The sales of a document. */
  saleStart: Int32Array
  saleAt: Int32Array
}

/** Groups the sales of a columns into documents. */
export function buildDocuments(columns: SaleColumns): Documents {
  const { documentOf, firstSale, words, wordStart } = groupSales(columns)
  const wordsOf = (doc: number) =>
    words.subarray(wordStart[doc], wordStart[doc + 1])
  const salesWithWord = new Float64Array(columns.comparedWords + 1)
  for (const doc of documentOf)
    for (const word of wordsOf(doc)) salesWithWord[word]! += 1
  const idf = salesWithWord.map(sales =>
    Math.log(1 + columns.inWindow / (sales + 0.5)),
  )
  const lengthOf = (doc: number) =>
    Math.sqrt(wordsOf(doc).reduce((sum, word) => sum + idf[word]! ** 2, 0))
  const wordOwner = new Int32Array(words.length)
  for (const doc of firstSale.keys())
    wordOwner.fill(doc, wordStart[doc], wordStart[doc + 1])
  const postings = listsByKey(words, columns.comparedWords, n => wordOwner[n]!)
  const salesOf = listsByKey(documentOf, firstSale.length, n => n)
  return {
    idf,
    norm: Float64Array.from(firstSale, (_, doc) => lengthOf(doc)),
    year: Int32Array.from(firstSale, sale => columns.year[sale]!),
    make: Int32Array.from(firstSale, sale => columns.make[sale]!),
    pieces: Int32Array.from(firstSale, sale => columns.pieces[sale]!),
    wordStart,
    words,
    postingStart: postings.start,
    postings: postings.values,
    saleStart: salesOf.start,
    saleAt: salesOf.values,
  }
}

/**
 * Counting sort: for each key, the `entryOf(n)` of the positions n that have
 * it, in order.
 */
function listsByKey(
  keys: Int32Array,
  keyCount: number,
  entryOf: (n: number) => number,
) {
  const start = new Int32Array(keyCount + 1)
  for (const key of keys) start[key + 1]! += 1
  for (let key = 0; key < keyCount; key++) start[key + 1]! += start[key]!
  const next = start.slice()
  const values = new Int32Array(keys.length)
  for (let n = 0; n < keys.length; n++) values[next[keys[n]!]!++] = entryOf(n)
  return { start, values }
}

/**
 * Groups the sales of the window by words, model year, make and pieces.
 * Documents are numbered by their first sale.
 */
function groupSales(columns: SaleColumns) {
  const documents = new Map<string, number>()
  const documentOf = new Int32Array(columns.inWindow)
  const firstSale: number[] = []
  const words: number[] = []
  const wordStart = [0]
  for (let sale = 0; sale < columns.inWindow; sale++) {
    const own = comparedWordsOf(columns, sale)
    const title = `${columns.year[sale]} ${columns.make[sale]} ${columns.pieces[sale]} ${own.join(' ')}`
    const doc = numberOf(documents, title)
    documentOf[sale] = doc
    if (doc < firstSale.length) continue
    firstSale.push(sale)
    words.push(...own)
    wordStart.push(words.length)
  }
  return {
    documentOf,
    firstSale,
    words: Int32Array.from(words),
    wordStart: Int32Array.from(wordStart),
  }
}

/**
 * The numbers of the words that a sale is compared by, ascending, each once.
 */
function comparedWordsOf(
  { surface, surfaceStart, comparedAs }: SaleColumns,
  sale: number,
) {
  const own = surface.subarray(surfaceStart[sale], surfaceStart[sale + 1])
  const compared = new Set(Array.from(own, word => comparedAs[word]!))
  compared.delete(-1)
  return [...compared].sort((a, b) => a - b)
}
