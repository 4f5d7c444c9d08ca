import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { AccountCalls } from '../../infra/metering/accountCalls.ts'
import type { KeyCharge } from '../../infra/metering/counters.ts'

/** Counts the answered and refused calls of each account. What the service failed at is neither. */
export function countAccountCalls(calls: AccountCalls): RequestHandler {
  return (_req: Request, res: Response, next: NextFunction) => {
    res.once('finish', () => {
      const { accountId }: Partial<KeyCharge> = res.locals.charge ?? {}
      if (accountId === undefined || res.statusCode >= 500) return
      if (res.statusCode === 403 || res.statusCode === 429) calls.refused(accountId)
      else calls.answered(accountId)
    })
    next()
  }
}
