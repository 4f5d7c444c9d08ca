import { bareLetters, writtenValue } from '../../contract/text.ts'
import { formatNumber } from '../format.ts'
import { BadRow, type Cells, mustBe, shown } from './badRow.ts'
import { visibleText } from './plainText.ts'

const URI =
  /^https?:\/\/\w(?:[\w\-.~:/?@!$&'()*+,;=]|%[\da-f]{2})*(?:#(?:[\w\-.~:/?@!$&'()*+,;=]|%[\da-f]{2})*)?$/i

const MOST_CENTS = 1e12

/**
 * One line of visible text, trimmed, or null when the cell is absent, null or
 * empty.
 */
export function textIn(cells: Cells, column: string, longest = Infinity) {
  const text = paragraphsIn(cells, column)?.replace(/[\t\n\r]+/g, ' ') ?? null
  if (text !== null && text.length > longest)
    throw new BadRow(
      `${column} has ${text.length} characters; at most ${longest} are allowed.`,
    )
  return text
}

/**
 * Visible text with its line ends, trimmed, or null when the cell is absent,
 * null or empty.
 */
export function paragraphsIn(cells: Cells, column: string): string | null {
  const value = cells[column]
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw mustBe(column, 'text in quotes', value)
  if (value.includes('\0'))
    throw new BadRow(`${column} contains a NUL character.`)
  if (!value.isWellFormed())
    throw new BadRow(
      `${column} contains half of a surrogate pair, which is no character.`,
    )
  return visibleText(value).trim() || null
}

/** @throws BadRow when the cell is absent or empty. */
export function present<Value>(value: Value | null, column: string): Value {
  if (value === null) throw new BadRow(`${column} is missing.`)
  return value
}

/**
 * @throws BadRow for an id that a spreadsheet rounded: many lots would share
 * it.
 */
export function wholeId(id: string): string {
  if (!/^\d(?:[.,]\d+)?E[+-]\d{1,3}$/i.test(id)) return id
  throw new BadRow(
    `source_id is ${shown(id)}, which a spreadsheet made of a long number. Give the column the format Text, fill it again and save the file.`,
  )
}

/** One of a closed list of words, in any case. */
export function wordIn<Word extends string>(
  cells: Cells,
  column: string,
  words: readonly Word[],
): Word | null {
  const text = textIn(cells, column)
  if (text === null) return null
  const word = words.find(known => known === text.toLowerCase())
  if (!word) throw mustBe(column, `one of ${words.join(', ')}`, text)
  return word
}

