import { distance } from 'fastest-levenshtein'
import categoryWords from '../../../data/category-words.json' with {
  type: 'json',
}
import items from '../../../data/items.json' with { type: 'json' }
import synonyms from '../../../data/synonyms.json' with { type: 'json' }
import vehicleMakes from '../../../data/vehicle-makes.json' with {
  type: 'json',
}
import { singular } from '../titles/titleWords.ts'

/**
 * Words that are right, whether a live lot has them or not: of things, their
 * synonyms, items, and makes.
 */
const RIGHT = new Set(
  [
    ...[categoryWords.things, categoryWords.fields, categoryWords.hints].map(
      each => Object.values(each).flat(),
    ),
    ...synonyms.same,
    items.map(({ name }) => name),
    Object.entries(vehicleMakes.makes).flatMap(([make, { models }]) => [
      make,
      models,
    ]),
    Object.keys({
      ...vehicleMakes.machines,
      ...vehicleMakes.machinesWithCommonNames,
    }),
  ]
    .flat()
    .flatMap(names => names.toLowerCase().match(/[a-z]{3,}/g) ?? [])
    .map(singular),
)

const ATTRIBUTE = new RegExp(
  `^(?:${synonyms.sentences.attributes.join('|')})$`,
  'i',
)

/**
 * Without these a search is for something else: names of things, items, makes
 * and models; where none is known, all that is no attribute.
 */
export function wantedWords(words: readonly string[]): string[] {
  const nouns = words.filter(word => !ATTRIBUTE.test(word))
  const named = nouns.filter(
    word =>
      RIGHT.has(singular(word.toLowerCase())) || /^[a-z]+-?\d/i.test(word),
  )
  return named.length > 0 ? named : nouns
}

/** Words of letters that are not excluded by a minus. */
const WORD = /(?<![\p{L}\p{N}-])[a-z]{4,24}(?![\p{L}\p{N}])/giu
/** Comparing one word with 50,000 takes about a millisecond. */
const MOST_WORDS = 5
const LEAST_HALF = 3

/**
 * A search with each unknown word in the nearest spelling of a known or a right
 * one, or as the two known words that it joins. Any other word that no lot has
 * is left out, unless it is wanted or the search has a phrase or an "or". Null
 * when nothing changes or is left.
 * @param known words of live lots in lower case, the most frequent first: of
 * equally near ones the first is taken.
 */
export function nearWords(
  typed: string,
  known: readonly string[],
): string | null {
  const live = new Set(known.map(singular))
  const candidates = [...known, ...RIGHT]
  const mayLeaveOut = !/"|\bor\b/i.test(typed)
  const wanted = wantedWords(typed.split(/\s+/))
  let unknown = 0
  const near = typed.replace(WORD, written => {
    const word = written.toLowerCase()
    if (live.has(singular(word)) || ++unknown > MOST_WORDS) return written
    const other = RIGHT.has(singular(word))
      ? null
      : (nearest(word, candidates) ?? splitIn(word, live))
    return other ?? (mayLeaveOut && !wanted.includes(written) ? '' : written)
  })
  const [before, after] = [typed, near].map(words =>
    words.trim().replace(/\s+/g, ' '),
  )
  return after === '' || after === before ? null : after!
}

function splitIn(word: string, live: Set<string>) {
  for (let at = LEAST_HALF; at <= word.length - LEAST_HALF; at++) {
    const halves = [word.slice(0, at), word.slice(at)]
    if (halves.every(half => live.has(singular(half)))) return halves.join(' ')
  }
  return null
}

/**
 * Of four letters one may be wrong, at most three in all, but not both of the
 * first two.
 */
function nearest(word: string, known: readonly string[]) {
  let best: string | null = null
  let least = Math.min(3, Math.floor(word.length / 4)) + 1
  for (const each of known) {
    if (
      Math.abs(each.length - word.length) >= least ||
      (each[0] !== word[0] && each[1] !== word[1])
    )
      continue
    const apart = mistakes(word, each)
    if (apart < least) [best, least] = [each, apart]
  }
  return best
}

/** How many letters differ; two swapped ones count once. */
function mistakes(word: string, other: string) {
  let at = 0
  while (word[at] === other[at] && at < word.length) at++
  const swapped =
    word.slice(0, at) +
    (word[at + 1] ?? '') +
    (word[at] ?? '') +
    word.slice(at + 2)
  return Math.min(distance(word, other), distance(swapped, other) + 1)
}
