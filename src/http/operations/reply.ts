import { pipeline } from 'node:stream/promises'
import type { Request, RequestHandler, Response } from 'express'
import { LRUCache } from 'lru-cache'
import { CsvFile } from '../../contract/csvFile.ts'
import type { Operation } from '../../contract/document.ts'
import { ApiError } from '../../contract/errors.ts'
import { type QueryLink, RawJson } from '../../contract/rawJson.ts'
import { RpcAnswer } from '../../contract/rpcAnswer.ts'
import {
  codingFor,
  encode,
  encodeOnce,
  encoder,
  etagOf,
} from '../../infra/codings.ts'
import type { Deps } from '../../usecases/deps.ts'
import { callOf, queryOf } from '../call.ts'
import type { Dispatcher } from './dispatcher.ts'

/**
 * The contract allows 8,000 characters in all; one URL with a long query has up
 * to 3,400.
 */
const MAX_QUERY_LINKS = 7_500

/**
 * Hands the checked input to the handler of the operation, and sends what it
 * answers.
 */
export function answerCall(dispatcher: Dispatcher, deps: Deps): RequestHandler {
  const reply = createReply(deps)
  return async (req, res) => {
    const { operation, query, caller } = callOf(res)
    const { body, headers, method, path } = req
    const input = operation!.hasBody ? { body, query, headers } : req.query
    await reply(
      req,
      res,
      operation!,
      await dispatcher.dispatch({ method, path }, input, deps, caller),
    )
  }
}

/**
 * Sends the result of a handler: JSON with an ETag, a CSV file, or a response
 * of the agent endpoint.
 */
function createReply({ publicUrl }: Deps) {
  const terms = link(`${publicUrl}/terms`, 'terms-of-service')

  return async (
    req: Request,
    res: Response,
    operation: Operation,
    body: unknown,
  ) => {
    if (body instanceof RpcAnswer) {
      const { status, text, isFixed, unavailable } = body
      callOf(res).error = unavailable instanceof ApiError ? unavailable : null
      res.status(status).setHeader('Cache-Control', 'no-store')
      res.setHeader('Vary', 'Accept-Encoding')
      res.setHeader('Link', terms)
      if (text === null) return void res.end()
      return sendJson(req, res, text, isFixed)
    }
    const links = [terms]
    if (operation.license) links.push(link(operation.license, 'license'))
    if (body instanceof RawJson)
      links.push(...queryLinks(publicUrl, req, body.links))
    res.setHeader('Cache-Control', 'private, no-cache')
    res.setHeader('Vary', 'Authorization, Accept-Encoding')
    res.append('Link', links)
    if (body instanceof CsvFile) return sendCsv(req, res, body)
    const text = body instanceof RawJson ? body.text : JSON.stringify(body)
    res.setHeader('ETag', etagOf(text))
    if (req.headers['if-none-match'] !== undefined && req.fresh)
      return void res.status(304).end()
    await sendJson(req, res, text)
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * The latest hundred compressed answers of the agent endpoint that never
 * change. Why: callers beside a stranger who lists the tools on 60 connections;
 * npx vitest run test/hostile/entrance.test.ts
 */
const fixedAnswers = new LRUCache<string, Promise<Buffer>>({ max: 100 })

async function sendJson(
  req: Request,
  res: Response,
  text: string,
  isFixed = false,
) {
  res.setHeader('Content-Type', JSON_TYPE)
  const bytes = Buffer.byteLength(text)
  const coding = codingFor(req, bytes)
  const encoded =
    coding &&
    (isFixed
      ? encodeOnce(fixedAnswers, text, coding, coding + text)
      : encode(text, coding))
  const body = (await encoded) ?? text
  if (coding) res.setHeader('Content-Encoding', coding)
  res.setHeader('Content-Length', coding ? body.length : bytes)
  res.end(req.method === 'HEAD' ? undefined : body)
}

/**
 * The first and the last page give way where the links of a long query would be
 * too many characters.
 */
function queryLinks(publicUrl: string, req: Request, links: QueryLink[]) {
  const written = links.map(({ relation, query }) =>
    link(urlWith(publicUrl, req, query), relation),
  )
  if (written.join().length <= MAX_QUERY_LINKS) return written
  return written.filter(
    (_, index) => !['first', 'last'].includes(links[index]!.relation),
  )
}

/**
 * The same request with other parameters. The query is encoded again, so that
 * nothing of it can end the header.
 */
function urlWith(
  publicUrl: string,
  req: Request,
  changes: Record<string, string>,
) {
  const query = queryOf(req)
  for (const [name, value] of Object.entries(changes)) query.set(name, value)
  return `${publicUrl}${req.path}?${query}`
}

function link(url: string, relation: string) {
  return `<${url}>; rel="${relation}"`
}

/** A row holds at least an id, two addresses and three times. */
const LEAST_ROW_BYTES = 200
/**
 * Sends a file as it is written. One that is cut misses the last chunk, which
 * clients report as an error.
 */
function sendCsv(req: Request, res: Response, file: CsvFile) {
  res.setHeader('Content-Type', 'text/csv; charset=utf-8')
  res.setHeader(
    'Content-Disposition',
    `attachment; filename="${file.filename}"`,
  )
  res.setHeader('X-Total-Count', file.totalCount)
  const coding = codingFor(req, file.lines.length * LEAST_ROW_BYTES)
  if (coding) res.setHeader('Content-Encoding', coding)
  if (req.method === 'HEAD') return void res.end()
  // It fails when the client leaves; then the response is destroyed, and there
  // is nothing else to do.
  const text = file.chunks()
  const sent = coding
    ? pipeline(text, encoder(coding), chunksOf, res)
    : pipeline(text, res)
  sent.catch(() => {})
}

/**
 * Node (20.20) adds seven listeners for `close` to a response that a stream is
 * piped into, five for an iterable; it warns from eleven on.
 */
async function* chunksOf(stream: AsyncIterable<Buffer>) {
  yield* stream
}
