import type { Corpus } from './comparables/corpus.ts'
import type { Documents } from './comparables/documents.ts'

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
function weightOf(similarity: number, recency: number): number {
  return similarity * similarity * similarity * recency
}

const MOST_COMPARABLES = 25
/** What is not more similar than this is no comparable. */
export const LEAST_SIMILARITY = 0.2

/** The sales that have most to say so far, heaviest first. */
export class BestComparables {
  /** One more than asked for, because the lot itself may be among the sales. */
  readonly #position = new Int32Array(MOST_COMPARABLES + 1)
  readonly #similarity = new Float64Array(MOST_COMPARABLES + 1)
  readonly #weight = new Float64Array(MOST_COMPARABLES + 1)
  #count = 0

  /** Whether a sale of this similarity and recency could be among the best. */
  wants(similarity: number, recency: number): boolean {
    return similarity > LEAST_SIMILARITY && weightOf(similarity, recency) > this.#weight[MOST_COMPARABLES]!
  }

  /** Takes the sales of a document, newest first, until one is too light. */
  offer(
    similarity: number,
    doc: number,
    { newest, saleStart, saleAt }: Documents,
    recencyOf: Float64Array,
  ): void {
    if (!this.wants(similarity, newest[doc]!)) return
    for (let i = saleStart[doc]!; i < saleStart[doc + 1]!; i++) {
      const recency = recencyOf[saleAt[i]!]!
      if (!this.wants(similarity, recency)) return
      this.#insert(saleAt[i]!, similarity, weightOf(similarity, recency))
    }
  }

  #insert(position: number, similarity: number, weight: number): void {
    let place = Math.min(this.#count, MOST_COMPARABLES)
    for (; place > 0 && this.#weight[place - 1]! < weight; place--) {
      this.#position[place] = this.#position[place - 1]!
      this.#similarity[place] = this.#similarity[place - 1]!
      this.#weight[place] = this.#weight[place - 1]!
    }
    this.#position[place] = position
    this.#similarity[place] = similarity
    this.#weight[place] = weight
    this.#count = Math.min(this.#count + 1, MOST_COMPARABLES + 1)
  }

  /** All but the lot itself, most similar first. */
  without(lotId: string, { idOf, recency }: Corpus): Comparable[] {
    const found: Comparable[] = []
    for (let place = 0; place < this.#count && found.length < MOST_COMPARABLES; place++) {
      const position = this.#position[place]!
      const id = idOf(position)
      if (id === lotId) continue
      const [similarity, weight] = [this.#similarity[place]!, this.#weight[place]!]
      found.push({ position, id, similarity, recency: recency[position]!, weight })
    }
    return found.sort((a, b) => b.similarity - a.similarity || a.position - b.position)
  }
}
