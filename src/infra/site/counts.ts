import { setTimeout as sleep } from 'node:timers/promises'
import { serviceCaller } from '../../domain/caller.ts'
import { onlyRow, type SqlContext } from '../postgres/sql.ts'
import { windowEnd } from '../prices/soldPrices.ts'
import type { Reads } from '../search/reads.ts'

/** Reads counts of all lots or sales, as of a moment. */
type ReadCounts<Value> = (context: SqlContext) => Promise<Value>

interface Lateness {
  /** How old a count may be that is given without a new one. */
  goodForMs?: number
  /**
   * Of a page: while no lot or sale was stored, a count may rest after it was
   * made, for longer the longer it took.
   */
  mayRest?: boolean
}

/**
 * Counts of all lots or sales, by the name of what is counted.
 * @param lateness absent: as new as the call.
 * @throws ApiError 503 where the database does not answer, and what the latest
 * count failed with.
 */
export type Counts = <Value>(
  name: string,
  read: ReadCounts<Value>,
  lateness?: Lateness,
) => Promise<Value>

/** A moment of the data. */
interface DataState {
  /**
   * Changes with every change of the lots or the sources
   * (migrations/0006_data_version.sql).
   */
  version: number
  /** The database clock at the read, in milliseconds since 1970. */
  now_ms: number
  /**
   * From when on a count of this moment may be wrong, in milliseconds since
   * 1970.
   */
  until_ms: number
}

/** A count, and the state of the data that it was made from. */
interface Count extends DataState {
  value: unknown
  /** How long it may rest after it was made. */
  rest_ms: number
}

/**
 * A count of a page is made again after so many times as long as it took: lots
 * begin and end every few seconds where there are many, and counting them all
 * takes seconds there. A count of 5 ms rests for a tenth of a second.
 */
const REST_OF_COUNT = 20

/**
 * A caller waits so long for a new count: longer than most counts of 100,000
 * lots take.
 */
const PATIENCE_MS = 1_000

// Why: callers of /api/v1/items with 1,000,000 lots, whose own count always ran into the timeout; npx vitest run test/infra/counts.test.ts
/**
 * Counts of all lots, and what else needs all of them (the words of titles),
 * made once for each version of the data, one at a time of each kind. A caller
 * waits for a count as new as the call, or as late as it may be; where it takes
 * longer, the caller gets the latest one, and the count goes on in the
 * background.
 */
export function createCounts(reads: Reads): Counts {
  const latestByName = new Map<string, Count>()
  const running = new Map<string, Promise<unknown>>()

  function count(name: string, read: ReadCounts<unknown>) {
    const counting = reads
      .export(serviceCaller(), async context => {
        // First, so that the counts are at least as new.
        const state = await readState(context)
        const began = performance.now()
        const value = await read(context)
        latestByName.set(name, {
          ...state,
          value,
          rest_ms: (performance.now() - began) * REST_OF_COUNT,
        })
      })
      .finally(() => running.delete(name))
    // Nobody may be waiting when it fails.
    counting.catch(() => {})
    running.set(name, counting)
    return counting
  }

  async function fresh(
    name: string,
    state: DataState,
    read: ReadCounts<unknown>,
    mayRest: boolean,
  ) {
    // A count that is running may have begun before the data changed.
    await running.get(name)?.catch(() => {})
    const found = latestByName.get(name)
    if (found && isValid(found, state, mayRest)) return found
    await (running.get(name) ?? count(name, read))
    return latestByName.get(name)!
  }

  async function countOf(
    name: string,
    read: ReadCounts<unknown>,
    { goodForMs = 0, mayRest = false }: Lateness,
  ) {
    const state = await reads.read(serviceCaller(), readState)
    const latest = latestByName.get(name)
    if (
      latest &&
      (Math.abs(state.now_ms - latest.now_ms) < goodForMs ||
        isValid(latest, state, mayRest))
    )
      return latest
    const counting = fresh(name, state, read, mayRest)
    return latest
      ? Promise.race([counting, sleep(PATIENCE_MS, latest, { ref: false })])
      : counting
  }

  return async <Value>(
    name: string,
    read: ReadCounts<Value>,
    lateness: Lateness = {},
  ) => (await countOf(name, read, lateness)).value as Value
}

/** A clock that was set back outdates what was read before. */
function isValid(
  { version, now_ms, until_ms, rest_ms }: Count,
  state: DataState,
  mayRest: boolean,
) {
  const goodUntil = mayRest ? Math.max(until_ms, now_ms + rest_ms) : until_ms
  return (
    version >= state.version &&
    state.now_ms < goodUntil &&
    now_ms <= state.now_ms
  )
}

/**
 * The state of the data. Counts of it hold until the next lot begins or ends,
 * and at most for the running minute, with which the window of sales ends.
 */
function readState({ sql, now }: SqlContext) {
  return onlyRow(sql<DataState[]>`
    select
      version,
      to_ms(${now}) as now_ms,
      to_ms(least(
        ${windowEnd(now)},
        (select ends_at from lots where is_open and ends_at > ${now} order by ends_at limit 1),
        (select starts_at from lots where is_open and starts_at > ${now} order by starts_at limit 1)
      )) as until_ms
    from data_version`)
}
