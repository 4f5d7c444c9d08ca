import { type Category, pricedAs } from './categories.ts'
import type { Corpus } from './comparablesCorpus.ts'
import type { Documents } from './comparablesDocuments.ts'
import { modelYearLikeness } from './vehicles.ts'

/** A past sale that is like a lot. */
export interface Comparable {
  /** Position of the sale in the index. */
  position: number
  id: string
  /**
   * Above 0.2, up to 1: the share of their words that two titles have in common, rare words counting more (cosine), less a
   * tenth for each model year between them, a fifth when only one names its year.
   */
  similarity: number
  /** 1 for a sale of this moment, halved by every 90 days. */
  recency: number
  /** similarity³ · recency: its say in the estimate. */
  weight: number
}

/** How much a sale has to say about a lot. The cube lets an old sale of the same thing outweigh a fresh one of something else. */
export function weightOf(similarity: number, recency: number): number {
  return similarity * similarity * similarity * recency
}

/** What is looked for. */
export interface Wanted {
  id: string
  title: string
  category: Category
}

const MOST_COMPARABLES = 25
const LEAST_SIMILARITY = 0.2
/**
 * How many entries of posting lists are read for one lot at most. Rare words come first, and of each word its newest
 * sales, so only old sales of common words are ever left out (measured on a million sales: 1,300 are read on average).
 */
const POSTINGS_PER_LOT = 10_000

/** Finds the comparables of one lot after the other. Holds scratch space of its own. */
export function nearestFinder(corpus: Corpus, documents: Documents): (lot: Wanted) => Comparable[] {
  const { idf, norm, newest, postings, postingStart } = documents
  const lastTurn = new Int32Array(documents.count)
  const share = new Float64Array(corpus.comparedWords)
  let turn = 0
  return lot => {
    turn += 1
    const best = new Best(corpus, lot.id)
    const { words, likeness } = readLot(corpus, documents, lot, share)
    let unseen = words.reduce((sum, word) => sum + share[word]! ** 2, 0)
    let budget = POSTINGS_PER_LOT
    for (const word of words) {
      // A document that shares no rarer word than this one cannot be more similar (Cauchy-Schwarz).
      const reach = Math.sqrt(Math.max(0, unseen))
      if (reach <= LEAST_SIMILARITY) break
      unseen -= share[word]! ** 2
      const rest = Math.sqrt(Math.max(0, unseen))
      const end = postingStart[word + 1]!
      for (let i = postingStart[word]!; i < end && budget > 0; i++, budget--) {
        const doc = postings[i]!
        // The documents that follow are older still.
        if (!best.wants(reach, newest[doc]!)) break
        if (lastTurn[doc] === turn) continue
        lastTurn[doc] = turn
        const own = Math.min(1, idf[word]! / norm[doc]!)
        const like = likeness(doc)
        const atBest = like * (share[word]! * own + rest * Math.sqrt(1 - own * own))
        if (best.wants(atBest, newest[doc]!)) best.offer(like * cosine(documents, doc, share), documents, doc)
      }
    }
    for (const word of words) share[word] = 0
    return best.mostSimilarFirst()
  }
}

/**
 * The lot's words that some sale has, rarest first, their shares of its title in `share`, and how far model year and
 * make let it be compared with a document (0: not at all).
 */
function readLot(
  corpus: Corpus,
  { idf, year: years, make: makes }: Documents,
  lot: Wanted,
  share: Float64Array,
) {
  const { compared, year, make } = corpus.readTitle(lot.title)
  const idfOf = (word: number) => idf[Math.min(word, corpus.comparedWords)]!
  const length = Math.sqrt(compared.reduce((sum, word) => sum + idfOf(word) ** 2, 0))
  const words = compared
    .filter(word => word < corpus.comparedWords)
    .sort((a, b) => idfOf(b) - idfOf(a) || a - b)
  for (const word of words) share[word] = idfOf(word) / length
  const isVehicle = make >= 0 && pricedAs(lot.category, lot.title) === 'vehicles'
  const likeness = (doc: number) => {
    const otherMake = isVehicle && makes[doc] !== -1 && makes[doc] !== make
    return otherMake ? 0 : modelYearLikeness(year || null, years[doc] || null)
  }
  return { words, likeness }
}

function cosine(documents: Documents, doc: number, share: Float64Array): number {
  let shared = 0
  for (let i = documents.wordStart[doc]!; i < documents.wordStart[doc + 1]!; i++) {
    const word = documents.words[i]!
    shared += share[word]! * documents.idf[word]!
  }
  return Math.min(1, shared / documents.norm[doc]!)
}

/** The comparables that have most to say so far, heaviest first. */
class Best {
  readonly #corpus: Corpus
  readonly #lotId: string
  readonly #found: Comparable[] = []
  /** What does not weigh more than this is not among the best. */
  #threshold = 0

  constructor(corpus: Corpus, lotId: string) {
    this.#corpus = corpus
    this.#lotId = lotId
  }

  /** Whether a sale of this similarity and recency could be among the best. */
  wants(similarity: number, recency: number): boolean {
    return similarity > LEAST_SIMILARITY && weightOf(similarity, recency) > this.#threshold
  }

  /** Takes the sales of a document, newest first, until one is too light. */
  offer(similarity: number, documents: Documents, doc: number): void {
    for (let i = documents.saleStart[doc]!; i < documents.saleStart[doc + 1]!; i++) {
      const position = documents.saleAt[i]!
      const recency = this.#corpus.recency[position]!
      if (!this.wants(similarity, recency)) return
      const id = this.#corpus.sales[position]!.id
      const weight = weightOf(similarity, recency)
      if (id !== this.#lotId) this.#insert({ position, id, similarity, recency, weight })
    }
  }

  #insert(comparable: Comparable): void {
    const found = this.#found
    let place = found.length
    while (place > 0 && found[place - 1]!.weight < comparable.weight) place -= 1
    found.splice(place, 0, comparable)
    if (found.length > MOST_COMPARABLES) found.pop()
    if (found.length === MOST_COMPARABLES) this.#threshold = found[MOST_COMPARABLES - 1]!.weight
  }

  mostSimilarFirst(): Comparable[] {
    return this.#found.sort((a, b) => b.similarity - a.similarity || a.position - b.position)
  }
}
