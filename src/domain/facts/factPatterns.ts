import words from '../../../data/fact-words.json' with { type: 'json' }
import { patternOf } from '../pattern.ts'

/**
 * The patterns of one fact in `data/fact-words.json`, in either case, by their
 * names.
 */
export function factPatterns<Name extends string>(
  written: Record<Name, string | readonly string[]>,
): Record<Name, RegExp> {
  const patterns = Object.entries<string | readonly string[]>(written).map(
    ([name, alternatives]) => [
      name,
      patternOf(words.parts, new RegExp([alternatives].flat().join('|'), 'gi')),
    ],
  )
  return Object.fromEntries(patterns)
}

const LOOKED_AT = 120
/** A period within a number ends nothing. */
const SENTENCE_END = /[.;!?\n•·|](?!\d)/

/** What stands before an index in its sentence. */
export function sentenceBefore(text: string, index: number): string {
  return text
    .slice(Math.max(0, index - LOOKED_AT), index)
    .split(SENTENCE_END)
    .at(-1)!
}

/** Whether a pattern matches, wherever it matched last. */
export function has(text: string, pattern: RegExp): boolean {
  return text.search(pattern) !== -1
}
