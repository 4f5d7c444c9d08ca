import type { Request, Response } from 'express'
import type { Operation } from '../../contract/document.ts'
import { RawJson } from '../../contract/rawJson.ts'
import type { CsvFile } from '../../contract/types.ts'
import type { Deps } from '../../usecases/deps.ts'
import { linksOf } from '../links.ts'
import { sendCsv } from './csv.ts'

type Reply = (req: Request, res: Response, operation: Operation, body: unknown) => void

/** Sends what a handler returned: JSON with an ETag (Express answers 304 and HEAD from it), or a CSV file. */
export function createReply({ publicUrl }: Deps): Reply {
  return (req, res, operation, body) => {
    res.setHeader('Cache-Control', 'private, no-cache')
    res.vary('Authorization')
    res.append('Link', linksOf(publicUrl, req, operation.operationId, body))
    if (isCsv(body)) return sendCsv(req, res, body)
    res.locals.body = body
    if (body instanceof RawJson) res.type('json').send(body.text)
    else res.json(body)
  }
}

function isCsv(body: unknown): body is CsvFile {
  return typeof body === 'object' && body !== null && 'rows' in body && 'filename' in body
}
