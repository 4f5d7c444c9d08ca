import { UnusableFile } from '../../../domain/feeds/badRow.ts'
import type { Cells } from '../../../domain/feeds/cells.ts'
import { CsvRecord } from './csvRecord.ts'
import type { Line } from './lines.ts'
import type { FeedRecord } from './records.ts'

/** A quoted cell may run over lines, but one that runs on for longer than this was never meant to be open. */
const LONGEST_RECORD = 262_144

const STRAY_QUOTE = 'A quote in this line is not closed, or text follows a closing quote.'

/**
 * The records of a CSV file whose first record names the columns.
 *
 * Not read with fast-csv (5.0.8): it gives no line numbers and no raw text, gives up the whole file at the first stray
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
    /** What is to be read next, the nearest line last. */
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
