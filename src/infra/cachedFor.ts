import { LRUCache } from 'lru-cache'

/** Calls `read` at most once in `keptMs` and shares its result; a failure is not cached. */
export function cachedFor<T extends {}>(keptMs: number, read: () => Promise<T>) {
  const only = new LRUCache<'only', T>({ max: 1, ttl: keptMs, fetchMethod: read })
  return () => only.forceFetch('only')
}
