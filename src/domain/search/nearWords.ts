import { distance } from 'fastest-levenshtein'

/** Words of letters that are not excluded by a minus. */
const WORD = /(?<![\p{L}\p{N}-])[a-z]{4,24}(?![\p{L}\p{N}])/giu
/** Comparing one word with 50,000 takes about a millisecond. */
const MOST_WORDS = 5

/**
 * A search with its unknown words replaced by the nearest known ones; null when nothing is replaced. Two letters may differ, of which
 * two swapped ones are an example; one in a word of four letters. One of the first two letters must be right.
 * @param known words in lower case, the most frequent first: of equally near ones the first is taken.
 */
export function nearWords(typed: string, known: readonly string[]): string | null {
  let unknown = 0
  const near = typed.replace(WORD, written => {
    const word = written.toLowerCase()
    if (known.includes(word) || ++unknown > MOST_WORDS) return written
    let [best, least] = [written, word.length > 4 ? 3 : 2]
    for (const each of known) {
      if (Math.abs(each.length - word.length) >= least || (each[0] !== word[0] && each[1] !== word[1]))
        continue
      const apart = distance(word, each)
      if (apart < least) [best, least] = [each, apart]
    }
    return best
  })
  return near === typed ? null : near
}
