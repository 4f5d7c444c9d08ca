import words from '../../../data/category-words.json' with { type: 'json' }
import type { Schemas } from '../../contract/types.ts'
import { singular } from '../titles/titleWords.ts'

type Category = Schemas['Category']

/** What one word or phrase of a title says: what the thing is, which field it is of, or only a hint. */
export interface Meaning {
  category: Category
  kind: 'thing' | 'field' | 'hint'
}

/** The longest phrase has four words. */
const LONGEST_PHRASE = 4

/** Parts of words that only medicine and laboratories use. */
const MEDICAL_WORD =
  /^(?:ortho(?!photo)|cardi[oa]|electrosurg|electrocard|neuro|ophthalm|hemato|haemato|histo[lc]|patholog|mammo|steriliz|defib|tonom|audiomet|spectro|chromato|cytom|cytospin|biopsy|endosc|laparo|arthro|gynec|urolog|dermat|pediatr|psych|microtom|electrophor|immuno|microbio|prosthe|rehab|podiat|obstetr|mammog|angio|bronch|colonosc|nasal|pharma|ultracentri|disinfect|photomet|fluoromet|optometr)|(?:scopy|[a-z]{3}scope|(?<!kilo|centi|milli|para|peri|dia)(?<=[a-z]{3})meter|ectomy|oscopic|otomy|therapy|therapeutic|spectrometer|photometer|cytometer|ograph(?<!phonograph|photograph)|dialysis)$/

const MEDICAL: Meaning = { category: 'medical-scientific', kind: 'field' }

/**
 * The words of `data/category-words.json` by their letters and digits. `things` are what is sold, by name; a longer phrase
 * goes before the words in it, so that exceptions are phrases too: a bus bar is no bus. `fields` are words that tell the
 * field whatever the thing is: a surgical table is medical. `hints` count when nothing else in a title says anything.
 */
const LEXICON = new Map<string, Meaning>([
  ...entriesOf('hint', words.hints),
  ...entriesOf('thing', words.things),
  ...entriesOf('field', words.fields),
])

/** Letters and digits of a text in lower case, word by word, each in the singular. */
export function plainWords(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replace(/['’]/g, '')
      .match(/[a-z0-9]+/g) ?? []
  ).map(singular)
}

/**
 * The meanings in a row of words, from left to right; the longest phrase at each place counts, and phrases are told
 * without the spaces in them, so that "work bench" and "workbench" are one.
 */
export function meaningsOf(words: readonly string[]): Meaning[] {
  const meanings: Meaning[] = []
  for (let at = 0; at < words.length; ) {
    const [meaning, length] = longestAt(words, at)
    if (meaning) meanings.push(meaning)
    at += length
  }
  return meanings
}

function longestAt(words: readonly string[], at: number): [Meaning | null, number] {
  let found: Meaning | null = null
  let length = 1
  let key = ''
  for (let taken = 1; taken <= LONGEST_PHRASE && at + taken <= words.length; taken++) {
    key += words[at + taken - 1]!
    const meaning = LEXICON.get(key)
    if (meaning) [found, length] = [meaning, taken]
  }
  if (!found && MEDICAL_WORD.test(words[at]!)) found = MEDICAL
  return [found, length]
}

function entriesOf(kind: Meaning['kind'], lists: Record<string, string[]>): [string, Meaning][] {
  return Object.entries(lists).flatMap(([category, phrases]) => {
    const meaning: Meaning = { category: category as Category, kind }
    return phrases.map((phrase): [string, Meaning] => [plainWords(phrase).join(''), meaning])
  })
}
