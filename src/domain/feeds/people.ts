import { withoutContacts } from './plainText.ts'

/** A sentence longer than this says more than whom to call: only the contact details are taken out of it. */
const LONGEST_CONTACT_SENTENCE = 300
const ROLE =
  '(?:point of contact|contact(?: (?:person|name|info(?:rmation)?))?|poc|(?:sales )?(?:contracting|contract|revenue) officer|(?:property )?custodian|attn|attention)'
const LABELLED = new RegExp(`\\b${ROLE}\\s*(?:is\\b|:|-\\s)`, 'i')
const HEADING = new RegExp(`^\\W*${ROLE}\\W*$`, 'i')
const CONTACT_BY_NAME =
  /\b(?:[Cc]ontact|CONTACT|[Cc]all|[Ee]-?mail)\s+(?:(?:Mr|Mrs|Ms|Dr|Sgt|Maj|Capt)\.?\s+)?[A-Z][\w'-]+\s+[A-Z][\w'-]+/
const NAME_LINE = /^\s*[A-Z][\w.'-]*(?:,?\s+[A-Z][\w.'-]*){1,3}\s*$/

/**
 * A text without the people in it: sentences that say whom to call are left out, and so are the names, addresses and
 * numbers that the source itself gives for its officer, wherever they stand.
 */
export function withoutPeople(text: string, details: readonly (string | null)[]): string {
  let afterHeading = false
  const lines = details
    .flatMap(formsOf)
    .reduce((left, detail) => left.replace(detail, ''), text)
    .split('\n')
    .filter(line => {
      const isName = afterHeading && NAME_LINE.test(line)
      if (line.trim() !== '') afterHeading = HEADING.test(line) || isName
      return !isName
    })
  return lines.map(withoutContactSentences).join('\n')
}

function withoutContactSentences(line: string): string {
  return line
    .split(/(?<=[.!?;])\s+(?=[A-Z(])/)
    .filter(sentence => !isAboutContact(sentence))
    .join(' ')
}

function isAboutContact(sentence: string): boolean {
  if (sentence.length > LONGEST_CONTACT_SENTENCE) return false
  return LABELLED.test(sentence) || CONTACT_BY_NAME.test(sentence) || withoutContacts(sentence) !== sentence
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
