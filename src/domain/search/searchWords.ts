import categoryWords from '../../../data/category-words.json' with {
  type: 'json',
}
import synonyms from '../../../data/synonyms.json' with { type: 'json' }
import titleWords from '../../../data/title-words.json' with { type: 'json' }
import { patternOf } from '../pattern.ts'
import { singular } from '../titles/titleWords.ts'
import { oneWord, searchable } from './letters.ts'

/**
 * The words of a search, as texts for `to_tsquery`. One without a word matches
 * nothing.
 */
export interface SearchWords {
  /** What a lot must match. */
  all: string
  /**
   * The same with all words in the title; an item or a name that is meant must
   * have been read from the lot.
   */
  titled: string
  /**
   * The same with all words in the title or in what was read from it: item,
   * make, model, category.
   */
  read: string
  /** The words together in the title, as they were typed. */
  title: string
}

/**
 * What may stand for a part of a search: its own words, others that mean the
 * same, and items and makes that are meant.
 */
interface Part {
  kind: 'plain' | 'quoted' | 'name'
  isExcluded: boolean
  /** Letters and digits, separated; each entry is a phrase. */
  typed: string[]
  /** Operands of `to_tsquery`. */
  others: string[]
  /** The same, each one word. */
  meant: string[]
}

/**
 * The weights of the lot's words (see the SQL function `lot_search`) that each
 * kind of part may match. What was read from a lot nobody wrote, so a quoted
 * phrase is not looked for there. A name that is another word too must have
 * been read: a carrying case, a cat scan.
 */
const WEIGHTS = {
  all: { plain: '', name: '', quoted: ':ACD', meant: '' },
  titled: { plain: ':A', name: ':B', quoted: ':A', meant: ':B' },
  read: { plain: ':AB', name: ':AB', quoted: ':A', meant: ':B' },
}

/**
 * Other operands for a word or phrase of `data/synonyms.json` or an
 * abbreviation.
 */
const OTHERS = new Map<string, string[]>()
for (const group of [...synonyms.same, ...Object.entries(titleWords.spellings)])
  for (const one of group) {
    const others = group.filter(each => each !== one)
    addTo(OTHERS, one, others.map(searchable))
  }
const MEANT = new Map<string, string[]>()
for (const [name, slugs] of Object.entries(synonyms.items)) {
  const words = slugs.map(slug => slug.replaceAll('-', ''))
  for (const same of synonyms.same.find(group => group.includes(name)) ?? [
    name,
  ])
    addTo(MEANT, same, words)
}
const LONGEST_SYNONYM = 4

/**
 * Things of one or two words, by their letters: "workbench" and "work bench"
 * are one thing.
 */
const THINGS = new Map(
  Object.values(categoryWords.things)
    .flat()
    .filter(name => /^[a-z]+(?: [a-z]+)?$/.test(name))
    .map(name => [name.replace(' ', ''), name]),
)

const NAMES = new Set(synonyms.names)

/** A number with its unit: "5 ton" is not the end of "2.5 ton". */
const MEASURE = patternOf(
  { UNIT: synonyms.sentences.units },
  /^(\d\d? <UNIT>)(?!\w)/i,
)
const DIGITS = [...'123456789']

/** A source's number of a lot has at least so many letters and digits. */
const SHORTEST_NUMBER = 5

/**
 * Reads what a person typed. Every term becomes a phrase with letters and
 * digits separated (the SQL function `searchable` does the same to the lots),
 * so that `f-150`, `F150` and `"f 150"` find the same lots. All terms must
 * occur; `or` and a leading minus keep their meaning, and a quoted phrase is
 * not replaced by its synonyms.
 */
export function searchWords(typed: string): SearchWords {
  const choices: string[][] = [[]]
  for (const term of typed.match(/-?"[^"]*"|\S+/g) ?? []) {
    if (/^or$/i.test(term)) choices.push([])
    else choices.at(-1)!.push(term)
  }
  const alternatives = choices.map(partsOf).filter(parts => parts.length > 0)
  const queryOf = (where: keyof typeof WEIGHTS) =>
    alternatives
      .map(parts => parts.map(part => matchOf(part, where)).join(' & '))
      .join(' | ')
  const titles = alternatives.map(parts =>
    parts.flatMap(part => (part.isExcluded ? [] : part.typed)).join(' '),
  )
  return {
    all: queryOf('all'),
    titled: queryOf('titled'),
    read: queryOf('read'),
    title: titles
      .filter(Boolean)
      .map(words => `${operand(words)}:A`)
      .join(' | '),
  }
}

