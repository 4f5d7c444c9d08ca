import { distance } from 'fastest-levenshtein'
import synonyms from '../../../data/synonyms.json' with { type: 'json' }
import { singular } from '../titles/titleWords.ts'

/** The words of a search, as texts for `to_tsquery`. One without a word matches nothing. */
export interface SearchWords {
  /** What a lot must match. */
  all: string
  /** The same with all words in the title or in what was read from it: item, make, model, category (weights A and B). */
  read: string
  /** The words together in the title, as they were typed. */
  title: string
}

/** What may stand for a part of a search: its own words, and others that mean the same. */
interface Part {
  isExcluded: boolean
  /** Letters and digits, separated; each entry is a phrase. */
  typed: string[]
  /** Operands of `to_tsquery`. */
  others: string[]
}

/** Other operands for a word or phrase of `data/synonyms.json`. An item is one word (see the SQL function `lot_search`). */
const OTHERS = new Map<string, string[]>()
for (const group of synonyms.same)
  for (const one of group)
    addOthers(
      one,
      group.filter(each => each !== one).map(each => operand(searchable(each))),
    )
for (const [name, slugs] of Object.entries(synonyms.items)) {
  const items = slugs.map(slug => operand(slug.replaceAll('-', '')))
  for (const same of synonyms.same.find(group => group.includes(name)) ?? [name]) addOthers(same, items)
}
const LONGEST_SYNONYM = 4

/** A source's number of a lot has at least so many letters and digits. */
const SHORTEST_NUMBER = 5

/**
 * Reads what a person typed. Every term becomes a phrase with letters and digits separated (the SQL function `searchable` does the
 * same to the lots), so that `f-150`, `F150` and `"f 150"` find the same lots. All terms must occur; `or` and a leading minus keep
 * their meaning, and a quoted phrase is not replaced by its synonyms.
 */
export function searchWords(typed: string): SearchWords {
  const choices: string[][] = [[]]
  for (const term of typed.match(/-?"[^"]*"|\S+/g) ?? []) {
    if (/^or$/i.test(term)) choices.push([])
    else choices.at(-1)!.push(term)
  }
  const alternatives = choices.map(partsOf).filter(parts => parts.length > 0)
  const queryOf = (weights: string) =>
    alternatives.map(parts => parts.map(part => matchOf(part, weights)).join(' & ')).join(' | ')
  const titles = alternatives.map(parts =>
    parts.flatMap(part => (part.isExcluded ? [] : part.typed)).join(' '),
  )
  return {
    all: queryOf(''),
    read: queryOf('AB'),
    title: titles
      .filter(words => words !== '')
      .map(words => `${operand(words)}:A`)
      .join(' | '),
  }
}

/** The terms of one choice; neighbors that have a synonym together, such as `skid steer`, are one part. */
function partsOf(typed: string[]): Part[] {
  const terms = typed
    .map(term => ({ term, words: searchable(term), isPlain: !/^-|^"/.test(term) }))
    .filter(({ words }) => words !== '')
  const parts: Part[] = []
  for (let at = 0; at < terms.length; ) {
    const plain = terms.slice(at, at + LONGEST_SYNONYM).findIndex(({ isPlain }) => !isPlain)
    let length = plain < 0 ? Math.min(LONGEST_SYNONYM, terms.length - at) : plain
    const phrase = () => terms.slice(at, at + length).map(({ words }) => words)
    while (length > 1 && !OTHERS.has(phraseKey(phrase()))) length -= 1
    length = Math.max(1, length)
    const { term } = terms[at]!
    const others = /^-?"/.test(term)
      ? []
      : [...(OTHERS.get(phraseKey(phrase())) ?? []), ...numberIn(term, length)]
    parts.push({ isExcluded: term.startsWith('-'), typed: phrase(), others })
    at += length
  }
  return parts
}

function matchOf({ isExcluded, typed, others }: Part, weights: string): string {
  const weighted = (one: string) => (weights === '' ? one : `${one}:${weights}`)
  const own = typed.map(words => weighted(operand(words))).join(' & ')
  const any = [typed.length > 1 ? `(${own})` : own, ...others.map(weighted)].join(' | ')
  return `${isExcluded ? '!' : ''}(${any})`
}

/** The source's number of a lot is stored as one word, so that `150` does not find every number with it. */
function numberIn(term: string, length: number): string[] {
  const number = term.replace(/[^\p{Alphabetic}0-9]+/gu, '').toLowerCase()
  return length === 1 && number.length >= SHORTEST_NUMBER && /\d/.test(number) ? [operand(number)] : []
}

function addOthers(name: string, others: string[]): void {
  const key = phraseKey([name])
  OTHERS.set(key, [...new Set([...(OTHERS.get(key) ?? []), ...others])])
}

function phraseKey(phrases: string[]): string {
  return phrases.join(' ').toLowerCase().split(' ').map(singular).join(' ')
}

/** A phrase of `to_tsquery`. @param words letters, digits and blanks only. */
function operand(words: string): string {
  return `'${words}'`
}

function searchable(text: string): string {
  return text
    .replace(/[^\p{Alphabetic}0-9]+/gu, ' ')
    .replace(/(\p{Alphabetic})(?=[0-9])|([0-9])(?=\p{Alphabetic})/gu, '$1$2 ')
    .trim()
}

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
