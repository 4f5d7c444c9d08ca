import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import { CC_BY_4 } from '../../contract/archiveColumns.ts'
import { csvText } from '../../contract/csvText.ts'
import type { Operation } from '../../contract/document.ts'
import { type CacheValidity, RawJson } from '../../contract/rawJson.ts'
import type { CsvFile } from '../../contract/types.ts'
import type { Deps } from '../../usecases/deps.ts'
import { codingFor, encode, encoder } from '../middleware/compression.ts'
import type { ResponseCache } from '../responseCache.ts'

export type Reply = ReturnType<typeof createReply>

const MAX_PAGE = 200
/** The contract allows 8,000 characters in all; one address with a long query has up to 3,400. */
const MAX_PAGE_LINKS = 7_500

/** Sends what a handler returned. */
export function createReply({ publicUrl }: Deps, cache: ResponseCache) {
  const terms = link(`${publicUrl}/terms`, 'terms-of-service')

  /** A 200: JSON with an ETag, or a CSV file. */
  async function result(req: Request, res: Response, operation: Operation, body: unknown): Promise<void> {
    const { operationId } = operation
    const links = [terms]
    if (operationId === 'getComps' || operationId === 'listItems') links.push(link(CC_BY_4, 'license'))
    if (body instanceof RawJson && body.place) links.push(...pageLinks(publicUrl, req, body.place))
    if (body instanceof RawJson && body.next) {
      links.push(link(addressWith(publicUrl, req, body.next), 'next'))
    }
    if (body instanceof RawJson && body.related) {
      links.push(link(addressWith(publicUrl, req, { q: body.related, page: '1' }), 'related'))
    }
    res.setHeader('Cache-Control', 'private, no-cache')
    res.setHeader('Vary', 'Authorization, Accept-Encoding')
    res.append('Link', links)
    if (isCsv(body)) return sendCsv(req, res, body)
    const text = body instanceof RawJson ? body.text : JSON.stringify(body)
    res.setHeader('ETag', etagOf(text))
    if (req.headers['if-none-match'] !== undefined && req.fresh) return void res.status(304).end()
    await json(req, res, text, body instanceof RawJson ? body.validity : null)
  }

  /** JSON as text. With a validity, the response cache may repeat it. */
  async function json(
    req: Request,
    res: Response,
    text: string,
    validity: CacheValidity | null,
  ): Promise<void> {
    res.locals.bodyText = text
    res.setHeader('Content-Type', 'application/json; charset=utf-8')
    if (validity) cache.remember(res, text, validity)
    const bytes = Buffer.byteLength(text)
    const coding = codingFor(req, bytes)
    const body = coding ? await encode(text, coding) : text
    if (coding) res.setHeader('Content-Encoding', coding)
    res.setHeader('Content-Length', coding ? body.length : bytes)
    res.end(req.method === 'HEAD' ? undefined : body)
  }

  return { result, json }
}

/** Weak, because a compressed body has the same one. */
function etagOf(text: string): string {
  return `W/"${createHash('sha1').update(text).digest('base64url')}"`
}

function isCsv(body: unknown): body is CsvFile {
  return typeof body === 'object' && body !== null && 'rows' in body && 'filename' in body
}

/** The pages around a page (RFC 8288). */
function pageLinks(
  publicUrl: string,
  req: Request,
  { page, total_pages }: { page: number; total_pages: number },
): string[] {
  const last = Math.max(1, Math.min(total_pages, MAX_PAGE))
  const pages: [number: number, relation: string][] = [[1, 'first']]
  if (page > 1) pages.push([Math.min(page - 1, last), 'prev'])
  if (page < last) pages.push([page + 1, 'next'])
  pages.push([last, 'last'])
  const links = pages.map(([number, relation]) =>
    link(addressWith(publicUrl, req, { page: String(number) }), relation),
  )
  if (links.join().length <= MAX_PAGE_LINKS) return links
  return links.filter((_, index) => ['prev', 'next'].includes(pages[index]![1]))
}

/** The same request with other parameters. The query is encoded again, so that nothing of it can end the header. */
function addressWith(publicUrl: string, req: Request, changes: Record<string, string>): string {
  const start = req.url.indexOf('?')
  const query = new URLSearchParams(start < 0 ? '' : req.url.slice(start + 1))
  for (const [name, value] of Object.entries(changes)) query.set(name, value)
  return `${publicUrl}${req.path}?${query}`
}

function link(address: string, relation: string): string {
  return `<${address}>; rel="${relation}"`
}

/** Other requests are served between two batches: 5,000 rows take some 50 ms to write. */
const BATCH_ROWS = 250
/** A row holds at least an id, two addresses and three times. */
const LEAST_ROW_BYTES = 200
/** Sends a file as it is written. One that is cut misses the last chunk, which clients report as an error. */
function sendCsv(req: Request, res: Response, file: CsvFile): void {
  res.setHeader('Content-Type', 'text/csv; charset=utf-8')
  res.setHeader('Content-Disposition', `attachment; filename="${file.filename}"`)
  res.setHeader('X-Total-Count', file.totalCount)
  const coding = codingFor(req, file.rows.length * LEAST_ROW_BYTES)
  if (coding) res.setHeader('Content-Encoding', coding)
  if (req.method === 'HEAD') return void res.end()
  // It fails when the client leaves; then the response is destroyed, and there is nothing else to do.
  const text = linesOf(file)
  const sent = coding ? pipeline(text, encoder(coding), chunksOf, res) : pipeline(text, res)
  sent.catch(() => {})
}

/** Node (20.20) adds seven listeners for `close` to a response that a stream is piped into, five for an iterable; it warns from eleven on. */
async function* chunksOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* stream
}

/** Rows are parsed as they are written: 5,000 parsed rows would outlive the young generation. */
async function* linesOf({ columns, rows }: CsvFile): AsyncGenerator<Buffer> {
  const lines = [JSON.stringify(columns), ...rows]
  for (let at = 0; at < lines.length; at += BATCH_ROWS)
    yield csvText(JSON.parse(`[${lines.slice(at, at + BATCH_ROWS).join()}]`))
}
