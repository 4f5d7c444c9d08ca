import { type Cells, shown, UnusableFile } from '../../../domain/feeds/badRow.ts'
import { isObject } from '../../../domain/feeds/cells.ts'
import type { LotRow } from '../../../domain/feeds/lotRow.ts'
import { type Encoding, type Line, linesOf } from './feedFile.ts'

/** One record of a file, as far as its encoding is concerned: its cells by column, or why there are none. */
export type FeedRecord = { line: number; raw: string } & (
  | { cells: Cells }
  /** Cut off: it is the last record of the file and stops in its middle. */
  | { fault: string; isCutOff: boolean }
)

/** Reads the rows of a format. */
export interface RowReader {
  /** @throws BadRow with the first thing that is wrong; `allFaults` finds the others. */
  readRow: (cells: Cells) => LotRow
  /** @throws BadRow when the row does not name its lot. */
  readKey(cells: Cells): Pick<LotRow, 'source' | 'source_id'>
}

/**
 * The records of a file or of its bytes, a chunk of them at a time.
 * @param checkColumns is given the header of a CSV, and throws UnusableFile when it cannot be used.
 */
export function recordsOf(
  file: string | Buffer,
  encoding: Encoding,
  checkColumns: (columns: string[]) => void,
): AsyncGenerator<FeedRecord[]> {
  const lines = linesOf(file)
  return encoding === 'csv' ? csvRecords(lines, checkColumns) : ndjsonRecords(lines)
}

async function* ndjsonRecords(lines: AsyncIterable<Line[]>): AsyncGenerator<FeedRecord[]> {
  for await (const some of lines) yield some.filter(line => line.text.trim() !== '').map(recordOf)
}

function recordOf({ number, text, fault, isEnded }: Line): FeedRecord {
  const faulty = (reason: string) => ({ line: number, raw: text, fault: reason, isCutOff: !isEnded })
  if (fault) return faulty(fault)
  try {
    const cells: unknown = JSON.parse(text)
    if (!isObject(cells)) return faulty(`The line must be one JSON object, not ${shown(cells)}.`)
    return { line: number, raw: text, cells }
  } catch {
    return faulty(`The line is not valid JSON: ${shown(text)}.`)
  }
}

/** A quoted cell can contain line ends; beyond this length its quote is a stray one. */
const LONGEST_RECORD = 262_144

const STRAY_QUOTE = 'A quote in this line is not closed, or text follows a closing quote.'

/**
 * The records of a CSV file whose first record names the columns. A stray quote costs one line.
 *
 * Why no library: after a quote that is never closed, csv-parse 7 skips every row to the end of the file, or up to
 * `max_record_size`, and replaces bytes that are not UTF-8; fast-csv 5 gives neither line numbers nor raw text.
 * @param checkColumns throws UnusableFile when the header cannot be used.
 */
async function* csvRecords(
  lines: AsyncIterable<Line[]>,
  checkColumns: (columns: string[]) => void,
): AsyncGenerator<FeedRecord[]> {
  const reader = new CsvReader(checkColumns)
  for await (const some of lines) yield some.flatMap(line => reader.read(line))
  yield reader.end()
}

class CsvReader {
  readonly #checkColumns: (columns: string[]) => void
  #columns: string[] | null = null
  #open = new OpenRecord()

  constructor(checkColumns: (columns: string[]) => void) {
    this.#checkColumns = checkColumns
  }

