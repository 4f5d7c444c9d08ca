import { CATEGORIES, headNoun, pricedAs } from '../../titles/categories.ts'
import { modelYearLikeness } from '../../titles/titleWords.ts'
import { isPoor } from '../lotFacts.ts'
import type { LotToValue } from '../lotToValue.ts'
import type { Documents } from './documents.ts'
import type { SaleColumns } from './saleColumns.ts'
import { LAST_MAKE } from './vocabulary.ts'

/** A past sale that is similar to a lot. */
export interface Comparable {
  /** Position of the sale in the columns. */
  position: number
  id: string
  /**
   * Above 0.2, at most 1: the cosine of the two titles' word weights, less a
   * tenth for each model year between them, or a fifth when only one names its
   * year, times the ratio of their pieces, and times 0.7 when the sale lacks
   * the noun that names the lot.
   */
  similarity: number
}

const MOST_COMPARABLES = 25
/** A sale must be more similar than this to be a comparable. */
const LEAST_SIMILARITY = 0.2
/**
 * A sale of another market is one of the very same thing from this similarity
 * on, but never one of a machine: a forklift battery.
 */
const SAME_THING = 0.6
const HEAVY = CATEGORIES.indexOf('heavy-equipment')

/**
 * Posting entries read per lot at most. Rare words come first, and of each word
 * its newest sales, so the limit only drops old sales of common words (measured
 * on a million sales: 2,000 entries on average, and 4 % of the lots reach the
 * limit).
 */
const POSTINGS_PER_LOT = 10_000

/**
 * Returns a function that finds the comparables of one lot at a time. It reuses
 * its scratch memory.
 */
export function nearestFinder(
  columns: SaleColumns,
  documents: Documents,
): (lot: LotToValue) => Comparable[] {
  const { idf, norm, postings, postingStart } = documents
  const lastTurn = new Int32Array(norm.length)
  const share = new Float64Array(columns.comparedWords)
  let turn = 0
  return lot => {
    turn += 1
    const best = bestComparables(columns, documents, lot)
    const { words, head, likeness } = readLot(columns, documents, lot, share)
    let unseen = words.reduce((sum, word) => sum + share[word]! ** 2, 0)
    let budget = POSTINGS_PER_LOT
    for (const word of words) {
      // A document without any of the rarer words cannot be more similar than
      // this (Cauchy-Schwarz).
      const reach = Math.sqrt(Math.max(0, unseen))
      if (reach <= LEAST_SIMILARITY) break
      unseen -= share[word]! ** 2
      const rest = Math.sqrt(Math.max(0, unseen))
      const end = postingStart[word + 1]!
      for (let i = postingStart[word]!; i < end && budget > 0; i++, budget--) {
        const doc = postings[i]!
        // Of equally similar sales the newest count, and all following
        // documents are older.
        if (!best.wants(reach)) break
        if (lastTurn[doc] === turn) continue
        lastTurn[doc] = turn
        const own = Math.min(1, idf[word]! / norm[doc]!)
        const like = likeness(doc)
        const atBest =
          like * (share[word]! * own + rest * Math.sqrt(1 - own * own))
        if (best.wants(atBest))
          best.offer(like * cosine(documents, doc, share, head), doc)
      }
    }
    for (const word of words) share[word] = 0
    return best.without(lot.duplicate_of ?? lot.id)
  }
}

/**
 * Returns the lot's known words, rarest first, the number of its noun (-1:
 * any), and `likeness`: the factor by which model year, make and pieces reduce
 * the similarity to a document (0: not comparable). Fills `share` with the
 * weight of each word in the title.
 */
