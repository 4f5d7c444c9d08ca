import { setTimeout as sleep } from 'node:timers/promises'
import { callerFor } from '../../domain/caller.ts'
import { type DataState, nextEndAndStart, type ReadDataState, stateColumns } from '../postgres/dataVersion.ts'
import { onlyRow, type SqlContext } from '../postgres/sql.ts'
import type { ReadRouter } from '../replicas/readRouter.ts'
import { windowEnd } from './soldPrices.ts'
import { createVersionedCache, type Read } from './versionedCache.ts'

/** Reads counts of all lots or sales, as of a moment. */
type ReadCounts<Value> = (context: SqlContext) => Promise<Value>

export type Counts = ReturnType<typeof createCounts>

const MOST_KINDS = 20
/** A caller waits so long for a new count: longer than most counts of 100,000 lots take. */
const PATIENCE_MS = 1_000

// Why: callers of /api/v1/items with 1,000,000 lots, whose own count always ran into the timeout; npx vitest run test/infra/counts.test.ts
/**
 * Counts of all lots, and what else needs all of them (the words of titles), made once for each version of the data, one at a time of each kind.
 * A caller waits for a count as new as the call, or at most `goodForMs` old; where it takes longer, the caller gets the latest one, and the
 * count goes on in the background.
 */
export function createCounts(reads: ReadRouter, dataState: ReadDataState) {
  const kept = createVersionedCache<object>(MOST_KINDS)
  const running = new Map<string, Promise<unknown>>()

  function count<Value extends object>(name: string, read: ReadCounts<Value>) {
    const counting = reads
      .export(callerFor('counts'), async context => {
        // First, so that the counts are at least as new.
        const validity = await readValidity(context)
        kept.set(name, { ...validity, value: await read(context) })
      })
      .finally(() => running.delete(name))
    // Nobody may be waiting when it fails.
    counting.catch(() => {})
    running.set(name, counting)
    return counting
  }

  async function fresh<Value extends object>(name: string, state: DataState, read: ReadCounts<Value>) {
    // A count that is running may have begun before the data changed.
    await running.get(name)?.catch(() => {})
    const found = kept.get(name, state)
    if (found) return found
    await (running.get(name) ?? count(name, read))
    return kept.latest(name)!
  }

  /** @throws ApiError 503 where the database does not answer, and what the latest count failed with. */
  return async <Value extends object>(name: string, read: ReadCounts<Value>, goodForMs = 0) => {
    const state = await dataState()
    const latest = kept.latest(name)
    const found =
      latest && Math.abs(state.now_ms - latest.now_ms) < goodForMs ? latest : kept.get(name, state)
    if (found) return found.value as Value
    const counting = fresh(name, state, read)
    if (!latest) return (await counting).value as Value
    const { value } = await Promise.race([counting, sleep(PATIENCE_MS, latest, { ref: false })])
    return value as Value
  }
}

/** Until the next lot begins or ends, and at most for the running minute, with which the window of sales ends. */
function readValidity({ sql, now }: SqlContext) {
  return onlyRow(sql<Omit<Read<object>, 'value'>[]>`
    select
      ${stateColumns(now)},
      to_ms(least(${windowEnd(now)}, ${nextEndAndStart(now)})) as until_ms`)
}
