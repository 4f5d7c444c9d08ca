import nameWords from '../../../data/name-words.json' with { type: 'json' }
import { shortened, withoutContacts } from './plainText.ts'
import { readOnce } from './readOnce.ts'

const [FIRST_NAMES, WORDS_AND_NAMES, NO_NAMES] = [
  nameWords.first_names,
  nameWords.words_and_names,
  nameWords.no_names,
].map(lines => new Set(lines.join(' ').split(' '))) as [Set<string>, Set<string>, Set<string>]

/** Twice what is kept of a description. */
const LONGEST_READ = 40_000
/** A longer sentence says more than whom to call: only names and contact details are removed from it. */
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
 * A text without people: sentences that say whom to call are removed, names after "contact", "POC" and the
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

/** The text without the name, address and number that the source itself gives for a person. */
export function withoutDetails(text: string, details: readonly (string | null)[]): string {
  return details.flatMap(formsOf).reduce((left, detail) => left.replace(detail, ''), text)
}

function withoutContactSentences(line: string): string {
  return line
    .split(SENTENCE_END)
    .map(readSentence)
    .filter(kept => kept !== null)
    .join(' ')
}

/** What is kept of a sentence; null for nothing. */
const readSentence = readOnce(sentence => (isAboutContact(sentence) ? null : withoutNames(sentence)))

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

const RANK =
  '(?:Mr|Mrs|Ms|Miss|Dr|Prof|Pvt|Pfc|Cpl|Sgt|SSgt|TSgt|MSgt|SMSgt|CMSgt|SFC|Lt|Capt|Cpt|Maj|Col|Cdr|Cmdr|Officer|Agent)'
/** A name after these is a person, unless it is clearly a thing. */
const ASKED =
  /(?<![\p{L}\p{N}-])(?:(?:point|points) of contact|p\.?o\.?c\.?|attn\.?|attention|contact(?: person| name)?|notify|e-?mail|ask for|(?:speak|talk|coordinate|arrange|check|meet|appointments?|schedule) (?:to|with)|(?:contracting|contract|revenue|sales) (?:officer|specialist))(?![\p{L}\p{N}])/giu
