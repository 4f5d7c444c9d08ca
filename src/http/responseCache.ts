import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import type { NextFunction, Request, Response } from 'express'
import { includes, type Plan } from '../contract/plans.ts'
import type { CacheValidity } from '../contract/rawJson.ts'
import type { OperationId } from '../contract/types.ts'
import type { VersionedCache } from '../infra/listings/versionedCache.ts'
import { chargeKey } from '../usecases/admit.ts'
import type { Deps } from '../usecases/deps.ts'
import { type Coding, codingFor, encode } from './middleware/compression.ts'
import type { Load } from './middleware/loadShedding.ts'
import { bearerToken, type Charging, limitHeaders } from './operations/admission.ts'
import type { Readiness } from './server/health.ts'

/** A response of 200 as it was sent, without what is specific to one caller. */
export interface CachedReply {
  operationId: OperationId
  /** The plan that the call needs. */
  plan: Plan | null
  /** Names and values in turn. */
  headers: string[]
  /** The body without `CacheKey.ending`, and its length in UTF-8. */
  text: string
  bytes: number
  /** The body in the codings that clients have accepted so far, each a small part of the text. */
  encoded: Map<Coding, Buffer>
}

/** The size of a reply in the cache, in bytes (most of JSON is ASCII). */
export function sizeOfReply({ text }: CachedReply, name: string): number {
  return text.length + name.length
}

/** What identifies a call when any caller repeats it. */
interface CacheKey {
  name: string
  /** The end of the body, which is specific to this call. */
  ending: string
}

export type ResponseCache = ReturnType<typeof createResponseCache>

interface ResponseCacheOptions {
  deps: Deps
  replies: VersionedCache<CachedReply>
  load: Load
  /** The path of the agent endpoint, and the headers that its protocol reads. */
  mcp: { path: string; headers: string[] }
  /** A stopping process answers in full, because its headers differ. */
  readiness: Readiness
  /** The share of calls that are answered in full, so that their responses can be validated: 0 to 1. */
  validatedShare: number
}

const SPECIFIC_TO_CALL = new Set([
  'x-request-id',
  'x-data',
  'content-length',
  ...['limit', 'remaining', 'reset'].flatMap(name => [`ratelimit-${name}`, `x-ratelimit-${name}`]),
])
/** With one of these the response depends on more than the address; a 304 has rules of its own. */
const CONDITIONS = ['if-none-match', 'if-modified-since', 'content-length', 'transfer-encoding', 'expect']
/** A message with one of these is left to the full checks. */
const UNCOMMON = ['origin', 'content-encoding', 'transfer-encoding', 'expect']
const JSON_TYPE = /^application\/json(; ?charset=utf-8)?$/i
const MAX_ADDRESS = 1_000
const MAX_MESSAGE_BYTES = 4_096
const MAX_ID = 100

/**
 * Repeats a response of 200 while the data it was read from is unchanged. The request was validated and routed when the
 * response was made, so only the key is charged, in a statement that also returns the data version. Anything else (a
 * refusal, newer data, a condition) continues down the chain with the charge that was made, and pays once.
 */
