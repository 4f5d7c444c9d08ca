import type { RequestHandler } from 'express'
import { rateLimit } from 'express-rate-limit'
import { ApiError } from '../../contract/errors.ts'
import { MINUTE_MS } from '../../domain/durations.ts'
import { count } from '../../domain/format.ts'
import { WIDE_ALLOWANCE } from '../../domain/ipBlock.ts'

/**
 * Limits how often one client (IPv6 by /64, and by /56 with four times as many)
 * may open pages that read the database. It bounds load, so each process counts
 * in its own memory; quotas must be exact and are counted in the database.
 */
export function visitorLimit(pagesPerMinute: number): RequestHandler {
  const one = limitOf(64, pagesPerMinute)
  const wide = limitOf(56, pagesPerMinute * WIDE_ALLOWANCE)
  return (req, res, next) =>
    one(req, res, error => (error ? next(error) : wide(req, res, next)))
}

function limitOf(ipv6Subnet: number, limit: number) {
  return rateLimit({
    windowMs: MINUTE_MS,
    limit,
    ipv6Subnet,
    standardHeaders: false,
    legacyHeaders: false,
    // Its hints about proxies would go to the console instead of our log.
    validate: false,
    handler: (req, _res, next) => {
      const { resetTime } = (
        req as typeof req & { rateLimit: { resetTime?: Date } }
      ).rateLimit
      const waitMs = (resetTime?.getTime() ?? 0) - Date.now()
      const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
      const message = `This address has opened ${count(limit, 'page')} within a minute, the most allowed. Try again in ${count(retryAfterSeconds, 'second')}.`
      next(new ApiError('burst_rate_exceeded', message, { retryAfterSeconds }))
    },
  })
}
