import { conditionOf } from '../feeds/condition.ts'
import { count } from '../format.ts'
import { thingNamed } from '../titles/categories.ts'
import { priceWords } from '../titles/priceWords.ts'
import { readQuantity } from '../titles/quantity.ts'
import { comparableWord } from '../titles/titleWords.ts'

/** How an estimated value is known: from enough sales of such things, from a few of them, or from the words of the title alone. */
export type Grade = 'comparables' | 'few' | 'words'

/** Sales of at least this similarity are of such a thing. */
export const LIKE = 0.3
/** From so many like sales on, they say what such a thing brings. */
export const ENOUGH_LIKE = 5
const LEAST_CONFIDENCE = 0.4
/** The condition grades of what is sold for its parts or its metal. */
export const POOR_GRADE = /^\s*(?:salvage|scrap)\s*$/i

/**
 * The grade of an estimate. Sales of sound things say little of one that is sold as scrap or salvage.
 * @param title of the lot.
 * @param similarities of its comparables to the lot, in any order.
 * @param confidence 0 to 1.
 */
export function gradeOf(title: string, similarities: readonly number[], confidence: number): Grade {
  const like = similarities.filter(similarity => similarity >= LIKE).length
  if (like === 0 || POOR_GRADE.test(conditionOf(title) ?? '')) return 'words'
  return like >= ENOUGH_LIKE && confidence >= LEAST_CONFIDENCE && !isVague(title) ? 'comparables' : 'few'
}

const NAMING_WORDS = 3

/** Whether a title names no more than a kind of thing: "(1) Generator" and "Office chairs" do, a vehicle and a model number say which. */
function isVague(title: string) {
  const pieces = String(readQuantity(title))
  const words = priceWords(title).filter(word => word !== pieces && comparableWord(word) !== null)
  return (
    words.length < NAMING_WORDS && !words.some(word => /\d/.test(word)) && thingNamed(title) !== 'vehicles'
  )
}

/**
 * A grade for people, after an amount: "from 25 similar sales".
 * @param grade any but the three of `Grade` reads as `few`.
 * @param comparables_count as in the contract; null where it is not read.
 */
export function gradeWords(grade: string, comparables_count: number | null) {
  if (grade === 'words') return 'rough guess, can be off 3×'
  const sales = comparables_count === null ? 'similar sales' : count(comparables_count, 'similar sale')
  return `${grade === 'comparables' ? '' : 'rough: '}from ${sales}`
}
