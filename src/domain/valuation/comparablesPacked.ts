import { indexOf, type SalesIndex, type UnsoldCounts } from './comparables.ts'
import type { CorpusColumns } from './comparablesCorpus.ts'
import { corpusOf } from './comparablesCorpusBuilder.ts'
import type { Documents } from './comparablesDocuments.ts'
import { Vocabulary } from './comparablesVocabulary.ts'

/** An index as plain columns of numbers, which can be stored, and which threads can share without a copy. */
export interface PackedIndex {
  asOfMs: number
  unsoldCounts: UnsoldCounts
  itemNames: readonly string[]
  /** The words as written, in the order of their numbers. */
  words: readonly string[]
  corpus: CorpusColumns
  documents: Documents
}

export function packIndex({ corpus, documents, unsoldCounts }: SalesIndex): PackedIndex {
  const { ids, idStart, priceCents, recency, category, market, item, year, make, surfaceStart, surface } =
    corpus
  return {
    asOfMs: corpus.asOfMs,
    unsoldCounts,
    itemNames: corpus.itemNames,
    words: corpus.words,
    corpus: {
      ids,
      idStart,
      priceCents,
      recency,
      category,
      market,
      item,
      year,
      make,
      surfaceStart,
      surface,
    },
    documents,
  }
}

/** The index that was packed: it gives the same answers, to the last digit. */
export function unpackIndex({
  asOfMs,
  unsoldCounts,
  itemNames,
  words,
  corpus,
  documents,
}: PackedIndex): SalesIndex {
  const vocabulary = new Vocabulary(asOfMs)
  for (const word of words) vocabulary.learn(word)
  return indexOf(corpusOf(corpus, vocabulary, itemNames, asOfMs), documents, unsoldCounts)
}