/** These stand before things as well: only where a sentence or a clause begins, and others before a known first name. */
const CALLED =
  /(?=call|telephone)(?<=^|[.;:!?,(]\s{0,3}|\b(?:please|to|must|or|and|should|can|may|info|information|questions?|inspections?|details|appointments?)\s{1,3})(?:call|telephone)(?![\p{L}\p{N}])/giu
const SEEN =
  /(?<![\p{L}\p{N}-])(?:see|phone|text|(?:property )?custodian|removal|inspection by)(?![\p{L}\p{N}])/giu
const AFTER_CUE = /^\s*(?:[:(-]|is\b|are\b)?\s*/iu
const TOKEN = /^[\p{L}][\p{L}'’]*(?:-[\p{L}'’]+)*\.?/u
/** "Boat of Jane Doe", "home of Jane Doe, 12 Cedar Way": the name of an owner, and where that person lives. */
const OWNED =
  /(?<![\p{L}\p{N}])(?:aircraft|assets|belongings|boat|car|condo|estate|home|house|jewelry|land|motorcycle|property|residence|truck|vehicle|vessel|yacht)( (?:of|belonging to) )/giu
const MOST_OWNERS = 4
const AND = /^\s(?:and|&)\s/i
const TITLE = new RegExp(`^${RANK}\\.?\\s+`)
const STREET = /^,?\s+(?:at\s+)?\d{1,6}(?:\s+(?:\p{Lu}|\d)[\p{L}\d.'’-]{0,30}){1,4}/u
const RANKED = new RegExp(`(?<![\\p{L}])${RANK}\\.?\\s+(?=\\p{Lu})`, 'gu')
/** Words of bounded length, because the search begins again at every hyphen. */
const BEFORE_ROLE =
  /(?<![\p{L}])(\p{Lu}[\p{L}'’-]{1,40}(?:\s\p{Lu}\.?)?\s\p{Lu}[\p{L}'’-]{1,40})(?=,?\s?[(-]?\s?(?:(?:the |is the )?(?:point of contact|poc|(?:property )?custodian|contracting officer|revenue officer))(?!\p{L}))/giu
const ANY_ROLE = /point of contact|poc|custodian|contracting officer|revenue officer/iu
const BRANDS =
  /^(?:john deere|harley.davidson|allen.bradley|massey.ferguson|allis.chalmers|chris.craft|herman miller|ingersoll.rand|smith.(?:and.)?wesson|ray.ban|calvin klein|ralph lauren|louis vuitton|michael kors|kenneth cole|tommy hilfiger|bobby ?cat|mark iv|marie callender)/i
const ENDS_A_NAME =
  /^\s*(?:[,.;:)(/–-]|$|(?:at|for|to|with|on|via|in|or|and|by|before|directly|ext|phone|tel)\b)/iu

/** A text without the names of persons after "contact", "POC", "see", "Mr." and the like. Product names stay. */
function withoutNames(named: string): string {
  const text = withoutOwners(named)
  const cuts: [number, number][] = []
  for (const [cues, kind] of [
    [ASKED, 'any'],
    [CALLED, 'any'],
    [SEEN, 'known'],
    [RANKED, 'ranked'],
  ] as const) {
    // matchAll copies the expression at every call, and most sentences match none.
    if (text.search(cues) < 0) continue
    for (const cue of text.matchAll(cues)) {
      const after = cue.index + cue[0].length
      const start =
        after + (kind === 'ranked' ? 0 : (AFTER_CUE.exec(text.slice(after, after + 20))?.[0].length ?? 0))
      const length = nameLength(text.slice(start, start + 80), kind)
      if (length > 0) cuts.push([kind === 'ranked' ? cue.index : start, start + length])
    }
  }
  if (text.search(ANY_ROLE) < 0) return withoutCuts(text, cuts)
  for (const { 1: name = '', index } of text.matchAll(BEFORE_ROLE)) {
    if (nameLength(name, 'any') === name.length) cuts.push([index, index + name.length])
  }
  return withoutCuts(text, cuts)
}

/** A text without the names of owners and the streets after them: "Boat of Jane Doe" becomes "Boat". */
export function withoutOwners(text: string): string {
  if (text.search(OWNED) < 0) return text
  const cuts: [number, number][] = []
  for (const { 0: cue, 1: of = '', index } of text.matchAll(OWNED)) {
    const start = index + cue.length
    let end = start
    let next = start
    for (let owners = 0; owners < MOST_OWNERS; owners++) {
      next += TITLE.exec(text.slice(next, next + 20))?.[0].length ?? 0
      const length = nameLength(text.slice(next, next + 80), 'owner')
      if (length === 0) break
      end = next + length
      next = end + (AND.exec(text.slice(end, end + 10))?.[0].length ?? 0)
      if (next === end) break
    }
    if (end === start) continue
    const [street = ''] = STREET.exec(text.slice(end, end + 120)) ?? []
    cuts.push([start - of.length, end + street.length])
  }
  return withoutCuts(text, cuts)
}

interface Token {
  word: string
  key: string
  end: number
}

/** How many characters of the beginning of a text are a person's name. */
function nameLength(text: string, kind: 'any' | 'known' | 'owner' | 'ranked'): number {
  const tokens = tokensOf(text)
  const [first, second] = tokens
  if (!first || BRANDS.test(text)) return 0
  if (kind === 'ranked') return NO_NAMES.has(first.key) ? 0 : (lastOfName(tokens, 1)?.end ?? first.end)
  const isKnown = FIRST_NAMES.has(first.key)
  const isReversed = second !== undefined && text[first.end] === ',' && FIRST_NAMES.has(second.key)
  if (isReversed && !NO_NAMES.has(first.key) && startsHigh(first))
    return lastOfName(tokens, 2)?.end ?? second.end
  if (isKnown && second && canFollowFirstName(first, second)) return lastOfName(tokens, 2)?.end ?? second.end
  if (isKnown && !WORDS_AND_NAMES.has(first.key) && ENDS_A_NAME.test(text.slice(first.end))) return first.end
  if (kind === 'owner' && !NO_NAMES.has(first.key) && startsHigh(first)) {
    if (!second || !startsHigh(second)) return ENDS_A_NAME.test(text.slice(first.end)) ? first.end : 0
    return NO_NAMES.has(second.key) ? 0 : (lastOfName(tokens, 2)?.end ?? second.end)
  }
  if (kind === 'known' || !second) return 0
  const couldBe = [first, second].every(token => isMixedCase(token) && !NO_NAMES.has(token.key))
  return couldBe ? (lastOfName(tokens, 2)?.end ?? second.end) : 0
}

/** Words with one blank, or a comma and one, between them. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (tokens.length < 4) {
    const [word] = TOKEN.exec(text.slice(at)) ?? []
    if (word === undefined) break
    const isInitial = /^\p{L}\.?$/u.test(word)
    const bare = isInitial ? word : word.replace(/\.$/, '')
    tokens.push({ word: bare, key: bare.toLowerCase().replace(/\.$/, ''), end: at + bare.length })
    if (!isInitial && bare !== word) break
    const [gap] = /^(?:\s{1,3}|,\s{0,2})/.exec(text.slice(at + bare.length)) ?? []
    if (gap === undefined) break
    at += bare.length + gap.length
  }
  // An initial in the middle belongs to the name before it.
  return tokens.reduce<Token[]>((kept, token, n) => {
    const last = kept.at(-1)
    if (n > 0 && last && token.key.length === 1 && isHigh(token.word)) last.end = token.end
    else kept.push(token)
    return kept
  }, [])
}

/** The last word that continues a name of so many words. */
function lastOfName(tokens: Token[], words: number): Token | undefined {
  let last = tokens[words - 1]
  for (const token of tokens.slice(words)) {
    if (NO_NAMES.has(token.key) || !isHigh(token.word[0] ?? '')) break
    last = token
  }
  return last
}

/** In running text a surname has a capital; where all is in capitals, or nothing, it must be no common word. */
function canFollowFirstName(first: Token, second: Token): boolean {
  if (isMixedCase(first))
    return isHigh(second.word[0] ?? '') && !(WORDS_AND_NAMES.has(first.key) && NO_NAMES.has(second.key))
  return !NO_NAMES.has(second.key) && !WORDS_AND_NAMES.has(first.key)
}

function isMixedCase({ word }: Token): boolean {
  return /^\p{Lu}[\p{L}'’-]*\p{Ll}/u.test(word)
}

function startsHigh({ word }: Token): boolean {
  return isHigh(word[0] ?? '')
}

function isHigh(text: string): boolean {
  return /^\p{Lu}/u.test(text)
}

function withoutCuts(text: string, cuts: [number, number][]): string {
  let kept = ''
  let at = 0
  for (const [start, end] of cuts.sort((a, b) => a[0] - b[0])) {
    if (end <= at) continue
    kept += text.slice(at, Math.max(at, start))
    at = end
  }
  return kept + text.slice(at)
}