  /** The records that this line completes: none inside a quoted cell, several after a stray quote. */
  read(line: Line): FeedRecord[] {
    const records: FeedRecord[] = []
    /** The lines to read next, the first one last. */
    const ahead = [line]
    for (let next = ahead.pop(); next; next = ahead.pop()) {
      if (this.#open.lines.length === 0 && next.text.trim() === '') continue
      const state = this.#open.read(next)
      if (state === 'open') continue
      const record = this.#takeOpen()
      if (state === 'complete') records.push(...this.#recordOf(record))
      else {
        const [first, ...others] = record.lines
        records.push(this.#strayQuote(first!))
        for (const other of others.reverse()) ahead.push(other)
      }
    }
    return records
  }

  /**
   * The records of the lines that a quoted cell still holds when the file ends. When whole rows are among them, the
   * quote was a stray one; when there are none, the file was cut off inside the cell.
   */
  end(): FeedRecord[] {
    const records: FeedRecord[] = []
    while (this.#open.lines.length > 0) {
      const [first, ...others] = this.#takeOpen().lines
      records.push(this.#strayQuote(first!))
      for (const line of others) records.push(...this.read(line))
    }
    const last = records.at(-1)
    if (last && !records.some(record => 'cells' in record)) Object.assign(last, { isCutOff: true })
    return records
  }

  #takeOpen(): OpenRecord {
    const taken = this.#open
    this.#open = new OpenRecord()
    return taken
  }

  #strayQuote({ number, text, fault }: Line): FeedRecord {
    if (!this.#columns)
      throw new UnusableFile(`Line ${number} should name the columns, but a quote in it is not closed.`)
    return { line: number, raw: text, fault: fault ?? STRAY_QUOTE, isCutOff: false }
  }

  #recordOf({ lines, cells }: OpenRecord): FeedRecord[] {
    if (!this.#columns) {
      this.#columns = cells.map(cell => cell.trim())
      this.#checkColumns(this.#columns)
      return []
    }
    const columns = this.#columns
    const record = { line: lines[0]!.number, raw: lines.map(line => line.text).join('\n') }
    const fault = lines.find(line => line.fault)?.fault
    if (fault) return [{ ...record, fault, isCutOff: false }]
    if (cells.length !== columns.length) {
      const isCutOff = cells.length < columns.length && !lines.at(-1)!.isEnded
      const wrongCount = `The row has ${cells.length} cells, but the header names ${columns.length} columns.`
      return [{ ...record, fault: wrongCount, isCutOff }]
    }
    return [{ ...record, cells: Object.fromEntries(columns.map((column, index) => [column, cells[index]])) }]
  }
}

/**
 * A record (RFC 4180) that is read line by line, because a quoted cell can run over several. A quote inside an unquoted cell
 * (5" pipe) is an ordinary character.
 */
class OpenRecord {
  readonly lines: Line[] = []
  readonly cells: string[] = []
  #length = 0
  /** The lines so far of a quoted cell that is not closed. */
  #quoted: string[] | null = null

  /** Whether the record ends with this line, continues on the next one, or has a stray quote. */
  read(line: Line): 'complete' | 'open' | 'stray' {
    const { text } = line
    this.lines.push(line)
    this.#length += text.length
    for (let at = 0; ; at += 1) {
      at = this.#quoted !== null || text[at] === '"' ? this.#readQuoted(text, at) : this.#readBare(text, at)
      if (at === -1) return this.#length > LONGEST_RECORD ? 'stray' : 'open'
      if (at >= text.length) return 'complete'
      if (text[at] !== ',') return 'stray'
    }
  }

  #readQuoted(text: string, at: number): number {
    const start = this.#quoted ? at : at + 1
    const end = closingQuote(text, start)
    this.#quoted ??= []
    this.#quoted.push(text.slice(start, end === -1 ? text.length : end))
    if (end === -1) return -1
    this.cells.push(this.#quoted.join('\n').replaceAll('""', '"'))
    this.#quoted = null
    return end + 1
  }

  #readBare(text: string, at: number): number {
    const comma = text.indexOf(',', at)
    const end = comma === -1 ? text.length : comma
    this.cells.push(text.slice(at, end))
    return end
  }
}

function closingQuote(line: string, from: number): number {
  let quote = line.indexOf('"', from)
  while (quote !== -1 && line[quote + 1] === '"') quote = line.indexOf('"', quote + 2)
  return quote
}
