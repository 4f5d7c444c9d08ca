import type { Sql } from '../../infra/database.ts'
import { readSourceStates, type SourceState } from '../../infra/ingestion/sourceStates.ts'
import { OFFICIAL_SOURCES } from '../../infra/sources/officialSources.ts'

/** A source that is fetched is stale when its last good fetch is older than this; lots of a day may have ended since. */
const STALE_AFTER_HOURS = 24

export interface ReportedSource extends SourceState {
  /** Whether a program fetches it here; the others are loaded from files of an operator. */
  is_fetched: boolean
  is_stale: boolean
}

/** How every source stands; for an operator, so without a cache and in full. */
export async function listSourceStates(sql: Sql, now: Date | null): Promise<ReportedSource[]> {
  const states = await readSourceStates(sql, now)
  return states.map(state => {
    const is_fetched = Object.hasOwn(OFFICIAL_SOURCES, state.source)
    const hasData = state.live_lots > 0 || is_fetched
    const isOld = state.age_hours === null || state.age_hours > STALE_AFTER_HOURS
    return { ...state, is_fetched, is_stale: hasData && isOld }
  })
}
