import type { Hop } from '../../infra/fetching/hops.ts'
import { closeEndedLots } from '../../infra/ingestion/closings.ts'
import { type LoadedCopy, observeAgain } from '../../infra/ingestion/copies.ts'
import { readLoad, tidyLots } from '../../infra/ingestion/loads.ts'
import { withLock } from '../../infra/ingestion/locks.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import type { OfficialKey } from '../../infra/sources/registry.ts'
import { secondsSince } from '../valuation/appraiseLots.ts'
import { scoreOpenLots } from '../valuation/rescore.ts'
import { type LoadResult, type LoadSettings, NO_CHANGES } from './performLoad.ts'

/**
 * What a sweep does instead of a load when the source has nothing new: its lots are observed again, and lots whose end has passed are
 * closed. None is withdrawn. There is no record of a load: the result repeats the rows of the last one.
 * @param known what the lots were loaded from.
 * @param hops those that lead to it now.
 * @returns null when another load has written lots of the source since: then the copy must be loaded after all.
 */
export async function seeAgain(
  sql: Sql,
  { source, now, scoreLater, onProgress }: LoadSettings & { source: OfficialKey },
  { load_id }: LoadedCopy,
  hops: Hop[],
) {
  const started = performance.now()
  return withLock(sql, 'loads', onProgress, async () => {
    if (!(await observeAgain(sql, source, { load_id, hops, now }))) return null
    const lots_settled = await closeEndedLots(sql, now)
    const seconds_until_stored = secondsSince(started)
    // Usually nothing is due. But the process of the last load may have died before it scored.
    const rescored = scoreLater ? null : await scoreOpenLots(sql, { now, onProgress })
    await tidyLots(sql, rescored?.lots_changed ?? 0)
    return {
      load_id,
      feed: source,
      file: null,
      state: 'done',
      reason: null,
      sources: [],
      ...NO_CHANGES,
      lots_settled,
      ...(await readLoad(sql, load_id)),
      rescored,
      seconds_until_stored,
      seconds: secondsSince(started),
      retry_after_seconds: null,
      is_unchanged: true,
    } satisfies LoadResult & Record<string, unknown>
  })
}
