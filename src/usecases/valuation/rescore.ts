import { withLoadLock } from '../../infra/ingestion/loadLock.ts'
import { tidyLots } from '../../infra/ingestion/loads.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { appraiseOpenLots } from './appraiseOpenLots.ts'
import type { Rescored, ScoringSettings } from './rescored.ts'

/**
 * Appraises and scores every open lot anew, whatever had changed.
 * @param sql a workbench: it holds the load lock of its session.
 */
export async function rescore(sql: Sql, settings: ScoringSettings): Promise<Rescored> {
  const onWait = () => settings.onProgress?.('A load is running: waiting for it to end.')
  return withLoadLock(sql, onWait, async () => {
    const rescored = await appraiseOpenLots(sql, 'It was asked for.', settings)
    await tidyLots(sql, rescored.lots_changed)
    return rescored
  })
}
