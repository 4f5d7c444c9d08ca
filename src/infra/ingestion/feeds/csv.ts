import { UnusableFile } from '../../../domain/feeds/badRow.ts'
import type { Cells } from '../../../domain/feeds/cells.ts'
import type { FeedRecord, Line } from './lines.ts'

/** A quoted cell may run over lines, but one that runs on for longer than this was never meant to be open. */
const LONGEST_RECORD = 262_144

const STRAY_QUOTE = 'A quote in this line is not closed, or text follows a closing quote.'

/**
 * The records of a CSV file whose first record names the columns.
 *
 * Not read with fast-csv (5.0.8): it gives no line numbers and no raw text, stops at the first stray
 * quote, and reads an unclosed quote again from its beginning with every chunk. Here a stray quote costs one line.
 * @param checkColumns throws UnusableFile when the header cannot be used.
 */
export async function* csvRecords(
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
  #record = new CsvRecord()
  /** The lines of the record that is being read. */
  #lines: Line[] = []
  #length = 0

  constructor(checkColumns: (columns: string[]) => void) {
    this.#checkColumns = checkColumns
  }

  /** The records that this line completes: none inside a quoted cell, several after a stray quote. */
  read(line: Line): FeedRecord[] {
    const records: FeedRecord[] = []
    /** The lines to read next, the first one last. */
    const ahead = [line]
    for (let next = ahead.pop(); next; next = ahead.pop()) {
      if (this.#lines.length === 0 && next.text.trim() === '') continue
      this.#lines.push(next)
      this.#length += next.text.length
      const state = this.#record.read(next.text)
      if (state === 'open' && this.#length <= LONGEST_RECORD) continue
      const { lines, cells } = this.#takeRecord()
      if (state === 'complete') records.push(...this.#recordOf(lines, cells))
      else {
        records.push(this.#strayQuote(lines[0]!))
        for (let i = lines.length - 1; i > 0; i--) ahead.push(lines[i]!)
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
    while (this.#lines.length > 0) {
      const [first, ...others] = this.#takeRecord().lines
      records.push(this.#strayQuote(first!))
      for (const line of others) records.push(...this.read(line))
    }
    const last = records.at(-1)
    if (last && !records.some(record => 'cells' in record)) Object.assign(last, { isCutOff: true })
    return records
  }

  #takeRecord(): { lines: Line[]; cells: string[] } {
    const taken = { lines: this.#lines, cells: this.#record.cells }
    this.#lines = []
    this.#length = 0
    this.#record = new CsvRecord()
    return taken
  }

  #strayQuote(line: Line): FeedRecord {
    if (!this.#columns)
      throw new UnusableFile(`Line ${line.number} should name the columns, but a quote in it is not closed.`)
    return { line: line.number, raw: line.text, fault: line.fault ?? STRAY_QUOTE, isCutOff: false }
  }

  #recordOf(lines: Line[], cells: string[]): FeedRecord[] {
    if (!this.#columns) {
      this.#columns = cells.map(cell => cell.trim())
      this.#checkColumns(this.#columns)
      return []
    }
    const record = { line: lines[0]!.number, raw: lines.map(line => line.text).join('\n') }
    const fault = lines.find(line => line.fault)?.fault
    if (fault) return [{ ...record, fault, isCutOff: false }]
    if (cells.length !== this.#columns.length) {
      const isCutOff = cells.length < this.#columns.length && !lines.at(-1)!.isEnded
      const wrongCount = `The row has ${cells.length} cells, but the header names ${this.#columns.length} columns.`
      return [{ ...record, fault: wrongCount, isCutOff }]
    }
    return [{ ...record, cells: byColumn(this.#columns, cells) }]
  }
}

function byColumn(columns: string[], cells: string[]): Cells {
  const named: Cells = {}
  for (const [position, column] of columns.entries()) named[column] = cells[position]
  return named
}

/**
 * One record of a CSV file (RFC 4180), read line by line, since a quoted cell may run over several. A quote inside an
 * unquoted cell (5" pipe) is an ordinary character.
 */
class CsvRecord {
  readonly cells: string[] = []
  /** The lines so far of the quoted cell that is still open. */
  #open: string[] | null = null

  /** Whether the record ends with this line, continues on the next one, or has a stray quote. */
  read(line: string): 'complete' | 'open' | 'stray' {
    let at = 0
    for (;;) {
      const isQuoted = this.#open !== null || line[at] === '"'
      at = isQuoted ? this.#readQuoted(line, at) : this.#readBare(line, at)
      if (at === -1) return 'open'
      if (at >= line.length) return 'complete'
      if (line[at] !== ',') return 'stray'
      at += 1
    }
  }

  /** Returns where the cell ends, or -1 when the line ends before it. */
  #readQuoted(line: string, at: number): number {
    const start = this.#open ? at : at + 1
    const end = closingQuote(line, start)
    this.#open ??= []
    this.#open.push(line.slice(start, end === -1 ? line.length : end))
    if (end === -1) return -1
    this.cells.push(this.#open.join('\n').replaceAll('""', '"'))
    this.#open = null
    return end + 1
  }

  #readBare(line: string, at: number): number {
    const comma = line.indexOf(',', at)
    const end = comma === -1 ? line.length : comma
    this.cells.push(line.slice(at, end))
    return end
  }
}

/** Where the next quote stands that is not doubled, or -1. */
function closingQuote(line: string, from: number): number {
  let quote = line.indexOf('"', from)
  while (quote !== -1 && line[quote + 1] === '"') quote = line.indexOf('"', quote + 2)
  return quote
}
