import { readFile } from 'node:fs/promises'
import { projectFile } from '../../contract/projectFile.ts'
import { currentSweeper } from '../../infra/ingestion/locks.ts'
import { readSourceStates, type SourceDescription, storeSources } from '../../infra/ingestion/sources.ts'
import { readSweepHistories } from '../../infra/ingestion/sweeps.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import type { OfficialSource } from '../../infra/sources/officialSource.ts'
import { OFFICIAL_KEYS, OFFICIAL_SOURCES } from '../../infra/sources/registry.ts'

/** Without a sweeper, a source is stale when its last good fetch is older than this. */
const STALE_AFTER_HOURS = 24
/** With one, after two of its intervals without a good fetch. */
const STALE_AFTER_INTERVALS = 2

export type ReportedSource = Awaited<ReturnType<typeof listSourceStates>>['sources'][number]

/**
 * How every source stands, and the one process that sweeps now; for an operator, so without a cache and in full.
 * @returns of each source also whether a program fetches it here (the others are loaded from files of an operator), and the age
 * from which its data is called stale.
 * @param isSwept whether a sweeper should be running, so that sources are compared with their own interval even while it is down.
 */
export async function listSourceStates(sql: Sql, now: Date | null, isSwept: boolean) {
  const sweeper = await currentSweeper(sql)
  const states = await readSourceStates(sql, now)
  const sources = states.map(state => {
    const is_fetched = Object.hasOwn(OFFICIAL_SOURCES, state.source)
    const interval = isSwept || sweeper !== null ? (state.sweep?.interval_seconds ?? null) : null
    const stale_after_hours =
      interval === null ? STALE_AFTER_HOURS : (STALE_AFTER_INTERVALS * interval) / 3600
    const hasData = state.live_lots > 0 || is_fetched
    const isOld = state.age_hours === null || state.age_hours > stale_after_hours
    return {
      ...state,
      is_fetched,
      is_stale: hasData && isOld,
      stale_after_hours,
    }
  })
  return { sweeper, sources }
}

/** When each official source is fetched: its interval and its next fetch, null before it was planned. */
export async function readSweepTimes(sql: Sql) {
  const histories = await readSweepHistories(sql, OFFICIAL_KEYS)
  return new Map(
    histories.map(({ source, publishedSeconds, publishedDueAt }) => [
      source,
      { interval_seconds: publishedSeconds, next_due_at: publishedDueAt?.toISOString() ?? null },
    ]),
  )
}

/** Brings the tracked sources into the database: those of `data/sources.json`, and the cities that are fetched beyond them. */
export async function seedSources(sql: Sql): Promise<void> {
  const file = await readFile(projectFile('data', 'sources.json'), 'utf8')
  const tracked: SourceDescription[] = JSON.parse(file)
  const others = Object.values<OfficialSource>(OFFICIAL_SOURCES).flatMap(each => each.description ?? [])
  await storeSources(sql, [...tracked, ...others])
}
