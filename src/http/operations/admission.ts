import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { type Operation, planNeeded } from '../../contract/document.ts'
import type { ApiError } from '../../domain/errors.ts'
import type { Charge, KeyCharge } from '../../infra/metering/counters.ts'
import {
  assertAddressGranted,
  assertGranted,
  assertPlan,
  chargeAddress,
  chargeKey,
} from '../../usecases/admit.ts'
import type { Deps } from '../../usecases/deps.ts'
import { readQuery } from '../query.ts'

/** A charge that is being made, or was. */
export type Charging = Promise<KeyCharge>

const LONGEST_AUTHORIZATION = 256
const TOO_LONG_FOR_A_KEY = ''

/**
 * The turnstile before an operation: key, then burst and month, then plan. It tells the limits in the headers, whatever
 * comes of the call, and gives the call back when it ends in a 5xx.
 */
export function admission(operation: Operation, deps: Deps): RequestHandler {
  return async (req: Request, res: Response, next: NextFunction) => {
    const query = readQuery(req.url)
    res.locals.query = query
    // A header that is there must hold a good key, also where none is needed: a client that means to send one is told.
    if (req.headers.authorization === undefined && operation.plan === null) return next()

    // Who was charged on the way here (repeatedCalls) is not charged again.
    const charging: Charging | undefined = res.locals.charging
    const charge = await (charging ?? chargeKey(deps, bearerToken(req)))
    tellLimits(res, charge)
    assertGranted(charge)
    giveBackOnFailure(res, charge, deps)
    assertPlan(
      charge.plan,
      planNeeded(
        operation,
        query.pairs.map(([name]) => name),
      ),
    )
    const { keyId, accountId, plan } = charge
    res.locals.caller.key = { keyId, accountId, plan }
    next()
  }
}

/**
 * The turnstile for those without a key, where the contract lets them in: after the body is read, a message that costs a
 * call is charged to the address it came from.
 */
export function keylessAdmission(costs: (body: unknown) => boolean, deps: Deps): RequestHandler {
  return async (req: Request, res: Response, next: NextFunction) => {
    if (res.locals.caller.key || !costs(req.body)) return next()
    const charge = await chargeAddress(deps, req.ip ?? '')
    tellLimits(res, charge)
    assertAddressGranted(charge)
    giveBackOnFailure(res, charge, deps)
    next()
  }
}

/** The token of `Authorization: Bearer …` (RFC 6750: the scheme in any case); null when none is sent. */
export function bearerToken(req: IncomingMessage): string | null {
  const header = req.headers.authorization ?? ''
  if (header.length > LONGEST_AUTHORIZATION) return TOO_LONG_FOR_A_KEY
  return /^bearer +(\S.*)$/i.exec(header.trim())?.[1] ?? null
}

/** The month of the caller, under both names. */
export function tellLimits(res: ServerResponse, charge: Charge): void {
  for (const prefix of ['RateLimit', 'X-RateLimit']) {
    res.setHeader(`${prefix}-Limit`, charge.monthLimit)
    res.setHeader(`${prefix}-Remaining`, charge.monthRemaining)
    res.setHeader(`${prefix}-Reset`, charge.monthResetsInSeconds)
  }
}

/** A call that was not answered by its deadline stays charged to the minute, which limits callers that send more than can be answered. */
function giveBackOnFailure(res: Response, charge: Charge, deps: Deps): void {
  res.once('finish', () => {
    const error: ApiError | undefined = res.locals.error
    if (res.statusCode >= 500) deps.meter.giveBack(charge, { minute: !error?.isDeadline })
  })
}
