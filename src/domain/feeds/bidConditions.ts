/** What a text says of whether and how one may bid, and how a person is told so. */
const CONDITIONS: [name: string, pattern: RegExp, sentence: string][] = [
  [
    'sealed_bid',
    // GSA numbers its sealed sales 2-1-QSC-S-26-002; I is an auction on the Internet.
    /\bsealed[- ]bids?\b|\b(?:standard form|sf)[- ]?114\b|-QSC-S-\d/i,
    'Bids are sealed: send yours on the form of the source by its deadline.',
  ],
  [
    'inspection_required',
    /\bmandatory (?:site |pre-?bid |physical )?(?:inspection|site visit)|\b(?:inspection|site visit) is (?:mandatory|required) (?:prior to|before) bid|\bfail(?:ure|ing)? to (?:attend|inspect)[^.]{0,80}\b(?:ineligible|disqualif|reject)/i,
    'You must inspect the lot before you bid.',
  ],
  [
    'us_citizens_only',
    /\brequires?(?: -| –|:)? (?:proof of )?(?:u\.?s\.?|united states) citizen|\b(?:must be|only|restricted to|limited to)(?: an?)? (?:u\.?s\.?|united states) citizens?|\b(?:u\.?s\.?|united states) citizens?(?:hip)?(?: (?:only|(?:is )?required)\b)/i,
    'Only US citizens may buy it.',
  ],
  [
    'end_use_certificate',
    /\bend[- ]use(?:r)? certificat|\bDLA form 1822\b/i,
    'The buyer needs an End Use Certificate, which takes weeks.',
  ],
  [
    'statement_required',
    /\b(?:submit|sign|provide|return|complete)(?: an?| the| this)?(?: signed)? (?:acknowledge?ment|certification|bidder)s? (?:statement|form|letter)\b/i,
    'You must send a signed statement to the source first.',
  ],
  [
    'removal_cost_stated',
    /\b(?:remov|dismantl|transport|shipping|disposal|relocat)\w*[^.]{0,120}(?:\$ ?\d|\d+ dollars)|\$ ?\d[\d,]*[^.]{0,80}\b(?:remov|dismantl|transport|relocat)/i,
    'The source says what removal costs; read it before you bid.',
  ],
]

/** The `bid_conditions` of the contract that a text or the number of a sale sets; none where it states nothing. */
export function bidConditionsIn(text: string) {
  return CONDITIONS.flatMap(([name, pattern]) => (pattern.test(text) ? name : []))
}

/** What a buyer must know before bidding, as sentences; null without conditions. */
export function conditionSentences(names: readonly string[]) {
  const known = CONDITIONS.filter(([name]) => names.includes(name))
  return known.map(([, , sentence]) => sentence).join(' ') || null
}

const DEADLINE =
  /\bbid(?:s|ding)?(?: submission)? (?:deadline|due|closes?|closing|ends?)(?: date)?(?: (?:on|by|is))?\s*[:–-]?\s*(\p{L}{3,9} \d{1,2}, \d{4}|\d{1,2}\/\d{1,2}\/\d{4}),? (?:at )?(\d{1,2}:\d{2} [AP]\.?M\.?)(?: \(?((?:eastern|central|mountain|pacific)|[ECMP][SD]?T)\)?)?/iu
const ZONES: Record<string, string> = { e: 'ET', c: 'CT', m: 'MT', p: 'PT' }

/** The exact time that a text names for the last bid, as words ("August 10, 2026 5:00 PM CT"); null where it names none. */
export function deadlineIn(text: string) {
  const [, day, time, zone] = DEADLINE.exec(text.replace(/\s+/g, ' ')) ?? []
  return day ? `${day} ${time}${zone ? ` ${ZONES[zone[0]!.toLowerCase()]}` : ''}` : null
}
