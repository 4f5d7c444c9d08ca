import type { RequestHandler, Response } from 'express'
import { rateLimit } from 'express-rate-limit'
import { callerFor } from '../../domain/caller.ts'
import { ApiError } from '../../domain/errors.ts'
import { listSources } from '../../handlers/listSources.ts'
import type { Deps } from '../../usecases/deps.ts'
import { chooseLots } from '../../usecases/site/frontPage.ts'
import type { SearchReader } from '../lots/filterForm.ts'

const MINUTE_MS = 60_000
/** How old names and counts of an overview may be. */
export const OVERVIEW_KEPT_MS = 5 * MINUTE_MS

export type LotReads = ReturnType<typeof lotReads>

/** What all routes that read lots share. */
export function lotReads(deps: Deps, readSearch: SearchReader, pagesPerMinute: number) {
  return {
    deps,
    readSearch,
    /** Key and name of every source, at most five minutes old. */
    sources: cachedFor(OVERVIEW_KEPT_MS, async () =>
      (await listSources(deps, {}, callerFor('source names'))).data.map(
        ({ source, name }) => [source, name] as [string, string],
      ),
    ),
    /** The counts and the choice of lots of the front page, at most a minute old. */
    overview: cachedFor(MINUTE_MS, () => chooseLots(deps, callerFor('front page'))),
    /** The moment of the request. */
    now: () => deps.now() ?? new Date(),
    /** The rate limit that all of these routes share. */
    limit: visitorLimit(pagesPerMinute),
  }
}

/** Sends a text that caches must revalidate; Express answers 304 by its ETag. */
export function sendText(res: Response, text: string): void {
  res.setHeader('Cache-Control', 'no-cache')
  res.send(text)
}

/** Calls `read` at most once in `keptMs` and shares its result; a failure is not cached. */
export function cachedFor<T>(keptMs: number, read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null
  let readAt = 0
  return () => {
    if (result === null || Date.now() - readAt > keptMs) {
      readAt = Date.now()
      result = read()
      result.catch(() => {
        result = null
      })
    }
    return result
  }
}

/**
 * Limits how often one client address (IPv6 by /64) may open pages that read the database. It bounds load, so each process counts
 * in its own memory; quotas must be exact and are counted in the database.
 */
function visitorLimit(pagesPerMinute: number): RequestHandler {
  if (!Number.isFinite(pagesPerMinute)) return (_req, _res, next) => next()
  return rateLimit({
    windowMs: MINUTE_MS,
    limit: pagesPerMinute,
    ipv6Subnet: 64,
    standardHeaders: false,
    legacyHeaders: false,
    // Its hints about proxies would go to the console instead of our log.
    validate: false,
    handler: (req, _res, next) => {
      const { resetTime } = (req as typeof req & { rateLimit: { resetTime?: Date } }).rateLimit
      const waitMs = (resetTime?.getTime() ?? 0) - Date.now()
      const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
      next(
        new ApiError(
          'burst_rate_exceeded',
          `This address has opened ${pagesPerMinute} pages within a minute, the most allowed. Try again in ${retryAfterSeconds} seconds.`,
          { retryAfterSeconds },
        ),
      )
    },
  })
}
