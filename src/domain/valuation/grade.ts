/** How an estimated value is known: from enough sales of such things, from a few of them, or from the words of the title alone. */
export type Grade = 'comparables' | 'few' | 'words'

/** Sales of at least this similarity are of such a thing. */
export const LIKE = 0.3
const ENOUGH_LIKE = 5
const LEAST_CONFIDENCE = 0.3

/**
 * The grade of an estimate.
 * @param similarities of its comparables to the lot, in any order.
 * @param confidence 0 to 1.
 */
export function gradeOf(similarities: readonly number[], confidence: number): Grade {
  const like = similarities.filter(similarity => similarity >= LIKE).length
  if (like === 0) return 'words'
  return like >= ENOUGH_LIKE && confidence >= LEAST_CONFIDENCE ? 'comparables' : 'few'
}
