import type { Listing } from '../contract/types.ts'

/** City, state and ZIP code, as far as the source gives them. */
export function placeOf({ city, state, zip }: Listing): string {
  const region = [state, zip].filter(Boolean).join(' ')
  return [city, region].filter(Boolean).join(', ') || 'Place unknown'
}

/** What a score says, from the highest down: in a sentence, and on a badge. */
const VERDICTS: [least: number, words: string, label: string][] = [
  [80, 'a bargain', 'Bargain'],
  [60, 'a good deal', 'Good deal'],
  [40, 'about its usual price', 'Usual price'],
  [20, 'expensive', 'Expensive'],
  [0, 'far above its usual price', 'Overpriced'],
]

/** A Flip Score in words: 64 is "a good deal". */
export function scoreWords(score: number): string {
  return VERDICTS.find(([least]) => score >= least)![1]
}

/** A Flip Score in a word or two: 64 is "Good deal". */
export function scoreLabel(score: number): string {
  return VERDICTS.find(([least]) => score >= least)![2]
}
