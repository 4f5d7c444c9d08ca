import {
  type Cells,
  shown,
  UnusableFile,
} from '../../../domain/feeds/badRow.ts'
import { isObject } from '../../../domain/feeds/cells.ts'
import { unknownColumn } from '../../../domain/feeds/feedRow.ts'
import type { LotRow } from '../../../domain/feeds/lotRow.ts'
import { count } from '../../../domain/format.ts'
import { type Encoding, type Line, linesOf } from './feedFile.ts'
import { refuseDocuments, refuseSeparators } from './otherForms.ts'

/**
 * One record of a file, as far as its encoding is concerned: its cells by
 * column, or why there are none.
 */
export type FeedRecord = { line: number; raw: string } & (
  | { cells: Cells }
  /** Cut off: it is the last record of the file and stops in its middle. */
  | { fault: string; isCutOff: boolean }
)

/** Reads the rows of a format. */
export interface RowReader {
  /**
   * @throws BadRow with the first thing that is wrong; `allFaults` finds the
   * others.
   */
  readRow: (cells: Cells) => LotRow
  /** @throws BadRow when the row does not name its lot. */
  readKey(cells: Cells): Pick<LotRow, 'source' | 'source_id'>
}

/**
 * Is given the header of a CSV.
 * @throws UnusableFile when it cannot be used.
 */
type CheckColumns = (columns: string[]) => void

/** The records of a file or of its bytes, a chunk of them at a time. */
export function recordsOf(
  file: string | Buffer,
  encoding: Encoding,
  checkColumns: CheckColumns,
): AsyncIterable<FeedRecord[]> {
  const lines = linesOf(file)
  return encoding === 'csv'
    ? csvRecords(lines, checkColumns)
    : ndjsonRecords(lines)
}

async function* ndjsonRecords(lines: AsyncIterable<Line[]>) {
  let isFirst = true
  for await (const some of lines) {
    const filled = some.filter(line => line.text.trim() !== '')
    if (isFirst && filled[0]) {
      isFirst = false
      refuseDocuments(filled[0].text)
    }
    yield filled.map(recordOf)
  }
}

function recordOf({ number, text, fault, isEnded }: Line): FeedRecord {
  const faulty = (reason: string) => ({
    line: number,
    raw: text,
    fault: reason,
    isCutOff: !isEnded,
  })
  if (fault) return faulty(fault)
  try {
    const cells: unknown = JSON.parse(text)
    if (!isObject(cells))
      return faulty(`The line must be one JSON object, not ${shown(cells)}.`)
    return { line: number, raw: text, cells }
  } catch {
    return faulty(`The line is not valid JSON: ${shown(text)}.`)
  }
}

/**
 * A quoted cell can contain line ends; beyond this length its quote is a stray
 * one.
 */
const LONGEST_RECORD = 262_144

const STRAY_QUOTE =
  'A quote in this line is not closed, or text follows a closing quote.'

/**
 * The records of a CSV file whose first record names the columns (RFC 4180). A
 * stray quote costs one line.
 *
 * Why no library: after a quote that is never closed, csv-parse 7 skips every
 * row to the end of the file, or up to `max_record_size`, and replaces bytes
 * that are not UTF-8; fast-csv 5 gives neither line numbers nor raw text.
 */
async function* csvRecords(
  lines: AsyncIterable<Line[]>,
  checkColumns: CheckColumns,
) {
  let header: string[] | null = null
  let columns: string[] = []
  let open: Line[] = []
  const take = (some: Line[], isEnd: boolean) => {
    const { rows, rest } = csvRows([...open, ...some], isEnd)
    open = rest
    if (header === null && rows[0]) {
      header = columnsIn(rows.shift()!)
      columns = header.slice(0, header.findLastIndex(Boolean) + 1)
      checkColumns(columns)
    }
    return rows.map(row => csvRecord(row, header!, columns))
  }
  for await (const some of lines) yield take(some, false)
  const records = take([], true)
  const last = records.at(-1)
  // Whole rows in what looked like one quoted cell: its quote was a stray one.
  // Without any, the file was cut off inside the cell.
  if (last && !records.some(record => 'cells' in record))
    Object.assign(last, { isCutOff: true })
  yield records
}

/**
 * A row of a CSV; without cells where a quote is not closed, or text follows a
 * closing quote.
 */
interface CsvRow {
  lines: Line[]
  cells: string[] | null
}