export function createResponseCache(options: ResponseCacheOptions) {
  const { deps, replies, load, mcp, readiness, validatedShare } = options

  /** Continues at once where it can: Node itself answers a request that breaks off before its handler has run. */
  function answer(req: Request, res: Response, next: NextFunction): void {
    res.locals.isSampled = Math.random() < validatedShare
    const consider = (key: CacheKey | null) => {
      if (res.headersSent) return
      res.locals.cacheKey = key
      const isKnown = key && replies.has(key.name) && req.headers.authorization !== undefined
      if (!isKnown || load.isOverloaded() || readiness.stopping || res.locals.isSampled) next()
      else void repeat(key, req, res, next)
    }
    if (req.method === 'POST' && req.url === mcp.path && isPlainMessage(req))
      void keyOfToolCall(req, mcp.headers).then(consider)
    else consider(keyOfGet(req))
  }

  async function repeat(key: CacheKey, req: Request, res: Response, next: NextFunction): Promise<void> {
    const charging: Charging = chargeKey(deps, bearerToken(req))
    res.locals.charging = charging
    load.begin()
    const charge = await charging.catch(() => null)
    load.end()
    if (res.headersSent) return
    const reply = charge?.granted && replies.get(key.name, charge.state)?.value
    if (!reply || (reply.plan && !includes(charge.plan, reply.plan))) return next()
    res.locals.operationId = reply.operationId
    const bytes = reply.bytes + Buffer.byteLength(key.ending)
    const coding = codingFor(req, bytes)
    const body = coding ? await encodedBody(reply, key, coding) : reply.text + key.ending
    if (res.headersSent) return
    // One flat list: Node then writes the headers without storing them first.
    const specific = ['X-Request-Id', req.id, 'X-Data', charge.dataKind, ...limitHeaders(charge).flat()]
    specific.push('Content-Length', String(coding ? body.length : bytes))
    if (coding) specific.push('Content-Encoding', coding)
    res.writeHead(200, [...reply.headers, ...specific])
    res.end(body)
  }

  /** Keeps a response that may be repeated to callers whose plan includes `plan`. */
  function remember(res: Response, plan: Plan | null, text: string, validity: CacheValidity): void {
    const key: CacheKey | null = res.locals.cacheKey
    if (!key || res.statusCode !== 200 || !text.endsWith(key.ending)) return
    const headers: string[] = []
    // `getHeaders` would copy them all first.
    for (const name of res.getHeaderNames()) {
      if (SPECIFIC_TO_CALL.has(name)) continue
      for (const one of [res.getHeader(name)].flat()) headers.push(name, String(one))
    }
    const common = text.slice(0, text.length - key.ending.length)
    const { operationId } = res.locals
    const bytes = Buffer.byteLength(common)
    replies.set(key.name, {
      ...validity,
      value: { operationId, plan, headers, text: common, bytes, encoded: new Map() },
    })
  }

  return { answer, remember }
}

/** Compresses the body of a GET once; that of a tool call ends with its id. */
async function encodedBody(
  reply: CachedReply,
  { ending }: CacheKey,
  coding: NonNullable<Coding>,
): Promise<Buffer> {
  if (ending !== '') return encode(reply.text + ending, coding)
  const known = reply.encoded.get(coding)
  if (known) return known
  const body = await encode(reply.text, coding)
  reply.encoded.set(coding, body)
  return body
}

/** The key of a GET is its address. Null for a call that an address does not identify. */
function keyOfGet({ method, url, headers }: Request): CacheKey | null {
  if (method !== 'GET' || url.length > MAX_ADDRESS || CONDITIONS.some(name => name in headers)) return null
  return { name: url, ending: '' }
}

/** Whether a message is small and plain enough to be read here. */
function isPlainMessage({ headers }: Request): boolean {
  const length = Number(headers['content-length'] ?? 0)
  const isJson = JSON_TYPE.test(headers['content-type'] ?? '')
  return isJson && length > 0 && length <= MAX_MESSAGE_BYTES && !UNCOMMON.some(name => name in headers)
}

/** The key of a tool call (JSON-RPC `tools/call`) is its parameters without its id. The body stays readable. */
async function keyOfToolCall(req: Request, protocolHeaders: string[]): Promise<CacheKey | null> {
  const message = parse(await peek(req, Number(req.headers['content-length'])))
  if (!message || Object.keys(message).length !== 4 || message.jsonrpc !== '2.0') return null
  const { id, method, params } = message
  const hasId = typeof id === 'string' ? id.length <= MAX_ID : Number.isSafeInteger(id)
  if (method !== 'tools/call' || !hasId || !params) return null
  const protocol = protocolHeaders.map(name => req.headers[name])
  // Both protocol libraries end a JSON-RPC answer like this.
  const ending = `,"jsonrpc":"2.0","id":${JSON.stringify(id)}}`
  return { name: JSON.stringify([method, ...protocol, params]), ending }
}

/** The body, put back for the next reader; null when it does not arrive. */
async function peek(req: Request, length: number): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let received = 0
  while (received < length) {
    const chunk: Buffer | null = req.read()
    if (chunk !== null) {
      chunks.push(chunk)
      received += chunk.length
    } else if (req.destroyed || req.readableEnded) return null
    else await Promise.race([once(req, 'readable'), once(req, 'close')]).catch(() => {})
  }
  const body = Buffer.concat(chunks)
  req.unshift(body)
  return body
}

function parse(body: Buffer | null): Record<string, unknown> | null {
  if (body === null || !isUtf8(body)) return null
  try {
    const message: unknown = JSON.parse(body.toString())
    return typeof message === 'object' && message !== null ? (message as Record<string, unknown>) : null
  } catch {
    return null
  }
}
