import firstNames from '../../../data/first-names.json' with { type: 'json' }
import { patternOf } from '../pattern.ts'

const PERSONAL_COLUMN = patternOf(
  {
    /** Whoever owns, owes, buys, holds or lives in what is sold. */
    PERSON:
      'owner|own_?(?:name|\\d)|taxpayer|defendant|plaintiff|debtor|grant[eo]|buyer|purchaser|bidder|winner|tenant|occupant|driver|part(?:y|ies)(?![a-z])|awardee|vendor|payee|payer|customer|client|less[eo][er]|recipient|assignee|consignee|mortgag|borrower|claimant|petitioner|respondent|heir|decedent|deceased|trustee|executor|licensee|resident(?![a-z])|spouse|attorney|signe[er]',
    CONTACT:
      'contact|kontakt|poc(?![a-z])|ansprechpartner|representative|coordinator|custodian|officer|employee|plate|license_?pl|phone|telephone|telefon|(?:cell|mobile)_?n(?:o|um)|fax|e_?mail|mail|ssn|dob|birth',
    NAME: '(?:first|last|full|middle|sur|given|person|individual)_?name',
    GIVEN:
      '(?:sold|awarded|deeded|conveyed|transferred|assigned|released|issued|paid|purchased|bought|held)_?(?:to|by)(?![a-z])',
  },
  /(?:^|[^a-z])(?:<PERSON>|<CONTACT>|<NAME>|<GIVEN>)|^names?_?\d*$|_(?:to|by)$/,
)

/**
 * How many people there are, or what they pay: no person. "number" alone names
 * one ("owner_number").
 */
const NUMBER_OF_PEOPLE =
  /_(?:count|cnt|ct|qty|quantity|total|fee|premium|pct|percent|rate)s?(?:_(?:pct|percent|rate))?$|(?:^|_)bidders(?:_?(?:count|n(?:o|r|br|um|umber)))?$|^(?:count|n(?:o|r|br|um|umber)|total|sum)_?(?:of_?)?\w*s$/

/**
 * Whether the name of a column says that it holds people, plates or contact
 * details.
 */
export function isPersonalColumn(name: string): boolean {
  const words = name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()
  return PERSONAL_COLUMN.test(words) && !NUMBER_OF_PEOPLE.test(words)
}

const FIRST_NAMES = new Set(firstNames.names.join(' ').split(' '))

/**
 * As deeds and tax rolls name people: estates, heirs, trusts, joint tenants,
 * "and others".
 */
const OF_DEEDS =
  /^(?!.*real estate)(?:.*\b(?:heirs|estate|devisees) of\b.*|.+ (?:trust(?:ees?)?|heirs|JT|JTWROS|ET ?AL|ET ?UX|ET ?VIR|LIFE ESTATE|DECEASED|DEC'D)\.?)$/i
/**
 * "LAST FIRST M", "First M. Last", "Last, First", "LAST FIRST M & FIRST": each
 * a person where one word is a first name.
 */
const IN_FULL =
  /^\p{L}[\p{L}'’-]+(?:,? \p{L}[\p{L}'’-]+ \p{L}\.?| \p{L}\.? \p{L}[\p{L}'’-]+|, \p{L}[\p{L}'’. -]{1,30})(?:,? (?:JR|SR|I{2,3}|IV)\.?)?$|^[\p{L}'’., -]{3,60} (?:&|AND) [\p{L}'’., -]{1,60}$/iu
const CAPITALS =
  /^[A-Z][A-Z'’-]+,? [A-Z][A-Z'’-]+ [A-Z]\.?(?: (?:JR|SR|I{2,3}|IV))?$/
const SHORT = /^\p{L}[\p{L}'’.-]*(?:,? \p{L}[\p{L}'’.-]*){1,3}$/u
const NO_PERSON =
  /^(?:st|saint|san|santa|fort|ft|port|mount|mt|lake|new|city|county|town|village|the)\b|\b(?:ave|blvd|cir|ct|dr|hwy|ln|loop|pike|pkwy|pl|place|rd|st|street|ter|trl|way|arbor|beach|city|county|parish|park|township|twp|addition|subdivision|plat|church|school|center|llc|inc|corp|co|company|bank|deere)\.?$/i
const LONGEST = 80

/** Whether a cell names a person and nothing else, by its form. */
export function isPerson(text: string): boolean {
  const words = text.trim().replace(/\s+/g, ' ')
  return (
    words.length <= LONGEST &&
    (OF_DEEDS.test(words) || (IN_FULL.test(words) && hasFirstName(words)))
  )
}

/**
 * Whether most of the filled cells of a column look like people, some of whom
 * no form alone would show.
 */
export function holdsPeople(values: unknown[]): boolean {
  const filled = values.filter(
    value =>
      value !== null && value !== undefined && String(value).trim() !== '',
  )
  const people = filled.filter(
    value => typeof value === 'string' && looksLikePerson(value),
  )
  return people.length > filled.length / 2
}

function looksLikePerson(text: string) {
  const words = text.trim().replace(/\s+/g, ' ')
  if (isPerson(words)) return true
  return (
    !NO_PERSON.test(words) &&
    (CAPITALS.test(words) || (SHORT.test(words) && hasFirstName(words)))
  )
}

function hasFirstName(words: string) {
  const parts = words.toLowerCase().split(/[^\p{L}'’-]+/u)
  return !NO_PERSON.test(words) && parts.some(part => FIRST_NAMES.has(part))
}
