import { truncated, withoutContacts } from './plainText.ts'
import { readOnce } from './readOnce.ts'

/** Twice what is kept of a description. */
const LONGEST_READ = 40_000
/** A longer sentence is a text without periods: only the words around its cues are cut. */
const LONGEST_SENTENCE = 300
const [CUT_BEFORE_CUE, CUT_AFTER_CUE] = [40, 100]

/** The period after an initial or a title ends no sentence. */
const SENTENCE_END =
  /(?<=[.!?;])(?<!\b\p{Lu}\.)(?<!\b(?:Mr|Mrs|Ms|Dr|Sgt|Lt|Capt|Maj|Col|No|Attn)\.)\s+(?=[\p{Lu}(])/u
const NAME = "\\p{Lu}[\\p{L}.'’-]{0,40}(?![\\p{L}'’-])"
const NAME_LINE = new RegExp(`^\\s*${NAME}(?:,?\\s+${NAME}){1,3}[\\s,;]*$`, 'u')
const HEADING = /\b(?:contact|custodian|officer|p\.?o\.?c|attn|attention)\W*$/i

/** Words that ask the reader to reach a person; with the word before or after them that makes a thing of them ("contact cleaner"). */
const CUE = new RegExp(
  '\\b(?:contact(?<!\\b(?:electrical|in|on) contact)|p\\.?o\\.?c\\.?|custodian|attn|ask for' +
    '|(?:contract(?:ing)?|revenue|sales) (?:officer|specialist)' +
    '|(?:speak|talk|coordinate|arrange|check|meet|appointments?|schedule) (?:to|with))(?![\\p{L}\\p{N}])' +
    '(?! (?:adhesive|block|cart|cement|cleaner|floor|grill|lens|oxygen|paper|plate|point|surface|switch|tip))',
  'iu',
)
const AFTER_NAME = '(?=\\s*(?:[^\\p{L}\\p{N}\\s]|$)|\\s(?:at|before|for|in|on|or|to)\\b)'
/** Words that stand before things too: cues only before capitalized words. */
const CUE_WITH_NAME = new RegExp(
  `\\b(?:call|e-?mail|notify|phone|telephone|text) ${NAME}(?: ${NAME}){0,2}${AFTER_NAME}` +
    `|(?:^\\W*(?:Attention|Call|See)|\\bsee) (?!Attached|Special)${NAME}(?: ${NAME}){1,2}${AFTER_NAME}` +
    '|\\b(?:Mr|Mrs|Ms|Miss|Prof|Pvt|Pfc|Cpl|[ST]?Sgt|[SC]?MSgt|SFC|Lt|Capt|Cpt|Maj|C[mM]?dr|Officer|Agent)\\.? (?=\\p{Lu}\\p{L})',
  'u',
)

const OWNED =
  'aircraft|assets|belongings|boat|car|condo|estate|home|house|jewelry|land|motorcycle|property|residence|truck|vehicle|vessel|yacht'
const OF = inAnyCase('of|belonging to')
const OWNER = `(?!U\\.?S\\b)(?:${NAME}(?:,? ${NAME}){1,3}|${NAME}(?! \\p{Ll}))`
const STREET = ",?\\s+(?:at\\s+)?\\d{1,6}(?:\\s+(?:\\p{Lu}|\\d)[\\p{L}\\d.'’-]{0,30}){1,4}"
/** "Boat of Jane Doe and John Doe, 12 Cedar Way": the owners of a thing, and where they live. */
const OWNERS = new RegExp(
  ` (?:${OF}) (?<=(?<![\\p{L}\\p{N}])(?:${inAnyCase(OWNED)}) (?:${OF}) )(?:${NAME} (?:and|AND|&) )?${OWNER}` +
    `(?: (?:and|AND|&) ${OWNER})?(?:${STREET})?`,
  'gu',
)

/**
 * A text without people: without the sentences that hold a cue ("contact", "POC", "see Mr. …"), an e-mail address or a telephone
 * number, the names below a heading such as "Custodian", owners ("boat of …"), and the details that the source gives for its officer.
 * A name in running text without any cue stays.
 */
export function withoutPeople(text: string, details: readonly (string | null)[]): string {
  let isBelowHeading = false
  const lines = withoutDetails(truncated(text, LONGEST_READ), details)
    .split('\n')
    .filter(line => {
      const isName = isBelowHeading && NAME_LINE.test(line)
      if (line.trim() !== '') isBelowHeading = isName || HEADING.test(line)
      return !isName
    })
  return lines
    .map(line => withoutOwners(line).split(SENTENCE_END).map(withoutCues).filter(Boolean).join(' '))
    .join('\n')
}

/** The text without the name, address and number that the source itself gives for a person. */
export function withoutDetails(text: string, details: readonly (string | null)[]): string {
  return details.flatMap(formsOf).reduce((left, form) => left.replace(form, ''), text)
}

/** A text without the names of owners and the streets after them: "Boat of Jane Doe" becomes "Boat". */
export function withoutOwners(text: string): string {
  return text.replace(OWNERS, '')
}

const withoutCues = readOnce((sentence: string) => {
  if (sentence.length <= LONGEST_SENTENCE) {
    return cueIn(sentence) >= 0 || withoutContacts(sentence) !== sentence ? '' : sentence
  }
  let [kept, rest] = ['', sentence]
  for (let cue = cueIn(rest); cue >= 0; cue = cueIn(rest)) {
    kept += rest.slice(0, rest.lastIndexOf(' ', cue - CUT_BEFORE_CUE) + 1)
    rest = rest.slice(cue + CUT_AFTER_CUE).replace(/^\S*/, '')
  }
  return kept + rest
})

function cueIn(text: string): number {
  const [always, named] = [text.search(CUE), text.search(CUE_WITH_NAME)]
  return always < 0 || named < 0 ? Math.max(always, named) : Math.min(always, named)
}

/** "Jane Q Doe" is also looked for as "Jane Doe" and "Doe, Jane Q". One word alone could be any word, so it stays. */
function formsOf(detail: string | null): RegExp[] {
  const words = detail?.trim().split(/\s+/).filter(Boolean) ?? []
  const [first = '', last = ''] = [words[0], words.at(-1)]
  if (words.length < 2 && !/[@\d]/.test(first)) return []
  const forms = words.length < 2 ? [words] : [words, [`${last},`, ...words.slice(0, -1)], [first, last]]
  return forms.map(form => new RegExp(`(?<!\\w)${form.map(escaped).join('\\s+')}(?!\\w)`, 'gi'))
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function inAnyCase(words: string): string {
  return `${words}|${words.toUpperCase()}|${words.replace(/\b[a-z]/g, letter => letter.toUpperCase())}`
}
