import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import { format } from 'fast-csv'
import type { Contract, Operation } from '../contract/document.ts'
import { JsonText } from '../contract/jsonText.ts'
import type { CsvFile } from '../contract/types.ts'
import type { Deps } from '../usecases/deps.ts'
import { linksOf } from './links.ts'

type Reply = (req: Request, res: Response, operation: Operation, body: unknown) => void

/** Sends what a handler returned: JSON with an ETag (Express answers 304 and HEAD from it), or a CSV stream. */
export function createReply(contract: Contract, { publicUrl }: Deps): Reply {
  const columns = contract.propertiesOf('Listing')
  return (req, res, operation, body) => {
    res.setHeader('Cache-Control', 'private, no-cache')
    res.vary('Authorization')
    res.append('Link', linksOf(publicUrl, req, operation.operationId, body))
    if (isCsv(body)) return void sendCsv(req, res, body, columns)
    res.locals.body = body
    if (body instanceof JsonText) res.type('json').send(body.text)
    else res.json(body)
  }
}

function isCsv(body: unknown): body is CsvFile {
  return typeof body === 'object' && body !== null && 'rows' in body && 'filename' in body
}

/** RFC 4180. All rows are there before the first is sent; whatever fails midway cuts the socket, so no part looks whole. */
async function sendCsv(req: Request, res: Response, file: CsvFile, columns: string[]): Promise<void> {
  res.setHeader('Content-Type', 'text/csv; charset=utf-8')
  res.setHeader('Content-Disposition', `attachment; filename="${file.filename}"`)
  res.setHeader('X-Total-Count', file.totalCount)
  if (req.method === 'HEAD') return void res.end()

  const csv = format({
    headers: columns,
    alwaysWriteHeaders: true,
    rowDelimiter: '\r\n',
    includeEndRowDelimiter: true,
  })
  // The pipeline destroys the response when a row fails, and stops when the client leaves: nobody is left to be told.
  await pipeline(cellsOf(file.rows, columns), csv, res).catch(() => {})
}

function* cellsOf(rows: CsvFile['rows'], columns: string[]): Generator<unknown[]> {
  for (const row of rows) yield columns.map(column => safeForSpreadsheets(row[column]))
}

/** A text that a spreadsheet would run as a formula gets an apostrophe before it (OWASP, CSV injection). */
function safeForSpreadsheets(value: unknown): unknown {
  return typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
}