function readLot(
  columns: SaleColumns,
  { idf, year: years, make: makes, pieces: piecesOf }: Documents,
  lot: LotToValue,
  share: Float64Array,
) {
  const { compared, year, make, pieces } = columns.readTitle(lot.title)
  const idfOf = (word: number) => idf[Math.min(word, columns.comparedWords)]!
  const length = Math.sqrt(
    compared.reduce((sum, word) => sum + idfOf(word) ** 2, 0),
  )
  const words = compared
    .filter(word => word < columns.comparedWords)
    .sort((a, b) => idfOf(b) - idfOf(a) || a - b)
  for (const word of words) share[word] = idfOf(word) / length
  const isVehicle =
    make >= 0 && pricedAs(lot.category, lot.title) === 'vehicles'
  const likeness = (doc: number) => {
    const otherMake =
      makes[doc] !== make && (isVehicle ? makes[doc] !== -1 : make > LAST_MAKE)
    const isOtherKind = makes[doc] !== make && makes[doc]! > LAST_MAKE
    if (otherMake || isOtherKind) return 0
    return (
      modelYearLikeness(year || null, years[doc] || null) *
      piecesLikeness(pieces, piecesOf[doc]!)
    )
  }
  // The last word of a vehicle's title is its trim.
  const noun = make >= 0 ? null : headNoun(lot.title)
  const head = noun === null ? -1 : columns.readTitle(noun).compared[0]!
  return { words, head, likeness }
}

/** Half as similar for every doubling of the ratio. */
function piecesLikeness(pieces: number, other: number) {
  return Math.min(pieces, other) / Math.max(pieces, other)
}

/**
 * How similar a title is, at most, that does not have the noun by which the
 * lot's names its thing: a water bath is no water truck.
 */
const OTHER_NOUN = 0.7

function cosine(
  documents: Documents,
  doc: number,
  share: Float64Array,
  head: number,
) {
  let shared = 0
  let hasHead = head < 0
  for (
    let i = documents.wordStart[doc]!;
    i < documents.wordStart[doc + 1]!;
    i++
  ) {
    const word = documents.words[i]!
    shared += share[word]! * documents.idf[word]!
    if (word === head) hasHead = true
  }
  return Math.min(1, shared / documents.norm[doc]!) * (hasHead ? 1 : OTHER_NOUN)
}

/**
 * Whether a sale may be compared with a lot: it is of the same market, or
 * nearly the same thing, and in as poor or as sound a state.
 */
function comparableWith(
  { market: markets, category: categories, isPoor: poor }: SaleColumns,
  lot: LotToValue,
) {
  const market = CATEGORIES.indexOf(pricedAs(lot.category, lot.title))
  const isPoorLot = Number(isPoor(lot))
  return (position: number, similarity: number) => {
    if (poor[position] !== isPoorLot) return false
    if (lot.category === 'real-estate')
      return CATEGORIES[categories[position]!] === lot.category
    return (
      markets[position] === market ||
      (market !== HEAVY && similarity >= SAME_THING)
    )
  }
}

/**
 * The most similar sales found so far, the most similar first; of equally
 * similar ones the newest.
 */
function bestComparables(
  columns: SaleColumns,
  { saleStart, saleAt }: Documents,
  lot: LotToValue,
) {
  const isComparable = comparableWith(columns, lot)
  /**
   * At most one more than the limit, because the lot itself can be among the
   * sales.
   */
  const found: Comparable[] = []

  /** Whether a sale of this similarity would be among the best. */
  function wants(similarity: number) {
    return (
      similarity >
      Math.max(LEAST_SIMILARITY, found[MOST_COMPARABLES]?.similarity ?? 0)
    )
  }

  return {
    wants,

    /** Adds the sales of a document, newest first, while there is room. */
    offer(similarity: number, doc: number) {
      for (const position of saleAt.subarray(
        saleStart[doc],
        saleStart[doc + 1],
      )) {
        if (!wants(similarity)) return
        if (!isComparable(position, similarity)) continue
        const less = found.findIndex(other => other.similarity < similarity)
        found.splice(less < 0 ? found.length : less, 0, {
          position,
          similarity,
          id: columns.idOf(position),
        })
        found.length = Math.min(found.length, MOST_COMPARABLES + 1)
      }
    },

    /** All but the lot itself, most similar first. */
    without: (lotId: string) =>
      found
        .filter(({ id }) => id !== lotId)
        .slice(0, MOST_COMPARABLES)
        .sort((a, b) => b.similarity - a.similarity || a.position - b.position),
  }
}
