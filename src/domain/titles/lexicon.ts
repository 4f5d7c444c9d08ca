import words from '../../../data/category-words.json' with { type: 'json' }
import type { Schemas } from '../../contract/types.ts'
import { JOINT, singular } from './titleWords.ts'

type Category = Schemas['Category']

/**
 * What a word or phrase of a title means: what the thing is, its field, or only
 * a hint.
 */
export interface Meaning {
  category: Category
  kind: 'thing' | 'field' | 'hint'
  /**
   * Whether it names a part of a vehicle or machine: wheels, an exhaust, a
   * loader bucket.
   */
  isPart: boolean
}

/** Words in the longest phrase. */
const LONGEST_PHRASE = 4

/** Word parts used only in medicine and laboratories. */
const MEDICAL_WORD =
  /^(?:ortho(?!photo)|cardi[oa]|electrosurg|electrocard|neuro|ophthalm|hemato|haemato|histo[lc]|patholog|mammo|steriliz|defib|tonom|audiomet|spectro|chromato|cytom|cytospin|biopsy|endosc|laparo|arthro|gynec|urolog|dermat|pediatr|psych|microtom|electrophor|immuno|microbio|prosthe|rehab|podiat|obstetr|mammog|angio|bronch|colonosc|nasal|pharma|ultracentri|disinfect|photomet|fluoromet|optometr)|(?:scopy|[a-z]{3}scope|(?<!kilo|centi|milli|para|peri|dia)(?<=[a-z]{3})meter|ectomy|oscopic|otomy|therapy|therapeutic|spectrometer|photometer|cytometer|ograph(?<!phonograph|photograph)|dialysis)$/

const MEDICAL: Meaning = {
  category: 'medical-scientific',
  kind: 'field',
  isPart: false,
}

const PARTS = new Set(words.parts.map(phrase => plainWords(phrase).join('')))

/**
 * The words of `data/category-words.json`, by their letters and digits.
 * `things` name what is sold; a longer phrase wins over the words in it, so
 * exceptions are phrases: a bus bar is not a bus. `fields` decide whatever the
 * thing is: a surgical table is medical. `hints` count when nothing else in a
 * title is known.
 */
const LEXICON = new Map<string, Meaning>([
  ...entriesOf('hint', words.hints),
  ...entriesOf('thing', words.things),
  ...entriesOf('field', words.fields),
])

const meaningsIn = phraseFinder(LEXICON)

/**
 * The words of a text in lower case: letters and digits only, each in the
 * singular.
 */
export function plainWords(text: string) {
  return (
    text
      .toLowerCase()
      .replace(JOINT, '')
      .replace(/['’]/g, '')
      .match(/[a-z0-9]+/g) ?? []
  ).map(singular)
}

/**
 * The meanings in a list of words, left to right. The longest phrase at each
 * place counts. Phrases are compared without spaces, so "work bench" and
 * "workbench" are the same.
 */
export function meaningsOf(words: readonly string[]) {
  return meaningsIn(words).flatMap(
    ({ found, word }) => found ?? (MEDICAL_WORD.test(word) ? MEDICAL : []),
  )
}

/** The meaning of the longest phrase that ends a list of words, or null. */
export function meaningAtEnd(words: readonly string[]) {
  for (let taken = LONGEST_PHRASE; taken > 0; taken--) {
    const meaning = LEXICON.get(words.slice(-taken).join(''))
    if (meaning) return meaning
  }
  return null
}

/**
 * Returns a function that reads a list of words from left to right: the longest
 * phrase at each place, or null with the word that begins none. The keys are
 * phrases of at most four words without spaces.
 */
export function phraseFinder<Found>(phrases: ReadonlyMap<string, Found>) {
  return (words: readonly string[]) => {
    const all: { found: Found | null; word: string }[] = []
    for (let at = 0, length = 1; at < words.length; at += length) {
      const word = words[at]!
      let found: Found | null = null
      let key = ''
      length = 1
      for (const [n, next] of words.slice(at, at + LONGEST_PHRASE).entries()) {
        key += next
        const phrase = phrases.get(key)
        if (phrase !== undefined) [found, length] = [phrase, n + 1]
      }
      all.push({ found, word })
    }
    return all
  }
}

function entriesOf(
  kind: Meaning['kind'],
  lists: Record<string, string[]>,
): [string, Meaning][] {
  return Object.entries(lists).flatMap(([category, phrases]) =>
    phrases.map((phrase): [string, Meaning] => {
      const key = plainWords(phrase).join('')
      return [
        key,
        { category: category as Category, kind, isPart: PARTS.has(key) },
      ]
    }),
  )
}
