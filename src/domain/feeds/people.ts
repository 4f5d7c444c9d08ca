import firstNames from '../../../data/first-names.json' with { type: 'json' }
import { escaped, patternOf } from '../pattern.ts'
import {
  tidyLines,
  tidyText,
  truncated,
  withoutContacts,
  withoutVins,
} from './plainText.ts'

/**
 * What stands in the place of a cell that is nothing but a contact, where no
 * text is wanted: it is counted as not read.
 */
export const NAMED = 'a text that names a person'

/** Twice what is kept of a description. */
const LONGEST_READ = 40_000
/**
 * A longer sentence is a text without periods: only the words around its cues
 * are cut.
 */
const LONGEST_SENTENCE = 300
const [CUT_BEFORE_CUE, CUT_AFTER_CUE] = [40, 100]

/** The period after an initial or a title ends no sentence. */
const SENTENCE_END =
  /(?<=[.!?;])(?<!\b\p{Lu}\.)(?<!\b(?:Mr|Mrs|Ms|Dr|Sr|Jr|Sgt|Lt|Capt|Maj|Col|No|Attn|Ext|Extn|Tel|Ph|MR|MRS|MS|DR|SR|JR|EXT|ATTN)\.)\s+(?=[\p{Lu}(])/u
/** The parts of the patterns below. */
const PARTS = {
  NAME: "\\p{Lu}[\\p{L}.'’-]{0,40}(?![\\p{L}'’-])",
  SUFFIX: '(?:,? (?:[JSjs][Rr]\\.?|I{2,3}|IV))?',
  PERSON: '<NAME>(?:,? <NAME>){1,2}<SUFFIX>',
  POST: '<specialist|manager|technician|coordinator|supervisor|director|chief|analyst|administrator|clerk|representative|superintendent|foreman|logistician|officer|agent|inspector|assistant|accountant|secretary|warden|sergeant|captain|lieutenant|nco|engineer>',
  AFTER:
    '(?=\\s*(?:[^\\p{L}\\p{N}\\s]|$)|\\s(?:\\d+|after|any|anytime|at|before|between|during|for|from|in|no|of|on|or|to|until)\\b)',
  PLACE:
    '(?:U\\.?S\\b|<the|all|any|army|attached|base|below|building|camp|city|county|department|fort|gsa|item|joint|lot|marine|model|naval|navy|photos?|special|state|terms>(?!\\p{L}))',
  NUMBER:
    '(?:(?:\\(?\\d{3}\\)?[ .\\u2010-\\u2015/-]{1,3})?\\d{3}[.\\u2010-\\u2015-]\\d{4}|(?<=(?:at|AT|@)[ .:]{0,3})(?:\\d{7}|\\d{10}))(?![\\d-])',
  FIRST: `<${firstNames.names.join('|').replaceAll(' ', '|')}>`,
  /** Makers and tools that look like people. */
  MAKER:
    '(?:<john deere|allen bradley|gardner denver|jack stand|jack stands|stanley black>|<mark> [IVX]+\\b)',
  GIVEN: "(?=\\p{Lu})(?!<MAKER>)<FIRST>(?![\\p{L}'’-])",
  WHO: '(?:<GIVEN>(?:,? <NAME>){0,2}|<NAME>, <GIVEN>(?: <NAME>)?)<SUFFIX>',
  /** Ten digits as a telephone has them, beside a person no part number. */
  DIGITS: '(?<![\\p{L}\\d-])[2-9]\\d{9}(?![\\d-])',
  LABEL:
    '(?:<at|on|ext|extn|x|cell|phone|ph|tel|telephone|mobile|office|home|work|direct|fax|c|m|o|p>[.:# ]{1,3})?',
  STOCK:
    '<part|model|serial|no|lot|item|nsn|stock|series|type|icn|unit|number|order|tag|asset|sn|pn|upc|sku|id>(?!\\p{L})',
  /** Between a person and a number. */
  BESIDE: '[\\s,;:@|/()<>\\[\\]–—-]{1,4}',
  OF: '<of|belonging to>',
  OWNED:
    '<aircraft|assets|belongings|boat|car|condo|estate|home|house|jewelry|land|motorcycle|property|residence|truck|vehicle|vessel|yacht>',
  OWNER: '(?!U\\.?S\\b)(?:<NAME>(?:,? <NAME>){1,3}|<NAME>(?! \\p{Ll}))',
  STREET:
    ",?\\s+(?:at\\s+)?\\d{1,6}(?:\\s+(?:\\p{Lu}|\\d)[\\p{L}\\d.'’-]{0,30}){1,4}",
}
const ofPeople = patternOf.bind(null, PARTS)

const NAME_LINE = ofPeople(
  /^(?:\d[.)])?[\s*•–-]*<NAME>(?:(?:,?\s+|\s?[/;&]\s?)(?:(?:and|or|AND|OR|&|de|de la|del|van|von) )?["“(]?<NAME>["”)]?){1,5}<SUFFIX>(?:\s*\([^)]{1,20}\)|\s?[–-]\s?<primary|alternate|backup>)?[\s,;:]*$/u,
)
/** Where and when a person is found, after the name. */
const WHEREABOUTS =
  /[\s,;(–-]{1,3}(?:(?:bldg|building|room|rm|suite)\b|m-f\b|mon(?:day)?\b|\d{1,2}(?::\d\d)?\s?[ap]\.?m\b).*$/i
/** A person's post on a line of its own, or a name and a post. */
const POST_LINE = ofPeople(
  /^[^.!?\d]{0,60}(?<!\p{L})<POST>(?!\p{L})[^.!?\d]{0,25}$/u,
)
/** What stands between the lines of people: an agency, a street, a city. */
const PLACE_LINE =
  /\d{5}|^\W*\d+ \p{Lu}|\b(?:u\.?s\.?|department|dept|agency|administration|corps|army|navy|air force|marine|guard|district|office|center|service|bureau|base|fort|camp|building|bldg|room|suite|city|county|university|hospital)\b/iu
const CONTACT_LINE =
  /^\W*(?:office|phone|cell|mobile|tel(?:ephone)?|fax|e-?mail|dsn|voice|ext(?:n|ension)?)\W*(?:[:#]|\(?\d|$)/i
const NUMBER_LINE = /^\W*(?:[2-9]\d{2}[-. ]?)?\d{3}[-. ]?\d{4}\W*$/
/** A line that opens a block of people. */
const HEADING =
  /\b(?:contacts?|custodians?|officers?|p\.?o\.?c\.?s?|attn|attention|(?:contact|custodian|poc) (?:information|info|details|persons?)|(?<!\b(?:brand|item|model|product|trade) )names?)(?: ?\([^)]{1,20}\))?[^\w.]*$|\b(?:contact|custodian|ask for|attention|call|coordinat|individual|officer|personnel|poc|reach|representative|schedul|specialist|text)\w*\b[^.!?:]{0,60}:\W*$|\b(?:appointments?|inspect\w*|inspections?|questions?|removal)\b(?:[^.!?:]{0,60} (?:with|by|to|from|call|see))?:\W*$|(?<!\b(?:built|comes?|compatible|equipped|filled|fitted|included|made|manufactured|packed|powered|produced|supplied) )\b(?:with|by|to|from|see|and|or)\s*:\s*$/i

/**
 * Words that ask the reader to reach a person; with the word before or after
 * them that makes a thing of them ("contact cleaner").
 */
const CUE =
  /(?<![\p{L}\p{N}])(?:contact(?<!\b(?:electrical|in|on) contact)|contacto|kontakt|ansprechpartner(?:in)?|c\/o|p\.?o\.?c\.?|custodian|attn|ask for|(?:contract(?:ing)?|revenue|sales) (?:officer|specialist)|(?:speak|talk|coordinate|arrange|check|meet|appointments?|schedule) (?:to|with)|reach out to|hand[- ]receipt holder)(?![\p{L}\p{N}])(?! (?:adhesive|block|cart|cement|cleaner|floor|grill|lens|oxygen|paper|plate|point|probe|resistance|surface|switch|tip))/giu
/**
 * A person with a usual first name directly beside a number, in either order.
 */
const KNOWN_BESIDE_NUMBER = ofPeople(
  /(?<!\p{L})<WHO><BESIDE><LABEL>(?:<NUMBER>|<DIGITS>|\(?[2-9]\d{2}\)?[ -]\d{4}(?!\d))/gu,
  /(?<![\d-])<LABEL>(?<!-)(?:<NUMBER>|<DIGITS>|[2-9]\d{2}[ -]\d{4})<BESIDE><WHO>/u,
  /<DIGITS>\s?[([]<PERSON>[)\]]/u,
)
/**
 * Any name beside a number. In a title up to two words before it are one, but
 * for its first words, which are the thing.
 */
const BESIDE_NUMBER = ofPeople(
  /(?<!\p{L})(?<!^<NAME> )(?!<MAKER>|\S{1,60} <GIVEN>)(?:<NAME>,? (?:\p{Lu}\.? )?)?(?!<STOCK>)<NAME><SUFFIX>[ ,:@–-]{1,4}<LABEL><NUMBER>(?!<BESIDE>(?:<WHO>|<PERSON>))/gu,
  /(?<!\p{L})(?<!^<NAME> )(?!<MAKER>|\S{1,60} <GIVEN>)(?!<STOCK>)<NAME>,? (?:\p{Lu}\.? )?(?!<STOCK>)<NAME><SUFFIX><BESIDE><LABEL><DIGITS>(?!<BESIDE>(?:<WHO>|<PERSON>))/u,
  /(?<![\d-])<NUMBER><BESIDE><PERSON>(?= ?\W*$)/u,
)
/** Words that ask for a person by name, or name an owner, in a title too. */
const ASKED = ofPeople(
  /(?<!\p{L})(?:<call|text|phone|ring|dial|message|see|ask|ask for|contact|notify|email|owner|owners|buyer|seller|keys|care of>|[Cc]\/[Oo]):? <WHO>(?:<STREET>)?/gu,
  /\b(?:call|e-?mail|notify|phone|telephone|text|reach|ask|dial|<call or text>|<text or call>|<see>(?= \S+ <at|in> <bldg|building|gate|office|room>)) <NAME>(?: <NAME>){0,2}<AFTER>/u,
  /\b<owner|buyer|seller|purchaser>: ?(?!<PLACE>|<none|unknown|see|yes>)<NAME><AFTER>/u,
  /\b(?:<owner>|<signed|thank you>,) (?!<manual|operator|operators>)<PERSON><AFTER>/u,
  /\b<call|text|phone|ring> <NAME>(?: <NAME>)? \d{3} \d{4}(?!\d)/u,
)
/**
 * Words that stand before things too: cues only before capitalized words, or
 * before a name and what only a person does.
 */
const CUE_WITH_NAME = ofPeople(
  /(?:^\W*(?:Attention|Call|See|Ask|Reach|ATTENTION|CALL|SEE|ASK)|\bsee) (?!Attached|Special|ATTACHED|SPECIAL|TERMS|FOR|THE|ALL)<NAME>(?: <NAME>){1,2}<AFTER>/gu,
  /\b<appointments?|information|inspect|inspections?|keys|please|questions|removal|schedule|view|viewing>[:,]? <ask for|call|phone|see|text> (?!<PLACE>)<PERSON>/u,
  /\b(?:call|notify|phone|reach|see|text|NOTIFY|Notify) (?!<PLACE>)<PERSON>(?=\s(?:\d|and\b|or\b|who\b|with\b))/u,
  /\b<arrange|arranged|coordinate|coordinated|schedule|scheduled>(?: [\p{L}/-]{1,24}){0,3} (?:with|w\/|WITH|W\/) (?!<PLACE>)<PERSON>/u,
  /\b<assigned|belongs|email|forward|given|issued|released?|return|returned|send|sent>(?: \p{Ll}{1,15}){0,4} <to> (?!<PLACE>)<PERSON>/u,
  /\b(?:Mrs?|Ms|Miss|Prof|Pvt|Pfc|Cpl|[ST]?Sgt|[SC]?MSgt|SFC|Lt|Capt|Cpt|Maj|C[mM]?dr|Officer|Agent)\.? (?!Coffee|Clean|Dig\b|Heater|Me\b|Meyers|Orange|Peanut)(?=\p{Lu}\p{L})/u,
  /\b(?:1LT|1SG|2LT|CPT|CSM|CW[1-5]|LCDR|LTC|LTJG|SSG|WO1)\.? (?=\p{Lu}\p{L})/u,
  /\b(?:MRS?\.?|MS\.|MISS|[ST]?SGT\.?|[SC]?MSGT\.?|SFC|CAPT\.|MAJ\.|CMDR\.?) (?!COFFEE|CLEAN|HEATER)(?=\p{Lu}{2})/u,
  /\b<keys?|questions?|escorts?|access|appointments?>(?: \p{L}{1,9}){0,3}? <with|from|to|at|by|through|via>:? <NAME>(?: <NAME>){1,2}<AFTER>/u,
  /\b<held|kept|released|shown|escorted|inspected|signed|handled|managed|provided|prepared|listed|through|via>(?: by)? <PERSON><AFTER>/u,
  /<PERSON> (?:<has|holds|keeps|have> <the keys?|keys?>|<will|can> <escort|meet|show|help|assist|release|answer|let|open|be>\b)/u,
  /<PERSON>(?:, | - | – | \()(?:[\p{Lu}&][\p{L}&/-]{0,20} ){0,4}<POST>(?!\p{L}| (?:Bag|Case|Chair|Desk|Drawing|Edition|Kit|Level|Package|Set|Table|Tag|package|unit))/u,
  /<POST>(?::|,| is| ?[-–]) (?!<PLACE>)<PERSON><AFTER>/u,
  /<PERSON>,? (?:GS-?\d|CIV\b|CTR\b(?<!<care|community|data|distribution|health|logistics|medical|operations|recreation|service|support|training> CTR))/u,
  /<PERSON>(?:(?<=['’]s?)|, <who>|,? <is the>) <office|cell|desk|phone|manages|runs|works|has|will|contact|custodian|point>/u,
  /\b<sold to|awarded to|buyer|purchaser|winner|winning bidder|high bidder|successful bidder|seller|consignor>(?: ?[:-] ?| <is> | )(?!<PLACE>)<PERSON>/u,
  /\b<alternate|primary|backup|secondary|owner|name|by|escort|from|keys?|ranger|rep|holder|disposal|authority|appointment>(?:[:-] ?| <is> )(?!<PLACE>)<PERSON><AFTER>/u,
  /(?:^|\s)(?:APO|COR|PM)[:-] ?<PERSON>/u,
  /\b<by|with|from|to|see|ask> <chief|director|colonel|captain|major|sergeant|lieutenant|commander|deputy> <NAME>/u,
  /(?<!\p{Lu}[\p{L}.'’-]{0,40} )\bDr\. (?!Dre\b|Pepper|Scholl)(?=\p{Lu})/u,
)
/**
 * "Boat of Jane Doe and John Doe, 12 Cedar Way": the owners of a thing, and
 * where they live.
 */
const OWNERS = ofPeople(
  / <OF> (?<=(?<![\p{L}\p{N}])<OWNED> <OF> )(?:<NAME> (?:and|AND|&) )?<OWNER>(?: (?:and|AND|&) <OWNER>)?(?:<STREET>)?/gu,
  /(?<!\p{L})<PERSON>(?<=['’]s?) (?=<OWNED>(?!\p{L}))/u,
  /(?<=(?<!\p{L})<seized>(?: \p{L}{1,20}){0,3}) <from>:? <PERSON>(?: \p{Lu}\.)?/u,
  /,? ?(?<!\p{L})<seized from|property of taxpayer|taxpayers?|owned by>:? <PERSON>:? ?/u,
  /(?<!\p{L})(?:U\.?S\.?|<united states>) v\.? <OWNER>:? ?/u,
)

/**
 * A text without people: without the sentences that hold a cue ("contact",
 * "POC", "see Mr. …"), an e-mail address or a telephone number, the names below
 * a heading such as "Custodian", owners ("boat of …"), and the details that the
 * source gives for its officer. A name in running text without any cue stays.
 */
export function withoutPeople(
  text: string,
  details: readonly (string | null)[],
): string {
  const read = truncated(text, LONGEST_READ)
  const lines = withoutDetails(read, [
    ...details,
    ...namesInEmails([read, ...details].join(' ')),
  ]).split('\n')
  let isBelowHeading = false
  const kept = lines.filter((line, n) => {
    if (line.trim() === '') return true
    const named = line.replace(WHEREABOUTS, '')
    const isName = NAME_LINE.test(named) && !PLACE_LINE.test(named)
    const isPerson =
      NUMBER_LINE.test(line) ||
      (isBelowHeading &&
        (isName || (POST_LINE.test(line) && !PLACE_LINE.test(line)))) ||
      (isName &&
        isOfPerson(lines.slice(n + 1).find(next => next.trim() !== '') ?? ''))
    isBelowHeading =
      isPerson ||
      HEADING.test(line) ||
      (isBelowHeading &&
        (PLACE_LINE.test(line) || CONTACT_LINE.test(line)) &&
        line.length < LONGEST_OF_BLOCK)
    return !isPerson
  })
  return kept
    .map(line => withoutNames(withoutOwners(line).split(SENTENCE_END)))
    .join('\n')
}

/**
 * A description as it may be kept, at most 20,000 characters: without people,
 * who are found by the numbers and addresses beside them, and then without what
 * is left of those.
 * @param words without markup; null and nothing are null.
 * @param details what the source itself gives for its officer.
 */
export function describedWithoutPeople(
  words: string | null,
  details: readonly (string | null)[] = [],
): string | null {
  return (
    words &&
    (tidyText(withoutPeople(tidyLines(withoutVins(words)), details)) || null)
  )
}

/**
 * The sentences of a line that say nothing of people; a name alone after one
 * that does goes with it.
 */
function withoutNames(sentences: string[]) {
  let isAfterPerson = false
  return sentences
    .map(sentence => {
      const isName =
        (isAfterPerson || ASKS.test(sentence)) && NAME_ALONE.test(sentence)
      const kept = isName ? '' : withoutCues(sentence)
      isAfterPerson = kept === '' || ASKS.test(sentence)
      return kept
    })
    .filter(Boolean)
    .join(' ')
}

const ASKS = /\bquestions\?$/i
const NAME_ALONE = ofPeople(/^(?:(?:or|OR|and|AND) )?<PERSON>[.;]?$/u)

/** A longer line below a heading is a sentence and ends the block. */
const LONGEST_OF_BLOCK = 80

/**
 * Whether the line after a name says that it was one: a post, a number, an
 * address.
 */
function isOfPerson(line: string) {
  return (
    (POST_LINE.test(line) && !PLACE_LINE.test(line)) ||
    CONTACT_LINE.test(line) ||
    NUMBER_LINE.test(line) ||
    2 * withoutContacts(line).length < line.length
  )
}

/**
 * At the end of a title: "- contact Jane Doe", "POC Jane Doe", "sold to Jane
 * Doe".
 */
const PERSON_AT_END = ofPeople(
  /[\s,;(–-]*(?:[,;(–-] ?<call|contact|custodian|see>|(?<=^| )(?:[Cc]\/[Oo]|<poc|attn|kontakt|contacto|ansprechpartner|sold to|awarded to|buyer|purchaser|winner|winning bidder|high bidder>)):? (?!<PLACE>|Oxygen|OXYGEN)<NAME>(?: <NAME>){1,2}(?:\W*$|<AFTER>.*$)/u,
  /[\s,;(–-]*(?:<please> )?\b(?:<ask for>|<contact|contacto|kontakt|ansprechpartner|poc|attn|attention|seller|owner|buyer|winner>:) (?!<PLACE>)<NAME>(?: <NAME>){0,2}(?:\W*$|<AFTER>.*$)/u,
)

/** A number of nobody. */
const MARK = '555-555-0100'
const NAME_AFTER_MARK = ofPeople(
  /[\s,;:(@–-]*(?:<phone|tel|ph|fax|cell|mobile|whatsapp|text|call>\W*)?555-555-0100\W*(?:<NAME> ?){0,3}\W*$/u,
)

/**
 * A title without people, as `titleWithoutNames` says, and without the numbers
 * of vehicles.
 */
export function titleWithoutPeople(title: string): string {
  return titleWithoutNames(withoutVins(title))
}

/**
 * A title without contact details, and without the words around them that name
 * a person; owners go too.
 */
export function titleWithoutNames(title: string): string {
  const unowned = withoutOwners(title).replace(PERSON_AT_END, '')
  // An address becomes a number, so that the name beside it is found.
  const numbered = withoutContacts(unowned, MARK)
  const cue = cueIn(numbered, numbered === unowned ? CUES_OF_TITLES : CUES)
  if (cue === Infinity && numbered === unowned) return unowned
  const unnamed =
    cue > 0 ? numbered.slice(0, cue) : KNOWN.reduce(withoutMatches, numbered)
  return withoutContacts(unnamed.replace(NAME_AFTER_MARK, '')).replace(
    NOTHING_AT_END,
    '',
  )
}

const NOTHING_AT_END =
  /^\W+$|(?:^|[\s,;:(@–-]+)(?:(?:call|text|phone|e-?mail|owner|contact|c\/o|see|ask)\W*)?$/i

/**
 * "jane.doe@example.gov" belongs to Jane Doe, who can stand elsewhere in the
 * text.
 */
export function namesInEmails(text: string): string[] {
  const found =
    text.match(/[a-z'-]{2,30}(?:[._][a-z'-]{1,30}){1,2}(?=@)/gi) ?? []
  return [...new Set(found.map(local => local.replace(/[._]/g, ' ')))]
}

/**
 * The text without the name, address and number that the source itself gives
 * for a person.
 */
export function withoutDetails(
  text: string,
  details: readonly (string | null)[],
): string {
  return details
    .flatMap(formsOf)
    .reduce((left, form) => left.replace(form, ''), text)
}

/**
 * A text without the names of owners and the streets after them: "Boat of Jane
 * Doe" becomes "Boat".
 */
export function withoutOwners(text: string) {
  return text.replace(OWNERS, '')
}

function withoutCues(sentence: string) {
  if (sentence.length <= LONGEST_SENTENCE) {
    return cueIn(sentence) < Infinity || withoutContacts(sentence) !== sentence
      ? ''
      : sentence
  }
  let [kept, from] = ['', 0]
  const next = CUES.map(() => -1)
  while (true) {
    // A pattern is looked for again only behind what was cut, so each reads the
    // sentence once.
    for (const [n, pattern] of CUES.entries())
      if (next[n]! < from) next[n] = firstFrom(pattern, sentence, from)
    const cue = Math.min(...next)
    if (cue === Infinity) return kept + sentence.slice(from)
    kept += sentence.slice(
      from,
      Math.max(from, sentence.lastIndexOf(' ', cue - CUT_BEFORE_CUE) + 1),
    )
    from = firstFrom(WORD_END, sentence, cue + CUT_AFTER_CUE)
  }
}

const KNOWN = [KNOWN_BESIDE_NUMBER, ASKED]
const CUES_OF_TITLES = [...KNOWN, BESIDE_NUMBER]
const CUES = [...CUES_OF_TITLES, CUE_WITH_NAME, CUE]
const WORD_END = /\s|$/g
const OF_NUMBERS = new Set([KNOWN_BESIDE_NUMBER, BESIDE_NUMBER])
/**
 * What each NUMBER and all DIGITS hold. Why: operators who load large feeds,
 * half of whose time the names took where no number is; `make bench
 * ONLY=feedLoad`.
 */
const HAS_NUMBER = /\d{3}\)?[ .\u2010-\u2015-]\d{4}|\d{7}/

/**
 * The first place from which on a global pattern matches; infinity for none.
 */
function firstFrom(pattern: RegExp, text: string, from: number) {
  if (OF_NUMBERS.has(pattern) && !HAS_NUMBER.test(text)) return Infinity
  pattern.lastIndex = Math.min(from, text.length)
  return pattern.exec(text)?.index ?? Infinity
}

function cueIn(text: string, cues = CUES) {
  return Math.min(...cues.map(pattern => firstFrom(pattern, text, 0)))
}

function withoutMatches(text: string, pattern: RegExp) {
  return text.replace(pattern, '')
}

/**
 * "Jane Q Doe" is also looked for as "Jane Doe" and "Doe, Jane Q". One word
 * alone could be any word, so it stays.
 */
function formsOf(detail: string | null) {
  // A longer one is no name, and no pattern.
  const words =
    detail && detail.length <= LONGEST_SENTENCE
      ? detail.trim().split(/\s+/)
      : []
  const [first = '', last = ''] = [words[0], words.at(-1)]
  if (words.length < 2 && !/[@\d]/.test(first)) return []
  const forms =
    words.length < 2
      ? [words]
      : [words, [`${last},`, ...words.slice(0, -1)], [first, last]]
  return forms.map(
    form =>
      new RegExp(`(?<!\\w)${form.map(escaped).join('\\s+')}(?!\\w)`, 'gi'),
  )
}
