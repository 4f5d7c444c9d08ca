import { FEED_COLUMNS, type LotRow } from './lotRow.ts'

/**
 * One row of a file as it was read, by column: text in a CSV, any JSON value in
 * NDJSON.
 */
export type Cells = Record<string, unknown>

/**
 * Why one row of a file cannot be used, as a sentence for the author of the
 * file. It never stops a load.
 */
export class BadRow extends Error {
  /**
   * The cells of the row that could be left empty and could not be read either.
   */
  unread: readonly string[] = []
}

/** @param kind what a value of the column must be. */
export function mustBe(column: string, kind: string, value: unknown) {
  return new BadRow(`${column} must be ${kind}, not ${shown(value)}.`)
}

/**
 * A value as a reason shows it: quoted, with anything unprintable escaped, and
 * short.
 */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : jsonOf(value)
  const quoted = JSON.stringify(text.slice(0, 60)).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    escaped,
  )
  return text.length > 60 ? `${quoted.slice(0, -1)}…"` : quoted
}

/**
 * `JSON.stringify` is recursive: a value nested some thousand levels deep
 * exceeds its stack.
 */
function jsonOf(value: unknown) {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch (error) {
    if (error instanceof RangeError)
      return 'a value nested too deep to be shown'
    throw error
  }
}

function escaped(character: string) {
  return character
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}

/** A file that cannot be used as a whole: it is refused and changes nothing. */
export class UnusableFile extends Error {}

/**
 * Values that no check refuses, for columns that must not be empty or that
 * other columns are checked against. The source is an untracked one, whose lots
 * may be on any host; `source_url` is checked last.
 */
const STAND_INS: Cells = {
  id: 'gsa-1',
  source: 'untracked',
  source_id: '1',
  title: 'lot',
  source_url: 'https://lot.example/',

  sold: 'false',
  outcome: 'unsold',
  current_bid_cents: 1,
}

/**
 * The column with whose name a reason begins; empty for a column that the
 * format does not have.
 */
export function columnAtFault(reason: string): string {
  return /^\w+/.exec(reason)?.[0] ?? ''
}

/**
 * Every fault of a row that `read` refused, in one text, so that an author
 * fixes the row once. Reads the row again with the cell at fault replaced,
 * until nothing new is refused; good rows cost nothing. A reason begins with
 * the name of its column, or in quotes with that of an unknown one.
 * @param first the refusal.
 */
export function allFaults(
  cells: Cells,
  read: (cells: Cells) => LotRow,
  first: BadRow,
): string {
  const rest = { ...cells }
  const reasons = []
  const replaced = new Set<string>()
  const unread = new Set<string>()
  for (let refusal: Refusal = first; ; refusal = refusalOf(rest, read)) {
    for (const cell of refusal.unread) unread.add(`${cell}.`)
    const column = columnAtFault(refusal.message ?? '')
    if (refusal.message === null || replaced.has(column)) break
    reasons.push(refusal.message)
    replaced.add(column)
    if (column !== '') rest[column] = STAND_INS[column] ?? null
    else
      for (const name of Object.keys(rest))
        if (!FEED_COLUMNS.includes(name)) delete rest[name]
  }
  return [...reasons, ...unread].join(' ')
}

/**
 * Why a row is refused, null where it is not, and what of it could not be read.
 */
type Refusal = Pick<BadRow, 'unread'> & { message: string | null }

function refusalOf(cells: Cells, read: (cells: Cells) => LotRow): Refusal {
  try {
    return { message: null, unread: read(cells).unread ?? [] }
  } catch (error) {
    if (error instanceof BadRow) return error
    throw error
  }
}
