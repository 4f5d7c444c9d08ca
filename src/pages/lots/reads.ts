import type { RequestHandler, Response } from 'express'
import { callerFor } from '../../domain/caller.ts'
import type { Deps } from '../../usecases/deps.ts'
import { listSources } from '../../usecases/listSources.ts'
import type { SearchReader } from './filterForm.ts'
import { visitorLimit } from './rateLimit.ts'

/** What all routes that read lots share. */
export interface LotReads {
  deps: Deps
  readSearch: SearchReader
  /** Key and name of every source, at most five minutes old. */
  sources(): Promise<[key: string, name: string][]>
  /** The moment of the request. */
  now(): Date
  /** The rate limit that all of these routes share. */
  limit: RequestHandler
}

const SOURCES_KEPT_MS = 5 * 60_000

export function lotReads(deps: Deps, readSearch: SearchReader, pagesPerMinute: number): LotReads {
  return {
    deps,
    readSearch,
    sources: cachedFor(SOURCES_KEPT_MS, async () =>
      (await listSources(deps, callerFor('source names'))).map(
        ({ source, name }) => [source, name] as [string, string],
      ),
    ),
    now: () => deps.now() ?? new Date(),
    limit: visitorLimit(pagesPerMinute),
  }
}

/** Sends a text that caches must revalidate; Express answers 304 by its ETag. */
export function sendText(res: Response, text: string): void {
  res.setHeader('Cache-Control', 'no-cache')
  res.send(text)
}

/** Calls `read` at most once in `keptMs` and shares its result; a failure is not cached. */
function cachedFor<T>(keptMs: number, read: () => Promise<T>): () => Promise<T> {
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
