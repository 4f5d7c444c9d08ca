import type { SparseRows } from './leastSquares.ts'

/** Weight of a word's letter groups together, against the word itself (1). Chosen on time splits. */
const SHARE = 1
const GROUP_LENGTHS = [2, 3]

/**
 * The groups of two and three neighbouring letters of words, their ends marked: `van` has `<v`, `va`, `an`, `n>`, `<va`,
 * `van`, `an>`. They give a value to words that no sale has: a plural, a typo, the next model's number.
 */
export class LetterGroups {
  /** Row n holds the groups of word n. */
  readonly ofWords: SparseRows
  readonly #ids = new Map<string, number>()

  /** Learns the groups of the words. `rows` is the number of rows; those after the words are empty. */
  constructor(words: readonly string[], rows: number) {
    const start = new Int32Array(rows + 1)
    const column: number[] = []
    const value: number[] = []
    for (const [n, word] of words.entries()) {
      const groups = groupsOf(word)
      for (const group of groups) {
        const id = this.#ids.get(group) ?? this.#ids.size
        this.#ids.set(group, id)
        column.push(id)
        value.push(SHARE / Math.sqrt(groups.size))
      }
      start[n + 1] = column.length
    }
    start.fill(column.length, words.length + 1)
    this.ofWords = {
      columns: this.#ids.size,
      start,
      column: Int32Array.from(column),
      value: Float64Array.from(value),
    }
  }

  /** The sum of the effects of a word's groups; the word itself can be new. */
  sum(word: string, effects: Float64Array): number {
    const groups = groupsOf(word)
    let sum = 0
    for (const group of groups) sum += effects[this.#ids.get(group) ?? -1] ?? 0
    return (sum * SHARE) / Math.sqrt(groups.size)
  }
}

function groupsOf(word: string): Set<string> {
  const marked = `<${word}>`
  const groups = new Set<string>()
  for (const length of GROUP_LENGTHS)
    for (let at = 0; at + length <= marked.length; at++) groups.add(marked.slice(at, at + length))
  return groups
}
