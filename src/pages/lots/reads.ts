import type { RequestHandler, Response } from 'express'
import { callerFor } from '../../domain/caller.ts'
import type { Deps } from '../../usecases/deps.ts'
import { listSources } from '../../usecases/listSources.ts'
import { remembered } from '../remembered.ts'
import type { SearchReader } from '../searchAddress.ts'
import { visitorLimit } from './rateLimit.ts'

/** What the routes that read lots share. */
export interface LotReads {
  deps: Deps
  readSearch: SearchReader
  /** Key and name of every source, some minutes old at most. */
  sources(): Promise<[key: string, name: string][]>
  /** The moment of a page. */
  now(): Date
  /** One limit for all of them. */
  limit: RequestHandler
}

const SOURCES_KEPT_MS = 5 * 60_000

export function lotReads(deps: Deps, readSearch: SearchReader, pagesPerMinute: number): LotReads {
  return {
    deps,
    readSearch,
    sources: remembered(SOURCES_KEPT_MS, async () =>
      (await listSources(deps, callerFor('source names'))).map(
        ({ source, name }) => [source, name] as [string, string],
      ),
    ),
    now: () => deps.now() ?? new Date(),
    limit: visitorLimit(pagesPerMinute),
  }
}

/** To be revalidated each time; Express answers 304 by the ETag. */
export function sendText(res: Response, text: string): void {
  res.setHeader('Cache-Control', 'no-cache')
  res.send(text)
}
