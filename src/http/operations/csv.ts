import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import { writeToString } from 'fast-csv'
import type { CsvFile } from '../../contract/types.ts'
import { codingFor, encoder } from '../middleware/compression.ts'

type Cell = string | number | null

/** RFC 4180: every line ends with CRLF, the last one too. */
const FORMAT = { rowDelimiter: '\r\n', includeEndRowDelimiter: true }
/** Other requests are served between two batches: 5,000 rows take some 50 ms to write. */
const BATCH_ROWS = 250
/** A row holds at least an id, two addresses and three times. */
const LEAST_ROW_BYTES = 200
/** A cell that begins so is run as a formula by some spreadsheet (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/

/** Sends a file as it is written. One that is cut misses the last chunk, which clients report as an error. */
export function sendCsv(req: Request, res: Response, file: CsvFile): void {
  res.setHeader('Content-Type', 'text/csv; charset=utf-8')
  res.setHeader('Content-Disposition', `attachment; filename="${file.filename}"`)
  res.setHeader('X-Total-Count', file.totalCount)
  const coding = codingFor(req, file.rows.length * LEAST_ROW_BYTES)
  if (coding) res.setHeader('Content-Encoding', coding)
  if (req.method === 'HEAD') return void res.end()
  // It fails when the client leaves; then the response is destroyed, and there is nothing else to do.
  const text = csvText(file)
  const sent = coding ? pipeline(text, encoder(coding), chunksOf, res) : pipeline(text, res)
  sent.catch(() => {})
}

/** Node (20.20) adds seven listeners for `close` to a response that a stream is piped into, five for an iterable; it warns from eleven on. */
async function* chunksOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* stream
}

async function* csvText({ columns, rows }: CsvFile): AsyncGenerator<string> {
  yield writeToString([columns], FORMAT)
  for (let at = 0; at < rows.length; at += BATCH_ROWS) {
    const batch = rows.slice(at, at + BATCH_ROWS)
    yield writeToString(
      batch.map(row => columns.map(column => safeCell(row[column] ?? null))),
      FORMAT,
    )
  }
}

/** Puts an apostrophe before text that a spreadsheet would run. */
function safeCell(cell: Cell): Cell {
  return typeof cell === 'string' && FORMULA.test(cell) ? `'${cell}` : cell
}
