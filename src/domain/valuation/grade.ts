import { count } from '../format.ts'
import { type Category, pricedAs, thingNamed } from '../titles/categories.ts'
import { priceWords } from '../titles/priceWords.ts'
import { readQuantity } from '../titles/quantity.ts'
import { comparableWord } from '../titles/titleWords.ts'

/**
 * How an estimated value is known: from enough sales of such things, from a few
 * of them, or from the words of the title alone.
 */
export type Grade = 'comparables' | 'few' | 'words'

/** Sales of at least this similarity are of such a thing. */
export const LIKE = 0.3
/** From so many like sales on, they say what such a thing brings. */
export const ENOUGH_LIKE = 5
/**
 * Prices of heavy machines differ so much that fewer like sales say nothing.
 */
export const ENOUGH_MACHINES = 3
const LEAST_CONFIDENCE = 0.4

/**
 * How many comparables are of such a thing.
 * @param similarities to the lot, 0 to 1.
 */
export function likeCount(similarities: readonly number[]): number {
  return similarities.filter(similarity => similarity >= LIKE).length
}

/**
 * The grade of an estimate.
 * @param similarities of its comparables to the lot, in any order.
 * @param confidence 0 to 1.
 */
export function gradeOf(
  { title, category }: { title: string; category: Category },
  similarities: readonly number[],
  confidence: number,
): Grade {
  const like = likeCount(similarities)
  if (like === 0) return 'words'
  if (like < ENOUGH_MACHINES && pricedAs(category, title) === 'heavy-equipment')
    return 'words'
  return like >= ENOUGH_LIKE &&
    confidence >= LEAST_CONFIDENCE &&
    !isVague(title)
    ? 'comparables'
    : 'few'
}

const NAMING_WORDS = 3

/**
 * Whether a title names no more than a kind of thing: "(1) Generator" and
 * "Office chairs" do, a vehicle and a model number say which.
 */
function isVague(title: string) {
  const pieces = String(readQuantity(title))
  const words = priceWords(title).filter(
    word => word !== pieces && comparableWord(word) !== null,
  )
  return (
    words.length < NAMING_WORDS &&
    !words.some(word => /\d/.test(word)) &&
    thingNamed(title) !== 'vehicles'
  )
}

/**
 * A grade for people, after an amount: "from 25 similar sales". Few sales move
 * a value little from what its words say.
 * @param grade any but the three of `Grade` reads as `few`.
 * @param comparables_count as in the contract; null where it is not read.
 * @param category of the lot: the value of a machine with few sales is that of
 * the price book.
 */
export function gradeWords(
  grade: string,
  comparables_count: number | null,
  category?: string,
): string {
  if (grade === 'words' && category === 'heavy-equipment')
    return 'general knowledge of such machines; too few sales here'
  if (grade === 'words') return 'rough guess, can be off 3×'
  const sales =
    comparables_count === null
      ? 'similar sales'
      : count(comparables_count, 'similar sale')
  return grade === 'comparables'
    ? `from ${sales}`
    : `rough: from the words of the title, beside ${sales}`
}

/**
 * A likely band for people, after how its value is known: "half of such lots
 * close at $3,000 to $12,000". Amounts as they are shown.
 */
export function bandWords(grade: string, low: string, high: string): string {
  return `${grade === 'comparables' ? 'half of such lots close at' : 'we expect'} ${low} to ${high}`
}

/**
 * What is said of prices that are last seen bids, as a sentence: "Their prices
 * are the last bids seen; such lots close about 40% higher."
 * @param seen_factor as in the contract: null where nobody measured it.
 */
export function seenSentence(seen_factor: number | null): string {
  if (seen_factor === null)
    return 'Their prices are the last bids seen; the real price can be higher.'
  const percent = Math.round(100 * (seen_factor - 1))
  return `Their prices are the last bids seen; such lots close about ${percent}% higher.`
}
