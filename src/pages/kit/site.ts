import type { RequestHandler } from 'express'
import { LRUCache } from 'lru-cache'
import type { Input } from '../../contract/types.ts'
import { serviceCaller } from '../../domain/caller.ts'
import { MINUTE_MS } from '../../domain/durations.ts'
import { nameOfState } from '../../domain/feeds/states.ts'
import { listSources } from '../../handlers/listSources.ts'
import { readLotsVersion } from '../../infra/postgres/dataVersion.ts'
import type { Deps } from '../../usecases/deps.ts'
import { chooseLots } from '../../usecases/site/frontPage.ts'

/** How old names and counts of an overview may be while the lots stay the same. */
export const OVERVIEW_KEPT_MS = 5 * MINUTE_MS

/** How late a page may learn that lots were loaded. */
const VERSION_KEPT_MS = 1_000

/** The key and the name of every source. */
export type Sources = [key: string, name: string][]

/** The parameters of a search as they were sent, in their order. */
export type Sent = [name: string, value: string][]

/** A search as a page receives it: its parameters, and what they mean. */
export interface SentSearch {
  sent: Sent
  /** @throws ApiError 400 when a parameter is invalid. */
  input(others?: Record<string, string>): Input<'searchListings'>
}

/** Reads the search of a URL by the rules of the API. @param ofPage parameters of the page itself, which are not checked. */
export type SearchReader = (url: string, ofPage?: string[]) => SentSearch

/** What the routes of the site share. */
export type Site = ReturnType<typeof createSite>

/** Calls `read` at most once in `keptMs` for each version, and shares its result; a failure is not cached. */
function cachedFor<T extends {}>(keptMs: number, read: () => Promise<T>, version = async () => '') {
  const kept = new LRUCache<string, T>({ max: 1, ttl: keptMs, fetchMethod: read })
  return async () => kept.forceFetch(await version())
}

/** @param limit the rate limit of one visitor, which all pages that read the database share. */
export function createSite(deps: Deps, readSearch: SearchReader, limit: RequestHandler) {
  const version = cachedFor(VERSION_KEPT_MS, () => deps.reads.read(serviceCaller(), readLotsVersion))

  /**
   * Shares what `read` gives until lots change or are loaded, and for at most `keptMs`.
   * Why: operators, whose empty pages would stay so for minutes after the first load; npx vitest run test/pages/firstMinutes.test.ts
   */
  function untilLotsChange<T extends {}>(keptMs: number, read: () => Promise<T>) {
    return cachedFor(keptMs, read, version)
  }

  return {
    deps,
    untilLotsChange,
    readSearch,
    limit,
    /** Key and name of every source, at most five minutes old. */
    sources: cachedFor(OVERVIEW_KEPT_MS, async (): Promise<Sources> => {
      const { data } = await listSources(deps, {})
      return data.map(({ source, name }) => [source, name])
    }),
    /** The counts and the choice of lots of the front page; scores are at most a minute old. */
    overview: untilLotsChange(MINUTE_MS, () => chooseLots(deps)),
    /** The time of the request. */
    now: deps.now,
  }
}

/** The parameters of the search page that the API does not know: how it shows lots, and the sentence that its filters were read from. */
export const OF_SEARCH_PAGE = ['view', 'sentence']
/** Drops these from an address. */
export const AS_API = Object.fromEntries(OF_SEARCH_PAGE.map(name => [name, null]))

/** Whether the address of a search asks for a compact list. */
export function isCompact(sent: Sent = []) {
  return sent.some(([name, value]) => name === 'view' && value === 'compact')
}

/** A path with the sent parameters of a search, some of them changed or (null) dropped. */
export function pathWith(path: string, sent: Sent, changes: Record<string, string | null>) {
  const query = new URLSearchParams(sent.filter(([name]) => !Object.hasOwn(changes, name)))
  for (const [name, value] of Object.entries(changes)) if (value !== null) query.set(name, value)
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

/** The name of a state in a path: new-york. */
export function pathOfState(code: string) {
  return nameOfState(code).toLowerCase().replaceAll(' ', '-')
}
