import type { CorpusColumns } from './comparables/corpus.ts'
import { corpusOf } from './comparables/corpusBuilder.ts'
import type { Documents } from './comparables/documents.ts'
import { Vocabulary } from './comparables/vocabulary.ts'
import { indexOf, type UnsoldCounts } from './salesIndex.ts'
import type { AppraisalIndex, Lessons } from './trainedIndex.ts'

/** An index as plain columns of numbers, which can be stored, and which threads can share without a copy. */
export interface PackedIndex {
  asOfMs: number
  unsoldCounts: UnsoldCounts
  itemNames: readonly string[]
  placeNames: readonly string[]
  /** The words as written, in the order of their numbers. */
  words: readonly string[]
  corpus: CorpusColumns
  documents: Documents
  lessons: Lessons
}

export function packIndex({ corpus, documents, lessons, unsoldCounts }: AppraisalIndex): PackedIndex {
  const { asOfMs, itemNames, placeNames, words } = corpus
  const { ids, idStart, priceCents, recency, category, market, item, place, year, make } = corpus
  const { surfaceStart, surface } = corpus
  return {
    asOfMs,
    unsoldCounts,
    itemNames,
    placeNames,
    words,
    corpus: {
      ids,
      idStart,
      priceCents,
      recency,
      category,
      market,
      item,
      place,
      year,
      make,
      surfaceStart,
      surface,
    },
    documents,
    lessons,
  }
}

/** The index that was packed: it gives the same answers, to the last digit. */
export function unpackIndex({
  words,
  corpus,
  documents,
  lessons,
  unsoldCounts,
  ...told
}: PackedIndex): AppraisalIndex {
  const vocabulary = new Vocabulary(told.asOfMs)
  for (const word of words) vocabulary.learn(word)
  return { ...indexOf(corpusOf(corpus, vocabulary, told), documents, unsoldCounts), lessons }
}
