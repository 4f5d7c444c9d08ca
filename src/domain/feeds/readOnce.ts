/** A sentence is part of its description, which stays in memory with it: a few megabytes at most. */
const MOST_KEPT = 2000

/**
 * `read` with a memory of its last results, because the same standard clauses stand beside thousands of lots.
 * @param read a pure function of a sentence.
 */
export function readOnce<Result>(read: (sentence: string) => Result): (sentence: string) => Result {
  const known = new Map<string, Result>()
  return sentence => {
    const found = known.get(sentence)
    if (found !== undefined) return found
    const result = read(sentence)
    if (known.size >= MOST_KEPT) known.clear()
    known.set(sentence, result)
    return result
  }
}
