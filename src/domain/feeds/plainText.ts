import namedCharacters from '../../../data/html-characters.json' with {
  type: 'json',
}
import { patternOf } from '../pattern.ts'

const LONGEST = 20_000
/** How much is read: markup can be several times as long as its text. */
const LONGEST_MARKUP = 100_000

/** The HTML entities that occur in descriptions of goods. */
const NAMED_CHARACTERS = new Map(Object.entries(namedCharacters))

/** Every repetition is bounded, so that no text takes more than linear time. */
const UNSEEN = [
  {
    opening: /<script\b[^<>]{0,500}>/gi,
    closing: /<\/script\s{0,9}>/gi,
    longest: 5000,
  },
  {
    opening: /<style\b[^<>]{0,500}>/gi,
    closing: /<\/style\s{0,9}>/gi,
    longest: 5000,
  },
  { opening: /<!--/g, closing: /-->/g, longest: 2000 },
]
const BLOCK_END = /<(?:br|\/p|\/div|\/li|\/tr|\/h[1-6])\b[^<>]{0,2000}>/gi
/** Not an address in brackets: "Jane Doe <jane.doe@example.gov>". */
const TAG = /<(?![\w.%+-]{1,64}@[\w.-]{1,250}>)\/?[a-z!][^<>]{0,4000}>/gi
const CHARACTER = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}(?:\d{2})?));/gi

/**
 * Also as people write them for no program to read: name(at)example.gov, name
 * [at] example [dot] gov, jane.doe at example dot gov. A bare "at" counts only
 * where a period or a "dot" beside it shows that no place is meant ("bid at
 * example.gov").
 */
const EMAIL =
  /(?<![\w.%+-])(?:[\w.%+-]{1,64}(?: ?@ ?|_at_| ?[([{-] ?at ?[)\]}-] ?)[\w-]{1,63}(?:(?: ?\. ?| ?[([{-] ?dot ?[)\]}-] ?| dot )[\w-]{1,63}){1,8}|(?:[\w%+-]{1,64}(?:\.| dot )){1,3}[\w-]{1,64} at [\w-]{1,63}(?:(?:\.| dot )[\w-]{1,63}){1,4}|[\w%+-]{1,64} at [\w-]{1,63}(?: dot [\w-]{1,63}){1,4})/gi
const AT = /@|_at_|[([{-] ?at ?[)\]}-]| at /i
/**
 * A name in a network of people, with what leads to it: "Follow us on Twitter:
 * @planted". A bare "@" is a price or a place.
 */
const HANDLE =
  /(?:\b(?:follow|find|like|see|visit|message|reach|contact) (?:us|me|him|her|them) (?:on|at|via|by) )?\b(?:twitter|facebook|instagram|tik ?tok|linked ?in|youtube|snapchat|telegram|whatsapp|venmo|cash ?app|x)(?: \w{2,12})?[ .:(-]{0,4}@(?=[a-z_])[\w.]{2,40}\)?/gi
const PARTS = { GAP: '[ .·\\u2010-\\u2015/-]' }
/**
 * US numbers with their parts set apart, and international ones; bare digits
 * stay, they are mostly part and stock numbers.
 */
const PHONE = patternOf(
  PARTS,
  /(?<![\w.-])(?:(?:\+?1<GAP>?)?(?:\(\d{3}\)<GAP>{0,3}\d{3}<GAP>{0,3}\d{3,4}|\d{3}<GAP>{1,3}\d{3}<GAP>{1,3}\d{4})|\+\d(?:[ ().-]{0,2}\d){7,13})(?:,? ?x ?\d{1,6})?(?![\w-])/gi,
)
/**
 * After such a word seven or ten digits, and after "ext." any number, lead to a
 * person.
 */
