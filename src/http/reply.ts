import type { Request, Response } from 'express'
import { writeToBuffer } from 'fast-csv'
import type { Contract, Operation } from '../contract/document.ts'
import { JsonText } from '../contract/jsonText.ts'
import type { CsvFile } from '../contract/types.ts'
import type { Deps } from '../usecases/deps.ts'
import { linksOf } from './links.ts'

type Reply = (req: Request, res: Response, operation: Operation, body: unknown) => Promise<void>

/** Sends what a handler returned: JSON with an ETag (Express answers 304 and HEAD from it), or a CSV stream. */
export function createReply(contract: Contract, { publicUrl }: Deps): Reply {
  const columns = contract.propertiesOf('Listing')
  return async (req, res, operation, body) => {
    res.setHeader('Cache-Control', 'private, no-cache')
    res.vary('Authorization')
    res.append('Link', linksOf(publicUrl, req, operation.operationId, body))
    if (isCsv(body)) return sendCsv(req, res, body, columns)
    res.locals.body = body
    if (body instanceof JsonText) res.type('json').send(body.text)
    else res.json(body)
  }
}

function isCsv(body: unknown): body is CsvFile {
  return typeof body === 'object' && body !== null && 'rows' in body && 'filename' in body
}

/**
 * RFC 4180. The whole file is written before its length and its first byte are sent (5,000 rows, some 2 MB): so a body that is
 * cut is never taken for whole, and 5,000 rows are a few writes to the socket instead of 5,000.
 */
async function sendCsv(req: Request, res: Response, file: CsvFile, columns: string[]): Promise<void> {
  res.setHeader('Content-Type', 'text/csv; charset=utf-8')
  res.setHeader('Content-Disposition', `attachment; filename="${file.filename}"`)
  res.setHeader('X-Total-Count', file.totalCount)
  const cells = file.rows.map(row => columns.map(column => safeForSpreadsheets(row[column])))
  const csv = await writeToBuffer(cells, {
    headers: columns,
    alwaysWriteHeaders: true,
    rowDelimiter: '\r\n',
    includeEndRowDelimiter: true,
  })
  res.setHeader('Content-Length', csv.length)
  res.end(req.method === 'HEAD' ? undefined : csv)
}

/** A text that a spreadsheet would run as a formula gets an apostrophe before it (OWASP, CSV injection). */
function safeForSpreadsheets(value: unknown): unknown {
  return typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
}
