import { withoutNames } from './personNames.ts'
import { shortened, withoutContacts } from './plainText.ts'

/** Twice what is kept of a description. */
const LONGEST_READ = 40_000
/** A sentence longer than this says more than whom to call: only names and contact details are taken out of it. */
const LONGEST_CONTACT_SENTENCE = 300
const ROLE =
  '(?:point of contact|contact(?: (?:person|name|info(?:rmation)?))?|poc|(?:sales )?(?:contracting|contract|revenue) officer|(?:property )?custodian)'
const LABELLED = new RegExp(`\\b${ROLE}\\s*(?:is\\b|:|-\\s)`, 'i')
const HEADING = new RegExp(`^\\W*(?:${ROLE}|attn|attention)\\W*$`, 'i')
const IS_REQUEST =
  /^\W*(?:please\b|for\b[^,]{0,80},?\s|to\b[^,]{0,80},?\s)?\W*(?:contact|call|see|e-?mail|phone|telephone|text|notify|ask for|attn|attention|poc|point of contact|speak|talk|coordinate|arrange)\b/i
const NAME_LINE = /^\s*\p{Lu}[\p{L}.'’-]*(?:,?\s+\p{Lu}[\p{L}.'’-]*){1,3}[\s,;]*$/u
/** The point after an initial or a title ends no sentence. */
const SENTENCE_END =
  /(?<=[.!?;])(?<!\b\p{Lu}\.)(?<!\b(?:Mr|Mrs|Ms|Dr|Sgt|Lt|Capt|Maj|Col|No|Attn)\.)\s+(?=[\p{Lu}(])/u

/**
 * A text without the people in it: sentences that say whom to call are left out, names after "contact", "POC" and the
 * like are cut out of the rest, and so are the names, addresses and numbers that the source itself gives for its
 * officer, wherever they stand.
 */
export function withoutPeople(text: string, details: readonly (string | null)[]): string {
  let afterHeading = false
  const lines = withoutDetails(shortened(text, LONGEST_READ), details)
    .split('\n')
    .filter(line => {
      const isName = afterHeading && NAME_LINE.test(line)
      if (line.trim() !== '') afterHeading = HEADING.test(line) || isName
      return !isName
    })
  return lines.map(withoutContactSentences).join('\n')
}

/** The text without what the source itself says of a person: a name, an address, a number. */
export function withoutDetails(text: string, details: readonly (string | null)[]): string {
  return details.flatMap(formsOf).reduce((left, detail) => left.replace(detail, ''), text)
}

function withoutContactSentences(line: string): string {
  return line
    .split(SENTENCE_END)
    .filter(sentence => !isAboutContact(sentence))
    .map(withoutNames)
    .join(' ')
}

function isAboutContact(sentence: string): boolean {
  if (sentence.length > LONGEST_CONTACT_SENTENCE) return false
  if (LABELLED.test(sentence) || withoutContacts(sentence) !== sentence) return true
  return IS_REQUEST.test(sentence) && withoutNames(sentence) !== sentence
}

/** "Jane Q Doe" is looked for as it is, as "Jane Doe" and as "Doe, Jane Q". One word alone could be any word, so it stays. */
function formsOf(detail: string | null): RegExp[] {
  const words = detail?.trim().split(/\s+/).filter(Boolean) ?? []
  if (words.length === 0 || (words.length === 1 && !/[@\d]/.test(words[0]!))) return []
  const last = words.at(-1)!
  const others =
    words.length > 1
      ? [
          [`${last},`, ...words.slice(0, -1)],
          [words[0]!, last],
        ]
      : []
  const forms = [words, ...others]
  return forms.map(form => new RegExp(`(?<!\\w)${form.map(escaped).join('\\s+')}(?!\\w)`, 'gi'))
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