const LABELLED_PHONE = patternOf(
  PARTS,
  /\b(?:phone|tel|telephone|call(?:ing)?|cell|fax|mobile|text|voice|dsn|commercial|office|dial|ph)\b[ .:#]{0,4}(?:at|no\.?|is)?[ .:#]{0,3}(?:1?\d{10}|\d{3}<GAP>{0,3}\d{4})(?!<GAP>?\d)/gi,
  /,? ?\b(?:extn?|extension)[ .:#]{0,4}\d{3,6}(?!\w)/,
)
/** 17 letters and digits that end in four digits, or what follows the word. */
const VIN =
  / ?(?:\bVIN(?: ?(?:number|no\.?|#))? ?[:#-]? ?)?\b(?=\d{0,16}[A-Z])(?=[A-Z]{0,16}\d)[A-HJ-NPR-Z\d]{13}\d{4}\b| ?\b(?:VIN|HIN|hull id)(?: ?(?:number|no\.?|#|\([^)]{1,20}\)|(?:is|ends?(?: in| with)?|ending(?: in)?|last \w{1,5})))?(?: ?[:#-])? ?(?:(?:[A-HJ-NPR-Z\d][ -]?){13}(?:\d[ -]?){3}\d\b|(?=[A-Z]{0,16}\d)[A-Z\d-]{6,20}(?![\w-]))/gi

/**
 * Text that holds neither markup nor people: without contact details and
 * needless blanks, at most 20,000 characters.
 */
export function tidyText(text: string): string {
  return truncated(tidyLines(withoutContacts(text)), LONGEST)
}

/** Text with single blanks, and at most one empty line between two others. */
export function tidyLines(text: string) {
  return text
    .replace(/[^\S\n]{2,}|[^\S\n ]/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/**
 * The words of HTML, a line a block; the first 100,000 characters of it are
 * read.
 */
export function withoutMarkup(markup: string): string {
  const read = markup.slice(0, LONGEST_MARKUP)
  const untagged = read.includes('<') ? withoutTags(read) : read
  return untagged.includes('&')
    ? untagged.replace(CHARACTER, characterOf)
    : untagged
}

function withoutTags(markup: string) {
  return UNSEEN.reduce(withoutSpans, markup)
    .replace(BLOCK_END, '\n')
    .replace(TAG, ' ')
}

/**
 * Text as it looks: without control characters (a blank in the place of each)
 * and without the invisible ones that change the direction of text or hide
 * words in it, so that no title or id can look like another. Tabs and line ends
 * stay, and so do the joiners that emoji and Persian are written with.
 */
export function visibleText(text: string) {
  return PRINTED.test(text)
    ? text
    : text
        .replace(/(?![\t\n\r])\p{Cc}|\p{Zl}|\p{Zp}/gu, ' ')
        .replace(INVISIBLE, '')
}

const PRINTED = /^[\t\n\r -~]*$/
/**
 * Unicode's format characters, but for the zero-width joiner and non-joiner,
 * and those that are no characters (U+FFFE).
 */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}|\p{Noncharacter_Code_Point}/gu

/**
 * The text without e-mail addresses, names in networks and telephone numbers.
 * @param mark what stands in the place of each.
 */
export function withoutContacts(text: string, mark = ''): string {
  const unaddressed = AT.test(text)
    ? text.replace(EMAIL, mark).replace(HANDLE, mark)
    : text
  return /\d/.test(unaddressed)
    ? unaddressed.replace(LABELLED_PHONE, mark).replace(PHONE, mark)
    : unaddressed
}

/**
 * The text without the numbers of vehicles, by which their owners are found.
 */
export function withoutVins(text: string): string {
  return /\d/.test(text) ? text.replace(VIN, '') : text
}

/** At most so many UTF-16 units, never half a character. */
export function truncated(text: string, longest: number): string {
  if (text.length <= longest) return text
  return text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')
}

function characterOf(
  whole: string,
  decimal?: string,
  hexadecimal?: string,
  name?: string,
) {
  if (name) return NAMED_CHARACTERS.get(name.toLowerCase()) ?? whole
  const code = decimal
    ? Number(decimal)
    : Number.parseInt(hexadecimal ?? '', 16)
  const isCharacter =
    code > 31 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? visibleText(String.fromCodePoint(code)) : ' '
}

/**
 * A text with a blank in the place of every span from an opening to the first
 * closing after it, both included; a span with more than `longest` characters
 * between them stays. Each end is looked for once, so the time is linear in the
 * text: a regular expression that searches again from every opening took 8 ms
 * for 9,000 characters of comments that never end, and 100 ms for 100,000.
 * @param opening a global expression, as is `closing`.
 */
function withoutSpans(
  text: string,
  { opening, closing, longest }: (typeof UNSEEN)[number],
) {
  let kept = ''
  let at = 0
  let end = { index: -1, length: 0 }
  for (const opened of text.matchAll(opening)) {
    const from = opened.index + opened[0].length
    if (opened.index < at) continue
    if (end.index < from) end = nextMatch(text, closing, from)
    if (end.index - from > longest) continue
    kept += `${text.slice(at, opened.index)} `
    at = end.index + end.length
  }
  return kept + text.slice(at)
}

function nextMatch(text: string, pattern: RegExp, from: number) {
  pattern.lastIndex = from
  const match = pattern.exec(text)
  return { index: match?.index ?? Infinity, length: match?.[0].length ?? 0 }
}
