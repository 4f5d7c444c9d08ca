import { groupSales } from '../comparablesGroups.ts'
import type { Corpus } from './corpus.ts'
import { sharedFloats, sharedInts } from './growingColumn.ts'

/**
 * The sales grouped by what their titles compare as (same words, same model year), with an inverted index. Documents are
 * numbered by their newest sale, newest first, so the head of every posting list is its most recent part.
 */
export interface Documents {
  /** Weight of a word: the rarer, the more two titles that share it are alike. Index `idf.length - 1` stands for unknown words. */
  idf: Float64Array
  /** Length of a document's vector of weights. */
  norm: Float64Array
  /** Recency of a document's newest sale; it falls from document to document. */
  newest: Float64Array
  year: Int32Array
  make: Int32Array
  wordStart: Int32Array
  words: Int32Array
  postingStart: Int32Array
  postings: Int32Array
  saleStart: Int32Array
  saleAt: Int32Array
}

/** Groups the sales of a corpus into documents. All in memory that threads can share. */
export function buildDocuments(corpus: Corpus): Documents {
  const { documentOf, firstSale, words, wordStart } = groupSales(corpus)
  const count = firstSale.length
  const idf = weigh(corpus, documentOf, wordStart, words)
  const norm = sharedFloats(count)
  for (let doc = 0; doc < count; doc++) {
    let sum = 0
    for (let i = wordStart[doc]!; i < wordStart[doc + 1]!; i++) sum += idf[words[i]!]! ** 2
    norm[doc] = Math.sqrt(sum)
  }
  const wordOwner = new Int32Array(words.length)
  for (let doc = 0; doc < count; doc++) wordOwner.fill(doc, wordStart[doc], wordStart[doc + 1])
  const postings = listsByKey(words, corpus.comparedWords, n => wordOwner[n]!)
  const salesOf = listsByKey(documentOf, count, n => n)
  const newest = sharedFloats(count)
  const year = sharedInts(count)
  const make = sharedInts(count)
  for (let doc = 0; doc < count; doc++) {
    newest[doc] = corpus.recency[firstSale[doc]!]!
    year[doc] = corpus.year[firstSale[doc]!]!
    make[doc] = corpus.make[firstSale[doc]!]!
  }
  return {
    idf,
    norm,
    newest,
    year,
    make,
    wordStart,
    words,
    postingStart: postings.start,
    postings: postings.values,
    saleStart: salesOf.start,
    saleAt: salesOf.values,
  }
}

/** Inverse document frequency, ln(1 + N / (n + 1/2)), over sales (not over distinct titles). */
function weigh(
  corpus: Corpus,
  documentOf: Int32Array,
  wordStart: Int32Array,
  words: Int32Array,
): Float64Array {
  const idf = sharedFloats(corpus.comparedWords + 1)
  for (const doc of documentOf) {
    for (let i = wordStart[doc]!; i < wordStart[doc + 1]!; i++) idf[words[i]!]! += 1
  }
  for (let word = 0; word < idf.length; word++) idf[word] = Math.log(1 + corpus.count / (idf[word]! + 0.5))
  return idf
}

/** Counting sort: for each key the `entryOf(n)` of the positions n that have it, in their order. */
function listsByKey(keys: Int32Array, keyCount: number, entryOf: (n: number) => number) {
  const start = sharedInts(keyCount + 1)
  for (const key of keys) start[key + 1]! += 1
  for (let key = 0; key < keyCount; key++) start[key + 1]! += start[key]!
  const next = start.slice()
  const values = sharedInts(keys.length)
  for (let n = 0; n < keys.length; n++) values[next[keys[n]!]!++] = entryOf(n)
  return { start, values }
}
