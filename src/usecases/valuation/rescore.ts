import type { Sql } from '../../infra/database.ts'
import { withLoadLock } from '../../infra/ingestion/loadLock.ts'
import { tidyLots } from '../../infra/ingestion/loads.ts'
import { type AppraisalSettings, appraiseOpenLots, type Rescored } from './appraiseOpenLots.ts'

/**
 * Appraises and scores every open lot anew; every load does it by itself.
 * @param sql a workbench: it holds the load lock of its session.
 */
export async function rescore(sql: Sql, settings: AppraisalSettings): Promise<Rescored> {
  const onWait = () => settings.onProgress?.('A load is running: waiting for it to end.')
  return withLoadLock(sql, onWait, async () => {
    const rescored = await appraiseOpenLots(sql, settings)
    await tidyLots(sql, rescored.lots_changed)
    return rescored
  })
}