/**
 * The rows of some lines, and the lines that a quoted cell leaves open, which
 * at the end of the file has a stray quote.
 */
function csvRows(lines: Line[], isEnd: boolean) {
  const rows = []
  for (let from = 0, next = 1; from < lines.length; from = next) {
    next = from + 1
    if (lines[from]!.text.trim() === '') continue
    const row = csvRow(lines, from)
    if (row === 'open' && !isEnd) return { rows, rest: lines.slice(from) }
    if (typeof row === 'object') next = row.next
    rows.push({
      lines: lines.slice(from, next),
      cells: typeof row === 'object' ? row.cells : null,
    })
  }
  return { rows, rest: [] }
}

/**
 * The row that begins with a line. A quote inside an unquoted cell (5" pipe) is
 * an ordinary character.
 */
function csvRow(lines: Line[], from: number) {
  const cells = []
  let { text } = lines[from]!
  let next = from + 1
  for (let at = 0, end = 0; ; at = end + 1) {
    if (text[at] === '"') {
      end = closingQuote(text, at + 1)
      for (; end === -1; next += 1) {
        if (text.length > LONGEST_RECORD) return 'stray'
        const line = lines[next]
        if (!line) return 'open'
        const quote = closingQuote(line.text, 0)
        if (quote !== -1) end = text.length + 1 + quote
        text += `\n${line.text}`
      }
      cells.push(text.slice(at + 1, end).replaceAll('""', '"'))
      end += 1
    } else {
      const comma = text.indexOf(',', at)
      end = comma === -1 ? text.length : comma
      cells.push(text.slice(at, end))
    }
    if (end === text.length) return { cells, next }
    if (text[end] !== ',') return 'stray'
  }
}

function closingQuote(line: string, from: number) {
  let quote = line.indexOf('"', from)
  while (quote !== -1 && line[quote + 1] === '"')
    quote = line.indexOf('"', quote + 2)
  return quote
}

/**
 * The names of the columns, among them those of empty cells, which a
 * spreadsheet appends.
 */
function columnsIn({ lines, cells }: CsvRow) {
  refuseSeparators(lines[0]!.text)
  if (cells) return cells.map(cell => cell.trim())
  throw new UnusableFile(
    `Line ${lines[0]!.number} should name the columns, but a quote in it is not closed.`,
  )
}

function csvRecord(
  { lines, cells }: CsvRow,
  header: string[],
  columns: string[],
): FeedRecord {
  const record = {
    line: lines[0]!.number,
    raw: lines.map(({ text }) => text).join('\n'),
  }
  const fault =
    lines.find(line => line.fault)?.fault ?? (cells ? null : STRAY_QUOTE)
  if (fault || !cells) return { ...record, fault: fault!, isCutOff: false }
  const isPadded =
    cells.length === header.length &&
    cells.slice(columns.length).every(cell => !cell.trim())
  if (isPadded || cells.length === columns.length)
    return {
      ...record,
      cells: Object.fromEntries(columns.map((column, n) => [column, cells[n]])),
    }
  const wrongCount = `The row has ${count(cells.length, 'cell')}, but the header names ${count(columns.length, 'column')}.`
  const isCutOff = cells.length < columns.length && !lines.at(-1)!.isEnded
  return { ...record, fault: wrongCount, isCutOff }
}

/** @throws UnusableFile where the last of these records stops in its middle. */
export function refuseCutOff(records: FeedRecord[]): void {
  const cut = records.find(record => 'fault' in record && record.isCutOff)
  if (cut)
    throw new UnusableFile(
      `The file stops in the middle of line ${cut.line}: it was cut off.`,
    )
}

/**
 * @throws UnusableFile for a header that lacks a column, names one twice, or
 * has one that is not known.
 */
export function checkHeader(
  columns: string[],
  required: readonly string[],
  known: readonly string[],
): void {
  const unknown = columns
    .filter(column => !known.includes(column))
    .map(unknownColumn)
  const missing = required.filter(column => !columns.includes(column))
  const repeated = columns.filter(
    (column, index) => columns.indexOf(column) !== index,
  )
  const [fault] = [
    ...unknown,
    ...(missing.length > 0 ? [`it lacks ${missing.join(', ')}.`] : []),
    ...repeated.map(column => `it names ${column} twice.`),
  ]
  if (fault) throw new UnusableFile(`The header cannot be used: ${fault}`)
}
