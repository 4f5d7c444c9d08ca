import { csvText } from './csvText.ts'

/**
 * Other requests are served between two batches: 5,000 rows take some 50 ms to
 * write.
 */
const BATCH_ROWS = 250

/**
 * A CSV file whose rows have all been read, so that only the connection to the
 * client can cut it.
 */
export class CsvFile {
  readonly filename: string
  /** The header. */
  readonly columns: string[]
  /**
   * Of each row, a JSON array of its cells (string or null) in the order of the
   * columns: parsed when it is written, it is garbage soon.
   */
  readonly lines: string[]
  readonly totalCount: number
  /** Whether it begins with a byte order mark, by which Excel knows UTF-8. */
  readonly hasMark: boolean

  constructor(
    filename: string,
    columns: string[],
    lines: string[],
    totalCount: number,
    hasMark = false,
  ) {
    this.filename = filename
    this.columns = columns
    this.lines = lines
    this.totalCount = totalCount
    this.hasMark = hasMark
  }

  /** The bytes of the file, a batch of rows at a time. */
  async *chunks() {
    if (this.hasMark) yield Buffer.from('\ufeff')
    yield csvText([this.columns])
    for (let at = 0; at < this.lines.length; at += BATCH_ROWS)
      yield csvText(JSON.parse(`[${this.lines.slice(at, at + BATCH_ROWS)}]`))
  }
}
