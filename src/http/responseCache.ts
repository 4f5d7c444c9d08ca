import type { NextFunction, Request, Response } from 'express'
import { includes, type Plan } from '../contract/plans.ts'
import type { CacheValidity } from '../contract/rawJson.ts'
import type { OperationId } from '../contract/types.ts'
import { codingFor, type Encoded, encodeOnce } from '../infra/codings.ts'
import type { VersionedCache } from '../infra/listings/versionedCache.ts'
import { chargeKey } from '../usecases/admit.ts'
import type { Deps } from '../usecases/deps.ts'
import { callOf } from './call.ts'
import { bearerToken, limitHeaders } from './operations/admission.ts'
import type { Readiness } from './server/health.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** A response of 200 as it was sent, without what is specific to one caller. */
export interface CachedReply {
  operationId: OperationId
  /** The plan that the call needs. */
  plan: Plan | null
  /** The ETag without its `W/`, which a comparison leaves out. */
  opaqueTag: string
  /** Those of a 304 too: names and values in turn. */
  headers: string[]
  text: string
  /** The length of the text in UTF-8. */
  bytes: number
  /** The body in the codings that clients have accepted so far, each a small part of the text. */
  encoded: Encoded
}

/** The size of a reply in the cache, in bytes (most of JSON is ASCII). */
export function sizeOfReply({ text }: CachedReply, name: string) {
  return text.length + name.length
}

export type ResponseCache = ReturnType<typeof createResponseCache>

interface ResponseCacheOptions {
  deps: Deps
  replies: VersionedCache<CachedReply>
  /** A stopping process answers in full, because its headers differ. */
  readiness: Readiness
}

const SPECIFIC_TO_CALL = new Set([
  'x-request-id',
  'x-data',
  'content-length',
  ...['ratelimit', 'ratelimit-policy'],
  ...['limit', 'remaining', 'reset'].flatMap(name => [`ratelimit-${name}`, `x-ratelimit-${name}`]),
])
/** With one of these the response may depend on more than the address. */
const OF_BODY = ['content-length', 'transfer-encoding', 'expect']
const MAX_URL = 1_000

/**
 * Repeats a response of 200 while the data it was read from is unchanged. The request was validated and routed when the
 * response was made, so only the key is charged, in a statement that also returns the data version. Anything else (a
 * refusal, newer data) continues down the chain with the charge that was made, and pays once.
 * Why: callers that repeat a call, and the database, which reads no lot for it: npx vitest run test/http/cachedAnswers.test.ts -t reads
 */
export function createResponseCache({ deps, replies, readiness }: ResponseCacheOptions) {
  /** Continues at once where it can: Node itself answers a request that breaks off before its handler has run. */
  function answer(req: Request, res: Response, next: NextFunction) {
    const call = callOf(res)
    const key = cacheKeyOf(req)
    call.cacheKey = key
    const known = key !== null && req.headers.authorization !== undefined ? replies.latest(key) : null
    if (!known || call.isShed || call.agents || readiness.stopping) next()
    else void repeat(key!, known.value.operationId, req, res, next)
  }

  async function repeat(key: string, operationId: string, req: Request, res: Response, next: NextFunction) {
    const call = callOf(res)
    call.charging = chargeKey(deps, bearerToken(req), operationId, call.caller)
    const charge = await call.charging.catch(() => null)
    call.charge = charge
    if (res.headersSent) return
    const reply = charge?.granted && replies.get(key, charge.state)?.value
    if (!reply || (reply.plan && !includes(charge.plan, reply.plan))) return next()
    call.operationId = reply.operationId
    // One flat list: Node then writes the headers without storing them first.
    const specific = ['X-Request-Id', req.id, 'X-Data', charge.dataKind, ...limitHeaders(charge).flat()]
    const condition = req.headers['if-none-match']
    if (condition === '*' || condition?.includes(reply.opaqueTag))
      return void res.writeHead(304, [...reply.headers, ...specific]).end()
    const coding = codingFor(req, reply.bytes)
    const body = coding ? await encodeOnce(reply.encoded, reply.text, coding) : reply.text
    if (res.headersSent) return
    specific.push('Content-Type', JSON_TYPE, 'Content-Length', String(coding ? body.length : reply.bytes))
    if (coding) specific.push('Content-Encoding', coding)
    res.writeHead(200, [...reply.headers, ...specific])
    res.end(body)
  }

  /** Keeps a response that may be repeated to callers whose plan includes the one that this call needed. */
  function remember(res: Response, text: string, validity: CacheValidity) {
    const { cacheKey: key, operationId, planNeeded: plan } = callOf(res)
    if (key === null || operationId === null || res.statusCode !== 200) return
    const opaqueTag = String(res.getHeader('ETag')).replace('W/', '')
    const headers = []
    // `getHeaders` would copy them all first.
    for (const name of res.getHeaderNames()) {
      if (SPECIFIC_TO_CALL.has(name)) continue
      for (const one of [res.getHeader(name)].flat()) headers.push(name, String(one))
    }
    const bytes = Buffer.byteLength(text)
    replies.set(key, {
      ...validity,
      value: { operationId, plan, opaqueTag, headers, text, bytes, encoded: new Map() },
    })
  }

  return { answer, remember }
}

/** The URL of a GET; null for a call that its URL does not identify. */
function cacheKeyOf({ method, url, headers }: Request) {
  if (method !== 'GET' || url.length > MAX_URL || OF_BODY.some(name => name in headers)) return null
  return url
}
