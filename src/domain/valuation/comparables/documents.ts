import type { Corpus } from './corpus.ts'

/**
 * The sales grouped by title (same words, same model year, same make), with an inverted index. Documents are numbered by their
 * newest sale, newest first, so the start of every posting list is its most recent part.
 */
export interface Documents {
  /** Weight of a word: rare words count more. The last entry stands for unknown words. */
  idf: Float64Array
  /** Length of a document's vector of weights. */
  norm: Float64Array
  /** Recency of a document's newest sale; it falls from document to document. */
  newest: Float64Array
  year: Int32Array
  make: Int32Array
  /** The words of document d are `words[wordStart[d]]` to `words[wordStart[d + 1] - 1]`; the next two pairs work the same. */
  wordStart: Int32Array
  words: Int32Array
  /** The documents that have a word. */
  postingStart: Int32Array
  postings: Int32Array
  /** The sales of a document. */
  saleStart: Int32Array
  saleAt: Int32Array
}

/** Groups the sales of a corpus into documents. */
export function buildDocuments(corpus: Corpus): Documents {
  const { documentOf, firstSale, words, wordStart } = groupSales(corpus)
  const count = firstSale.length
  const idf = weigh(corpus, documentOf, wordStart, words)
  const norm = new Float64Array(count)
  for (let doc = 0; doc < count; doc++) {
    let sum = 0
    for (let i = wordStart[doc]!; i < wordStart[doc + 1]!; i++) sum += idf[words[i]!]! ** 2
    norm[doc] = Math.sqrt(sum)
  }
  const wordOwner = new Int32Array(words.length)
  for (let doc = 0; doc < count; doc++) wordOwner.fill(doc, wordStart[doc], wordStart[doc + 1])
  const postings = listsByKey(words, corpus.comparedWords, n => wordOwner[n]!)
  const salesOf = listsByKey(documentOf, count, n => n)
  return {
    idf,
    norm,
    newest: Float64Array.from(firstSale, sale => corpus.recency[sale]!),
    year: Int32Array.from(firstSale, sale => corpus.year[sale]!),
    make: Int32Array.from(firstSale, sale => corpus.make[sale]!),
    wordStart,
    words,
    postingStart: postings.start,
    postings: postings.values,
    saleStart: salesOf.start,
    saleAt: salesOf.values,
  }
}

/** Inverse document frequency, ln(1 + N / (n + 1/2)), counted over sales, not over distinct titles. */
function weigh(
  corpus: Corpus,
  documentOf: Int32Array,
  wordStart: Int32Array,
  words: Int32Array,
): Float64Array {
  const idf = new Float64Array(corpus.comparedWords + 1)
  for (const doc of documentOf) {
    for (let i = wordStart[doc]!; i < wordStart[doc + 1]!; i++) idf[words[i]!]! += 1
  }
  for (let word = 0; word < idf.length; word++) idf[word] = Math.log(1 + corpus.count / (idf[word]! + 0.5))
  return idf
}

/** Counting sort: for each key, the `entryOf(n)` of the positions n that have it, in order. */
function listsByKey(keys: Int32Array, keyCount: number, entryOf: (n: number) => number) {
  const start = new Int32Array(keyCount + 1)
  for (const key of keys) start[key + 1]! += 1
  for (let key = 0; key < keyCount; key++) start[key + 1]! += start[key]!
  const next = start.slice()
  const values = new Int32Array(keys.length)
  for (let n = 0; n < keys.length; n++) values[next[keys[n]!]!++] = entryOf(n)
  return { start, values }
}

interface Groups {
  /** The document of each sale. Documents are numbered by their first sale. */
  documentOf: Int32Array
  firstSale: Int32Array
  wordStart: Int32Array
  words: Int32Array
}

/** Groups sales with an open-addressing hash table of numbers: three times as fast as a Map with text keys. */
function groupSales(corpus: Corpus): Groups {
  const { count, year, make } = corpus
  const documentOf = new Int32Array(count)
  const firstSale: number[] = []
  const words: number[] = []
  const wordStart = [0]
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(count * 2 + 2))).fill(-1)
  const own: number[] = []
  const isSame = (sale: number, doc: number) => {
    const first = firstSale[doc]!
    if (year[first] !== year[sale] || make[first] !== make[sale]) return false
    const start = wordStart[doc]!
    return wordStart[doc + 1]! - start === own.length && own.every((word, i) => words[start + i] === word)
  }
  for (let sale = 0; sale < count; sale++) {
    readWords(corpus, sale, own)
    let slot = hashOf(own, year[sale]!, make[sale]!) & (slots.length - 1)
    while (slots[slot] !== -1 && !isSame(sale, slots[slot]!)) slot = (slot + 1) & (slots.length - 1)
    if (slots[slot] === -1) {
      slots[slot] = firstSale.length
      firstSale.push(sale)
      for (const word of own) words.push(word)
      wordStart.push(words.length)
    }
    documentOf[sale] = slots[slot]!
  }
  return {
    documentOf,
    firstSale: new Int32Array(firstSale),
    words: new Int32Array(words),
    wordStart: new Int32Array(wordStart),
  }
}

/** Fills `own` with the numbers of the words that a sale is compared by, ascending, each once. */
function readWords({ surface, surfaceStart, comparedAs }: Corpus, sale: number, own: number[]): void {
  own.length = 0
  for (let i = surfaceStart[sale]!; i < surfaceStart[sale + 1]!; i++) {
    const word = comparedAs[surface[i]!]!
    if (word < 0) continue
    let place = own.length
    while (place > 0 && own[place - 1]! > word) place--
    if (own[place - 1] !== word) own.splice(place, 0, word)
  }
}

/** FNV-1a over whole numbers. */
function hashOf(words: readonly number[], year: number, make: number): number {
  let hash = Math.imul(0x811c9dc5 ^ year, 0x01000193)
  hash = Math.imul(hash ^ make, 0x01000193)
  for (const word of words) {
    hash = Math.imul(hash ^ word, 0x01000193)
    hash ^= hash >>> 15
  }
  return hash >>> 0
}
