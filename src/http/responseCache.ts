import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Response } from 'express'
import { includes, type Plan } from '../contract/plans.ts'
import type { CacheValidity } from '../contract/rawJson.ts'
import type { OperationId } from '../contract/types.ts'
import type { VersionedCache } from '../infra/listings/versionedCache.ts'
import { chargeKey } from '../usecases/admit.ts'
import type { Deps } from '../usecases/deps.ts'
import type { Intake } from './middleware/loadShedding.ts'
import { bearerToken, type Charging, tellLimits } from './operations/admission.ts'
import { isPlainMessage, type Repeatable, repeatableGet, repeatableToolCall } from './repeatable.ts'

/** A 200 as it left, without what is told to one caller alone. */
export interface SentReply {
  operationId: OperationId
  /** The plan that the call needs. */
  plan: Plan | null
  headers: OutgoingHttpHeaders
  /** All but the ending of `Repeatable`. */
  text: string
}

/** What stands in front of the application for calls that repeat one another. */
export interface RepeatedCalls {
  /** Answers what it can; hands everything else to `next`, with the charge if one was made. */
  answer(req: IncomingMessage, res: ServerResponse, next: () => void): void
  note: NoteReply
}

/** Remembers the text of an answer that is being sent, for the next call like it. */
export type NoteReply = (
  res: Response,
  sent: { operationId: OperationId; plan: Plan | null; text: string; validity: CacheValidity },
) => void

interface RepeatedCallsSettings {
  deps: Deps
  replies: VersionedCache<SentReply>
  intake: Intake
  /** The path of the agent endpoint. */
  toolPath: string
  /** Whether this call must go the long way: to be judged, or because the process stops. */
  goesTheLongWay(): boolean
}

const TOLD_TO_ONE_CALLER = /^(x-)?ratelimit-|^x-request-id$/

/**
 * Most calls of a day are the same few. Of a call that was answered before, and whose data have not changed, everything but
 * the key is known: it was validated, routed and written. So only the key is charged, in a statement that also tells how far
 * the data is, and the same answer is sent again, at a fraction of the processor time (`make bench`). Whatever is not
 * exactly that (a refusal, data that went on, a condition) goes the long way, and pays once.
 */
export function createRepeatedCalls({
  deps,
  replies,
  intake,
  toolPath,
  goesTheLongWay,
}: RepeatedCallsSettings): RepeatedCalls {
  /** What must go the long way goes at once: Node answers by itself what breaks off before it is begun. */
  function answer(req: IncomingMessage, res: ServerResponse, next: () => void): void {
    const onward = () => {
      if (!res.headersSent) next()
    }
    if (req.method === 'POST' && req.url === toolPath && isPlainMessage(req)) {
      void repeatableToolCall(req).then(call => consider(call, req, res, onward))
    } else consider(repeatableGet(req), req, res, onward)
  }

  function consider(
    call: Repeatable | null,
    req: IncomingMessage,
    res: ServerResponse,
    next: () => void,
  ): void {
    ;(res as Response).locals.repeatable = call
    const isKnown = call && replies.has(call.name) && req.headers.authorization !== undefined
    if (!isKnown || intake.isFull() || goesTheLongWay()) next()
    else void repeat(call, req, res, next)
  }

  async function repeat(
    call: Repeatable,
    req: IncomingMessage,
    res: ServerResponse,
    next: () => void,
  ): Promise<void> {
    const { locals } = res as Response
    const charging: Charging = chargeKey(deps, bearerToken(req))
    locals.charging = charging
    intake.begin()
    const charge = await charging.catch(() => null)
    intake.end()
    const reply = charge?.granted && replies.get(call.name, charge.state)?.value
    if (!reply || (reply.plan && !includes(charge.plan, reply.plan))) return next()
    locals.operationId = reply.operationId
    tellLimits(res, charge)
    res.writeHead(200, reply.headers)
    res.end(reply.text + call.ending)
  }

  function note(res: Response, { operationId, plan, text, validity }: Parameters<NoteReply>[1]): void {
    const call: Repeatable | null = res.locals.repeatable
    if (!call || res.statusCode !== 200 || !text.endsWith(call.ending)) return
    const told = Object.entries(res.getHeaders()).filter(([name]) => !TOLD_TO_ONE_CALLER.test(name))
    // The length is that of the text with its ending, which another call has shorter or longer.
    const headers = Object.fromEntries(
      told.filter(([name]) => call.ending === '' || name !== 'content-length'),
    )
    const common = text.slice(0, text.length - call.ending.length)
    replies.set(call.name, { ...validity, value: { operationId, plan, headers, text: common } })
  }

  return { answer, note }
}
