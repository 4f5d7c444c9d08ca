import { patternOf } from '../pattern.ts'

/** The parts of the patterns below. */
const PARTS = {
  US: 'u\\.?s\\.?|united states',
  UNDENIED: '(?<!\\b(?:no|not|not an?|non|without(?: an?)?)[- ])\\b',
  /** Not the price of the lot, and not what lateness costs. */
  BETWEEN:
    '(?:(?!acquisition|original|storage|credit card|\\bbids?\\b|\\bfine\\b|damages|if not)[^.;!?]){0,120}',
  REMOVAL:
    'remov(?:al|e|ing)|dismantl\\w*|disassembl\\w*|demoli\\w*|haul\\w*|transport(?:ation|ing)?|relocat\\w*|loading|crane|rigging|shipping|disposal',
}
const conditionPattern = patternOf.bind(null, PARTS)

/**
 * What a text says of whether and how one may bid, and how a person is told so.
 */
const CONDITIONS: [name: string, pattern: RegExp, sentence: string][] = [
  [
    'sealed_bid',
    // GSA numbers its sealed sales 2-1-QSC-S-26-002; I is an auction on the
    // Internet.
    conditionPattern(
      /<UNDENIED>sealed[- ](?:bid(?:s|ding)?|envelope)\b(?! (?:is|are|will be) not)/i,
      /\b(?:standard form|sf|gsa form)[- ]?114\b|QSC-?S-?\d/,
    ),
    'Bids are sealed: send yours on the form of the source by its deadline.',
  ],
  [
    'inspection_required',
    conditionPattern(
      /\bmandatory (?:(?:on-?)?site |pre-?bid |physical )?(?:inspection|site visit)\b(?! (?:is|are|was) not)/i,
      /\b(?:inspection|site visit)(?:(?!appointment)[^.!?]){0,30} (?:is|are) mandatory(?! to)/,
      /\b(?:inspection|site visit)(?: is| are)? required (?:prior to|before) (?:an? |any |your |placing |submitting |making ){0,2}bid/,
      /\b(?:must|shall|(?:is|are) required to) (?:physically |personally )?(?:inspect|attend)\b[^.!?]{0,60}\b(?:(?:prior to|before) (?:an? |any |your |placing |submitting |making ){0,2}bid|site visit|inspection)/,
      /\bonly (?:bidders|those|parties) who (?:have )?(?:inspected|attended)\b/,
      /\bfail(?:ure|ing)? to (?:attend|inspect)(?:(?!\bnot\b)[^.]){0,80}\b(?:ineligible|disqualif|reject)/,
    ),
    'You must inspect the lot before you bid.',
  ],
  [
    'us_citizens_only',
    conditionPattern(
      /\brequires?(?: -| –|:)? (?:proof of )?(?:<US>) citizen/i,
      /\b(?:(?:must|shall) be|only|restricted to|limited to)(?: an?)? (?:<US>) (?:citizen|person)s?\b(?![^.]{0,40}\bescort)/,
      /\b(?:must be|only|restricted to|limited to)(?: an?)? citizens? of the (?:<US>)/,
      /<UNDENIED>(?:<US>) citizens?(?:hip)?(?: (?:only|(?:is )?required)\b)/,
      /\bforeign (?:nationals|citizens) (?:are not|may not|cannot|are ineligible)/,
    ),
    'Only US citizens may buy it.',
  ],
  [
    'end_use_certificate',
    conditionPattern(
      /<UNDENIED>(?:end[- ]use(?:r)? certificat\w*|statement of end[- ]use|DLA form 1822|EUC)\b(?! (?:is|are) not)/i,
      /\btrade security controls? (?:clearance|assessment)/,
    ),
    'The buyer needs an End Use Certificate, which takes weeks.',
  ],
  [
    'statement_required',
    conditionPattern(
      /\b(?:submit|sign|provide|return|complete|send|e-?mail)(?: and (?:submit|return|e-?mail))?(?: (?:an?|the|this|attached|signed|written|bidders?'?s?)){0,4} (?:acknowledge?ment|certification|bidder)s? (?:statement|form|letter)\b/i,
      /\bsigned (?:certification )?statement\b|\bmust certify in writing\b/,
    ),
    'You must send a signed statement to the source first.',
  ],
  [
    'removal_cost_stated',
    conditionPattern(
      /\b(?:<REMOVAL>)\b(?=<BETWEEN>(?:\$ ?\d[\d,.]*k?|\d dollars)(?![^.;]{0,20}(?:per day|a day|daily|minimum)))/i,
      /\$ ?\d[\d,.]*k? (?:to (?:have it )?|for (?:the )?)?(?:<REMOVAL>|removed) ?(?:fee|cost|charge|deposit|\W|\w+ trailers|$)/,
    ),
    'The source says what removal costs; read it before you bid.',
  ],
]

/**
 * The `bid_conditions` of the contract that a text or the number of a sale
 * sets; none where it states nothing.
 */
export function bidConditionsIn(text: string): string[] {
  return CONDITIONS.flatMap(([name, pattern]) =>
    pattern.test(text) ? name : [],
  )
}

/**
 * What a buyer must know before bidding, as sentences; null without conditions.
 */
export function conditionSentences(names: readonly string[]): string | null {
  const known = CONDITIONS.filter(([name]) => names.includes(name))
  return known.map(([, , sentence]) => sentence).join(' ') || null
}

const DEADLINE_PARTS = {
  DUE: '\\b(?:bid(?:s|ding)?(?: submission)? (?:deadline|(?:are |is )?due|must be (?:received|submitted)|closes?|closing|ends?)|auction (?:closes|ends))(?: date)?(?: and time)?(?: (?:on|by|is|before|no later than)){0,2}\\s*[:–-]?\\s*',
  DAY: '(?<day>(?:\\p{L}{3,6}day,? )?\\p{L}{3,9}\\.? \\d{1,2}(?:st|nd|rd|th)?, \\d{4}|\\d{1,2}\\/\\d{1,2}\\/\\d{4})',
  TIME: '(?<time>\\d{1,2}(?::\\d{2}| ?[AP]\\.?M\\b)(?: ?[AP]\\.?M\\b| noon)?)\\.?',
  ZONE: '(?: \\(?(?<zone>eastern|central|mountain|pacific|[ECMPH][SD]?T\\b|AK[SD]T|\\p{L}{2,9}(?= time))(?: (?:standard|daylight))?(?: time)?\\)?)?',
}
const DEADLINES = [
  patternOf(DEADLINE_PARTS, /<DUE><DAY>,? (?:at )?<TIME><ZONE>/iu),
  patternOf(DEADLINE_PARTS, /<DUE><TIME><ZONE>,? (?:on )?<DAY>/iu),
]

/**
 * The exact time that a text names for the last bid, as words ("August 10, 2026
 * 5:00 PM Central"); null where it names none.
 */
export function deadlineIn(text: string): string | null {
  const plain = text.replace(/\s+/g, ' ')
  const {
    day,
    time,
    zone = '',
  } = DEADLINES.map(one => one.exec(plain)?.groups).find(Boolean) ?? {}
  return day ? `${day} ${time} ${zone}`.trim() : null
}
