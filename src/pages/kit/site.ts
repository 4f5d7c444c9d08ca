import type { RequestHandler } from 'express'
import { MINUTE_MS } from '../../domain/durations.ts'
import { nameOfState } from '../../domain/feeds/states.ts'
import { readSources } from '../../infra/site/sources.ts'
import type { Deps } from '../../usecases/deps.ts'
import type { SearchReader, SentSearch } from '../../usecases/searchLots.ts'

const NAMES_GOOD_FOR_MS = 5 * MINUTE_MS

/** The key and the name of every source. */
export type Sources = [key: string, name: string][]

/** The parameters of a search as they were sent, in their order. */
export type Sent = SentSearch['sent']

/** What the routes of the site share. */
export interface Site {
  deps: Deps
  readSearch: SearchReader
  limit: RequestHandler
  /** Key and name of every source, at most five minutes old. */
  sources: () => Promise<Sources>
  /** The time of the request. */
  now: () => Date
}

/**
 * @param limit the rate limit of one visitor, which all pages that read the
 * database share.
 */
export function createSite(
  deps: Deps,
  readSearch: SearchReader,
  limit: RequestHandler,
): Site {
  return {
    deps,
    readSearch,
    limit,
    async sources(): Promise<Sources> {
      const rows = await deps.counts('sources', readSources, {
        goodForMs: NAMES_GOOD_FOR_MS,
      })
      return rows.map(({ source, name }) => [source, name])
    },
    now: deps.now,
  }
}

/**
 * The parameters of the search page that the API does not know: how it shows
 * lots, and the sentence that its filters were read from.
 */
export const OF_SEARCH_PAGE = ['view', 'sentence']
/** Drops these from an address. */
export const AS_API = Object.fromEntries(
  OF_SEARCH_PAGE.map(name => [name, null]),
)

/** Whether the address of a search asks for a compact list. */
export function isCompact(sent: Sent = []): boolean {
  return sent.some(([name, value]) => name === 'view' && value === 'compact')
}

/**
 * A path with the sent parameters of a search, some of them changed or (null)
 * dropped.
 */
export function pathWith(
  path: string,
  sent: Sent,
  changes: Record<string, string | null>,
): string {
  const query = new URLSearchParams(
    sent.filter(([name]) => !Object.hasOwn(changes, name)),
  )
  for (const [name, value] of Object.entries(changes))
    if (value !== null) query.set(name, value)
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

/** The name of a state in a path: new-york. */
export function pathOfState(code: string): string {
  return nameOfState(code).toLowerCase().replaceAll(' ', '-')
}
