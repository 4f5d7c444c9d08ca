import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Request, Response } from 'express'
import { type Operation, planNeeded } from '../contract/document.ts'
import { JsonText } from '../contract/jsonText.ts'
import type { OperationId } from '../contract/types.ts'
import { includes, type Plan } from '../domain/plans.ts'
import type { ReadCache } from '../infra/readCache.ts'
import { chargeKey } from '../usecases/admit.ts'
import type { Deps } from '../usecases/deps.ts'
import { bearerToken, type Charging, tellLimits } from './admission.ts'
import type { SentQuery } from './query.ts'

/** A 200 as it left for an address, without what is told to one caller alone. */
export interface SentReply {
  operationId: OperationId
  /** The plan that the operation and the parameters in this address need. */
  plan: Plan | null
  headers: OutgoingHttpHeaders
  text: string
}

/** What stands in front of the application for calls that repeat one another. */
export interface RepeatedCalls {
  /** Answers what it can; hands everything else to `next`, with the charge if one was made. */
  answer(req: IncomingMessage, res: ServerResponse, next: () => void): Promise<void>
  /** Remembers what was sent. */
  note(req: Request, res: Response, operation: Operation, body: unknown): void
}

interface RepeatedCallsSettings {
  deps: Deps
  replies: ReadCache<SentReply>
  /** Whether this call is one of those that must go the long way: to be judged, or because the process stops. */
  goesTheLongWay(): boolean
}

/** What the answer may depend on besides the address and the key; a 304 has rules of its own. */
const CONDITIONS = [
  'if-none-match',
  'if-modified-since',
  'content-length',
  'transfer-encoding',
  'expect',
] as const
const TOLD_TO_ONE_CALLER = /^(x-)?ratelimit-|^x-request-id$/
const LONGEST_ADDRESS = 1_000

/**
 * Most calls of a day are the same few. Of an address that was answered before, and whose data have not changed, everything
 * but the key is known: it was validated, routed and written. So only the key is charged, in a
 * statement that also tells how far the data is, and the same answer is sent again, at a sixth of the processor time (`make bench`). Whatever is not exactly that (a refusal, data
 * that went on, a condition) goes the long way, and pays once.
 */
export function createRepeatedCalls({ deps, replies, goesTheLongWay }: RepeatedCallsSettings): RepeatedCalls {
  async function answer(req: IncomingMessage, res: ServerResponse, next: () => void): Promise<void> {
    const address = req.url ?? ''
    const isKnown =
      req.method === 'GET' && replies.has(address) && !CONDITIONS.some(name => name in req.headers)
    if (!isKnown || goesTheLongWay()) return next()
    const charging: Charging = chargeKey(deps, bearerToken(req))
    const locals = (res as Response).locals
    locals.charging = charging
    const charge = await charging.catch(() => null)
    const reply = charge?.granted && replies.get(address, charge.state)?.value
    if (!reply || (reply.plan && !includes(charge.plan, reply.plan))) return next()
    locals.operationId = reply.operationId
    tellLimits(res, charge)
    res.writeHead(200, reply.headers)
    res.end(reply.text)
  }

  function note(req: Request, res: Response, operation: Operation, body: unknown): void {
    const isPlain = req.method === 'GET' && res.statusCode === 200 && operation.plan !== null
    if (!isPlain || !(body instanceof JsonText) || req.url.length > LONGEST_ADDRESS) return
    const sent = (res.locals.query as SentQuery).pairs.map(([name]) => name)
    const told = Object.entries(res.getHeaders()).filter(([name]) => !TOLD_TO_ONE_CALLER.test(name))
    const reply = {
      operationId: operation.operationId,
      plan: planNeeded(operation, sent).plan,
      headers: Object.fromEntries(told),
      text: body.text,
    }
    replies.set(req.url, { ...body.holding, value: reply })
  }

  return { answer, note }
}
