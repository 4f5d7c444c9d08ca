import type { Corpus } from './comparablesCorpus.ts'

/**
 * The sales grouped by what their titles compare as (same words, same model year), with an inverted index. Documents are
 * numbered by their newest sale, newest first, so the head of every posting list is its most recent part.
 */
export interface Documents {
  count: number
  /** Weight of a word: the rarer, the more two titles that share it are alike. Index `idf.length - 1` stands for unknown words. */
  idf: Float64Array
  /** Length of a document's vector of weights. */
  norm: Float64Array
  /** Recency of a document's newest sale; it falls from document to document. */
  newest: Float64Array
  year: Int16Array
  make: Int8Array
  wordStart: Int32Array
  words: Int32Array
  postingStart: Int32Array
  postings: Int32Array
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
    count,
    idf,
    norm,
    newest: Float64Array.from(firstSale, sale => corpus.recency[sale]!),
    year: Int16Array.from(firstSale, sale => corpus.year[sale]!),
    make: Int8Array.from(firstSale, sale => corpus.make[sale]!),
    wordStart,
    words,
    postingStart: postings.start,
    postings: postings.values,
    saleStart: salesOf.start,
    saleAt: salesOf.values,
  }
}

function groupSales(corpus: Corpus) {
  const documentByKey = new Map<string, number>()
  const documentOf = new Int32Array(corpus.sales.length)
  const firstSale: number[] = []
  const words: number[] = []
  const wordStart = [0]
  for (let n = 0; n < corpus.sales.length; n++) {
    const compared = new Set<number>()
    for (let i = corpus.surfaceStart[n]!; i < corpus.surfaceStart[n + 1]!; i++) {
      const word = corpus.comparedAs[corpus.surface[i]!]!
      if (word >= 0) compared.add(word)
    }
    const sorted = Int32Array.from(compared).sort()
    const key = `${sorted.join()};${corpus.year[n]};${corpus.make[n]}`
    let doc = documentByKey.get(key)
    if (doc === undefined) {
      doc = firstSale.length
      documentByKey.set(key, doc)
      firstSale.push(n)
      for (const word of sorted) words.push(word)
      wordStart.push(words.length)
    }
    documentOf[n] = doc
  }
  return { documentOf, firstSale, words: Int32Array.from(words), wordStart: Int32Array.from(wordStart) }
}

/** Inverse document frequency, ln(1 + N / (n + 1/2)), over sales (not over distinct titles). */
function weigh(
  corpus: Corpus,
  documentOf: Int32Array,
  wordStart: Int32Array,
  words: Int32Array,
): Float64Array {
  const salesWith = new Float64Array(corpus.comparedWords + 1)
  for (const doc of documentOf) {
    for (let i = wordStart[doc]!; i < wordStart[doc + 1]!; i++) salesWith[words[i]!]! += 1
  }
  return salesWith.map(count => Math.log(1 + corpus.sales.length / (count + 0.5)))
}

/** Counting sort: for each key the `entryOf(n)` of the positions n that have it, in their order. */
function listsByKey(keys: Int32Array, keyCount: number, entryOf: (n: number) => number) {
  const start = new Int32Array(keyCount + 1)
  for (const key of keys) start[key + 1]! += 1
  for (let key = 0; key < keyCount; key++) start[key + 1]! += start[key]!
  const next = start.slice()
  const values = new Int32Array(keys.length)
  for (let n = 0; n < keys.length; n++) values[next[keys[n]!]!++] = entryOf(n)
  return { start, values }
}