/**
 * The terms of one choice; neighbors that have a synonym together, such as
 * `skid steer`, are one part.
 */
function partsOf(typed: string[]) {
  const terms = typed
    .map(term => ({
      term,
      words: searchable(term),
      isPlain: !/^-|^"/.test(term),
    }))
    .filter(({ words }) => words !== '')
  const parts: Part[] = []
  for (let at = 0; at < terms.length; ) {
    const joined = terms.slice(at, at + LONGEST_SYNONYM)
    while (joined.length > 1 && !isName(joined)) joined.pop()
    const { length } = joined
    const { term } = terms[at]!
    const phrase = joined.map(({ words }) => words)
    const key = phraseKey(phrase)
    const part = { isExcluded: term.startsWith('-'), typed: phrase }
    if (/^-?".*"$/s.test(term))
      parts.push({ ...part, kind: 'quoted', others: [], meant: [] })
    else {
      const others = [...othersOf(key), ...numberIn(term, length)]
      parts.push({
        ...part,
        kind: NAMES.has(key) ? 'name' : 'plain',
        others,
        meant: MEANT.get(key) ?? [],
      })
    }
    const [, measure] =
      MEASURE.exec(`${phrase.join(' ')} ${terms[at + length]?.words}`) ?? []
    if (measure && length === 1) {
      const decimals = DIGITS.map(digit => operand(`${digit} ${measure}`))
      parts.push({
        kind: 'plain',
        isExcluded: true,
        typed: [`0 ${measure}`],
        others: decimals,
        meant: [],
      })
    }
    at += length
  }
  return parts
}

/** Whether plain terms stand for something together. */
function isName(terms: { words: string; isPlain: boolean }[]) {
  const key = phraseKey(terms.map(({ words }) => words))
  return (
    terms.every(({ isPlain }) => isPlain) &&
    (MEANT.has(key) || othersOf(key).length > 0)
  )
}

/**
 * A thing of two words whose words have synonyms of their own keeps those:
 * "truck seat".
 */
function othersOf(key: string) {
  const known = OTHERS.get(key)
  const words = key.split(' ')
  if (known || words.length > 2) return known ?? []
  if (
    words.length === 2 &&
    words.some(word => OTHERS.has(word) || MEANT.has(word))
  )
    return []
  const joined = words.join('')
  const name = THINGS.get(joined)
  const other = words.length === 2 ? joined : name
  return name === undefined || other === key ? [] : [operand(other!)]
}

function matchOf(
  { kind, isExcluded, typed, others, meant }: Part,
  where: keyof typeof WEIGHTS,
) {
  const weights = WEIGHTS[where]
  const own = typed.map(words => operand(words) + weights[kind]).join(' & ')
  const any = [
    typed.length > 1 ? `(${own})` : own,
    ...others.map(one => one + weights[kind]),
    ...meant.map(one => one + weights.meant),
  ].join(' | ')
  return `${isExcluded ? '!' : ''}(${any})`
}

/**
 * The source's number of a lot is stored as one word, so that `150` does not
 * find every number with it.
 */
function numberIn(term: string, length: number) {
  const number = oneWord(term)
  return length === 1 && number.length >= SHORTEST_NUMBER && /\d/.test(number)
    ? [operand(number)]
    : []
}

function addTo(map: Map<string, string[]>, name: string, words: string[]) {
  const key = phraseKey([name])
  map.set(key, [...new Set([...(map.get(key) ?? []), ...words.map(operand)])])
}

function phraseKey(phrases: string[]) {
  return phrases.join(' ').toLowerCase().split(' ').map(singular).join(' ')
}

/** A phrase of `to_tsquery`. @param words letters, digits and blanks only. */
function operand(words: string) {
  return `'${words}'`
}
