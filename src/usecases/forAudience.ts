import type { Audience } from '../domain/audience.ts'
import type { ReadCache } from '../infra/listings/versionedCache.ts'
import type { Guard } from '../infra/postgres/circuitBreaker.ts'
import type { Deps } from './deps.ts'

/**
 * The same for one call, whose client may leave: then nothing more is asked of the database, and the read that runs for it is
 * ended, unless another call waits for the same. The counters are not: what was admitted stays counted.
 */
export function forAudience(deps: Deps, audience: Audience): Deps {
  const whileWaited =
    (guard: Guard): Guard =>
    async work => {
      audience.throwIfGone()
      return guard(work)
    }
  return {
    ...deps,
    guard: whileWaited(deps.guard),
    exportGuard: whileWaited(deps.exportGuard),
    readLots: deps.readLots.until(audience),
    pages: sharing(deps.pages, audience),
    lots: sharing(deps.lots, audience),
  }
}

function sharing<Value extends {}>(cache: ReadCache<Value>, audience: Audience): ReadCache<Value> {
  return { ...cache, recall: (name, dataState, read) => cache.recall(name, dataState, read, audience) }
}