const YES =
  /^(?:true|yes|y|1|(?:no|without|above|at or above) reserve|reserve off|absolute|(?:(?:seller'?s?|reserve|price|has|been|is|was) ){0,5}(?:met|reached|exceeded|satisfied))\.?$/i
const NO =
  /^(?:false|no|n|0|rnm)$|(?:\b(?:not|never|\w+n['’]t)(?: (?:been|yet|be)){0,2} |\bun)(?:met|reached|satisfied|exceeded)\b|\b(?:below|under|short of) (?:\w+ ){0,2}reserve\b/i

/**
 * Yes or no, as JSON or in words in any case, and whether a reserve is met;
 * null for nothing.
 */
export function flagIn(cells: Cells, column: string): boolean | null {
  const text = writtenValue(cells[column] ?? '').trim()
  if (YES.test(text)) return true
  if (NO.test(text)) return false
  if (text === '' && !isObject(cells[column])) return null
  throw mustBe(column, 'true or false', cells[column])
}

const BIDS =
  /^(?:(?:number of )?bids?:? ?)?\(?(\d{1,3}(?:,\d{3})+|\d{1,7})(?:\.0+)?\)?(?: (?:bids?|bidders?|offers?)(?: (?:placed|received|made|so far|yet|total))?)?$/i
const NO_BIDS =
  /^(?:no|none|zero|nobody|un-?bid|(?:no|zero|without|none of the)(?: \w+)? (?:bids?|bidders?|bidding|offers?)(?: (?:yet|placed|received|made|so far|were|was|have|been|at|this|time))*|none (?:yet|received|placed|made)|(?:nobody|no one) (?:has )?bid(?: yet)?|not bid on)\.?$/i

/**
 * A number of bids: a number, or text such as "0", "3 bids" or "No bids"; null
 * for nothing.
 */
export function bidCountIn(
  cells: Cells,
  column: string,
  most: number,
): number | null {
  const text = writtenValue(cells[column] ?? '').trim()
  const [, digits] = BIDS.exec(text) ?? []
  const count = NO_BIDS.test(text) ? 0 : digits?.replaceAll(',', '')
  return wholeNumberIn(
    count === undefined ? cells : { [column]: Number(count) },
    column,
    most,
  )
}

/** A percentage from 0 to 100: a number, or text such as "12.5" or "12.5%". */
export function percentIn(cells: Cells, column: string): number | null {
  return decimalIn(cells, column, 100, 'a percentage from 0 to 100')
}

/**
 * A number from 0 to `most`, or text such as "1,234.5".
 * @param what for people who sent another.
 */
export function decimalIn(
  cells: Cells,
  column: string,
  most: number,
  what: string,
): number | null {
  const value = cells[column]
  const text = typeof value === 'number' ? String(value) : textIn(cells, column)
  if (text === null) return null
  const isNumber =
    /^\d{1,3}(?:,?\d{3})*(?:\.\d+)?(?: ?(?:%|mi(?:les)?|h(?:ou)?rs?))?$|^\d+(?:\.\d+)?$/.test(
      text,
    )
  const number = isNumber
    ? Number.parseFloat(text.replaceAll(',', ''))
    : Infinity
  if (number > most) throw mustBe(column, what, value)
  return number
}

/** An amount in whole US cents, or null. */
export function centsIn(cells: Cells, column: string) {
  return wholeNumberIn(
    cells,
    column,
    MOST_CENTS,
    'a whole number of US cents (1250 for $12.50)',
  )
}

/**
 * A whole number from 0 to `most`. In a CSV all numbers are text, so text that
 * is a whole number counts as one.
 */
function wholeNumberIn(
  cells: Cells,
  column: string,
  most: number,
  kind = 'a whole number',
) {
  const value = cells[column]
  if (value === undefined || value === null || value === '') return null
  if (
    typeof value === 'number' &&
    Number.isInteger(value) &&
    value >= 0 &&
    value <= most
  )
    return value
  throw mustBe(column, `${kind} from 0 to ${formatNumber(most)}`, value)
}

/**
 * An http or https address of at most 2,000 characters, with everything
 * percent-encoded that a URI must not hold bare.
 */
export function urlIn(cells: Cells, column: string) {
  const text = textIn(cells, column, 2000)
  if (text === null) return null
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw mustBe(
      column,
      'an address that begins with http:// or https://',
      text,
    )
  const { username, password } = new URL(text)
  if (username || password)
    throw new BadRow(
      `${column} must not hold a user name or a password, as in ${shown(text)}.`,
    )
  const url = URI.test(text) ? text : percentEncoded(new URL(text))
  if (url.length > 2000)
    throw new BadRow(
      `${column} has ${url.length} characters when encoded; at most 2000 are allowed.`,
    )
  return url
}

/**
 * Turns whole numbers in the cells of numeric columns into numbers; all other
 * cells are unchanged. A count may end in ".0", as programs write it that know
 * no whole numbers; an amount may not, which could then be in dollars.
 */
export function withNumbers(cells: Cells, columns: ReadonlySet<string>): Cells {
  const read: Cells = {}
  for (const [column, value] of Object.entries(cells)) {
    const text =
      typeof value === 'string' && columns.has(column) ? value.trim() : null
    const whole = column.endsWith('_cents')
      ? /^-?\d{1,15}$/
      : /^-?\d{1,15}(?:\.0+)?$/
    read[column] =
      text !== null && whole.test(text) ? Number(text) : (text ?? value)
  }
  return read
}

function percentEncoded({ origin, pathname, search, hash }: URL) {
  const [path, fragment] = [pathname + search, hash.slice(1)].map(part =>
    part
      .replace(/%(?![\da-f]{2})/gi, '%25')
      .replace(/[^\w\-.~:/?@!$&'()*+,;=%]/g, encodeURIComponent),
  )
  return origin + path + (fragment ? `#${fragment}` : '')
}

const AMOUNT = /^\$? ?(\d{1,3}(?:,\d{3}){1,3}|\d{1,10})(?:\.(\d{1,2})0*)?$/

/**
 * An amount of US dollars as integer cents: a number, or text such as
 * "81480.00", "$1,145" or "75.0000".
 * @throws BadRow when it is neither, below 0, or finer than a cent.
 */
export function dollarsToCents(cells: Cells, column: string) {
  const value = cells[column]
  if (value === undefined || value === null) return null
  const isWritten = typeof value === 'number' || typeof value === 'string'
  const text = isWritten ? String(value).trim() : '?'
  if (text === '') return null
  const [, dollars, cents = ''] = AMOUNT.exec(text) ?? []
  if (!dollars)
    throw mustBe(column, 'US dollars with at most two decimals', value)
  return (
    Number(dollars.replaceAll(',', '')) * 100 + Number(cents.padEnd(2, '0'))
  )
}

/**
 * An amount of US dollars as cents; as text where it cannot be read, so that
 * the feed format says so.
 */
export function dollarsOrText(
  cells: Cells,
  column: string,
): number | string | null {
  try {
    return dollarsToCents(cells, column)
  } catch {
    return writtenValue(cells[column])
  }
}

/**
 * The named fields of a record, whatever the case of its keys: the same source
 * has been seen to write them in two ways. Every other field is dropped, and
 * personal data with it.
 */
export function fieldsOf(record: unknown, names: readonly string[]): Cells {
  const found = new Map(
    Object.entries(isObject(record) ? record : {}).map(([key, value]) => [
      bareLetters(key),
      value,
    ]),
  )
  return Object.fromEntries(
    names.map(name => [name, found.get(bareLetters(name)) ?? null]),
  )
}

/**
 * A field as trimmed text; numbers become text. Null when it is absent, blank,
 * the word "null" that Java writes, or holds other values. What cannot be
 * stored stays, so that the feed format leaves out the cell and says so.
 */
export function wordsIn(cells: Cells, field: string): string | null {
  const value = cells[field]
  if (value === undefined || value === null || typeof value === 'object')
    return null
  const text = String(value)
  const words = UNSTORABLE.test(text) ? text : textIn({ text }, 'text')
  return words?.toLowerCase() === 'null' ? null : words
}

/** NUL, and halves of surrogate pairs. */
const UNSTORABLE = /\0|\p{Cs}/u

/** @throws BadRow when the field is absent or blank, or cannot be stored. */
export function requiredWordsIn(cells: Cells, field: string): string {
  return present(textIn({ [field]: wordsIn(cells, field) }, field), field)
}

/**
 * A web address, or null where there is none that can be linked to: a lot is
 * not lost for its picture.
 */
export function linkIn(
  cells: Cells,
  field: string,
  base?: string,
): string | null {
  const value = cells[field]
  if (
    typeof value !== 'string' ||
    value.trim() === '' ||
    !URL.canParse(value.trim(), base)
  )
    return null
  const link = new URL(value.trim(), base)
  return /^https?:$/.test(link.protocol) && link.href.length <= 2000
    ? link.href
    : null
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
