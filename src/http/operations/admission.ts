import { isUtf8 } from 'node:buffer'
import express, {
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import { planNeeded } from '../../contract/document.ts'
import { ApiError, invalidRequest } from '../../contract/errors.ts'
import { AGENT_PREFIX } from '../../domain/apiKey.ts'
import type { Charge } from '../../infra/metering/counters.ts'
import {
  assertGranted,
  assertIpBlockGranted,
  assertPlan,
  chargeIpBlock,
  chargeKey,
} from '../../usecases/admit.ts'
import type { Deps } from '../../usecases/deps.ts'
import { refuseToSignIn } from '../agents/agentsHost.ts'
import { callOf } from '../call.ts'

const MAX_AUTHORIZATION = 256
/** Stands for a token that is no key here. */
const NO_KEY = ''

/**
 * Admits a call: key, then burst and month, then plan. The limits are in the
 * headers whether the call is granted or refused, and a call that ends in a 5xx
 * is given back. For the agent endpoint it also judges the origin, reads the
 * body, and without a key charges the network address.
 * @param limit of the requests of an address, for large bodies that cost no
 * call.
 * @throws ApiError missing_api_key, invalid_api_key, burst_rate_exceeded,
 * monthly_quota_exceeded, forbidden, invalid_request.
 */
export function admitCall(deps: Deps, limit: RequestHandler): RequestHandler {
  const readBody = jsonBody()
  return async (req, res, next) => {
    const call = callOf(res)
    const { hasBody, plan } = call.operation!
    if (hasBody) {
      call.refuse = call.agents ? refuseToSignIn(deps) : deps.mcp.refuse
      deps.mcp.assertOrigin(req.headers.origin)
    }
    // A key that is sent must be valid even where none is needed: the client
    // means to be known by it.
    if (req.headers.authorization !== undefined || plan !== null || call.agents)
      await chargeCall(req, res, deps)
    if (hasBody) {
      await readBody(req, res)
      await admitMessage(req, res, deps, limit)
    }
    next()
  }
}

/** Charges the call to its key. */
async function chargeCall(req: Request, res: Response, deps: Deps) {
  const call = callOf(res)
  const operation = call.operation!
  const charge = await chargeKey(
    deps,
    bearerToken(req),
    operation.operationId,
    call.caller,
  )
  setChargeHeaders(res, charge)
  assertGranted(charge)
  giveBackOnFailure(res, charge, deps)
  const sent = call.query.pairs.map(([name]) => name)
  assertPlan(charge.plan, planNeeded(operation, sent))
  const { keyId, accountId, plan } = charge
  call.caller.key = { keyId, accountId, plan }
}

/** What costs no call is a short message. */
const LARGEST_FREE_BYTES = 4_096

/**
 * Charges a message without a key to the network address that it came from, if
 * it costs a call.
 */
async function admitMessage(
  req: Request,
  res: Response,
  deps: Deps,
  limit: RequestHandler,
) {
  const call = callOf(res)
  if (call.caller.key) {
    call.isFree = deps.mcp.readsCard(req.body)
    if (call.isFree && call.charge)
      setChargeHeaders(res, {
        ...call.charge,
        monthRemaining: call.charge.monthRemaining + 1,
      })
    return
  }
  if (!deps.mcp.costs(req.body)) {
    const isLarge =
      Number(req.headers['content-length'] ?? Infinity) > LARGEST_FREE_BYTES
    if (req.headers['content-encoding'] || isLarge) await run(limit, req, res)
    return
  }
  const charges = await chargeIpBlock(deps, req.ip ?? '', call.caller)
  setChargeHeaders(res, charges[0]!)
  assertIpBlockGranted(charges[0]!)
  for (const charge of charges) giveBackOnFailure(res, charge, deps)
}

/**
 * Resolves when a middleware goes on; rejects with what it passes to `next`.
 */
function run(
  middleware: RequestHandler,
  req: Request,
  res: Response,
): Promise<void> {
  return new Promise((resolve, reject) => {
    void middleware(req, res, error => (error ? reject(error) : resolve()))
  })
}

const LARGEST_BODY = '64kb'
/**
 * JSON is UTF-8 (RFC 8259, 8.1); what else a charset may say is left to the
 * parser, which knows only Unicode ones.
 */
const JSON_TYPE = /^application\/json[ \t]*(;|$)/i
const OTHER_UNICODE = /charset[ \t]*=[ \t]*"?utf-(16|32)/i

/**
 * Reads a JSON body of at most 64 kB into `req.body`; it stays `undefined`
 * where no body is announced.
 * @throws ApiError invalid_request: 415 for another type, 400 for an empty body
 * (the parser would take it for an empty object) and for bytes that are not
 * UTF-8; the parser refuses the rest.
 */
function jsonBody(): (req: Request, res: Response) => Promise<void> {
  const parse = express.json({
    limit: LARGEST_BODY,
    strict: false,
    verify: (_req, _res, bytes) => {
      if (bytes.length === 0) throw invalidRequest('The body is empty.')
      if (!isUtf8(bytes)) throw invalidRequest('The body is not valid UTF-8.')
    },
  })
  return async (req, res) => {
    const type = req.headers['content-type'] ?? ''
    if (!JSON_TYPE.test(type) || OTHER_UNICODE.test(type)) {
      throw new ApiError(
        'invalid_request',
        'Send the body as "Content-Type: application/json".',
        {
          status: 415,
        },
      )
    }
    await run(parse, req, res)
  }
}

/**
 * The token of `Authorization: Bearer …` (RFC 6750: the scheme in any case);
 * null when none is sent. That of an agent that signed in is a key on the
 * address of agents only.
 */
function bearerToken(req: Request): string | null {
  const header = req.headers.authorization ?? ''
  // Node drops all but the first.
  if (req.headersDistinct.authorization?.[1])
    throw new ApiError(
      'invalid_api_key',
      'Send one Authorization header, not several.',
    )
  if (header.length > MAX_AUTHORIZATION) return NO_KEY
  const token = /^bearer +(\S.*)$/i.exec(header.trim())?.[1] ?? null
  return token?.startsWith(AGENT_PREFIX) && !callOf(req.res!).agents
    ? NO_KEY
    : token
}

/**
 * The month of the caller under both names, and beside it the minute
 * (draft-ietf-httpapi-ratelimit-headers-11): name and value.
 */
function limitHeaders(charge: Charge): [name: string, value: string][] {
  const {
    monthLimit,
    monthRemaining,
    monthResetsInSeconds,
    burstLimit,
    burstRemaining,
  } = charge
  const month = ['RateLimit', 'X-RateLimit'].flatMap(
    (prefix): [string, string][] => [
      [`${prefix}-Limit`, String(monthLimit)],
      [`${prefix}-Remaining`, String(monthRemaining)],
      [`${prefix}-Reset`, String(monthResetsInSeconds)],
    ],
  )
  const burst = `"burst";r=${burstRemaining};t=${charge.burstResetsInSeconds}`
  return [
    ...month,
    [
      'RateLimit-Policy',
      `"burst";q=${burstLimit};w=60, "month";q=${monthLimit}`,
    ],
    [
      'RateLimit',
      `${burst}, "month";r=${monthRemaining};t=${monthResetsInSeconds}`,
    ],
  ]
}

/**
 * The charge has just read what the data are; `commonHeaders` knows what was
 * read before.
 */
function setChargeHeaders(res: Response, charge: Charge) {
  callOf(res).charge = charge
  res.setHeader('X-Data', charge.dataKind)
  for (const [name, value] of limitHeaders(charge)) res.setHeader(name, value)
}

/**
 * A call that was not answered by its deadline stays charged to the minute,
 * which limits callers that send more than can be answered.
 */
function giveBackOnFailure(res: Response, charge: Charge, deps: Deps) {
  res.once('finish', () => {
    const { error, isFree } = callOf(res)
    if (isFree || res.statusCode >= 500 || error?.status === 503)
      deps.meter.giveBack(charge, { minute: !error?.isDeadline })
  })
}
