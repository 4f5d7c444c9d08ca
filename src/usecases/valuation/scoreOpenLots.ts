import { SCORE_VERSION } from '../../domain/valuation/flipScore.ts'
import { whyAnew } from '../../domain/valuation/indexAge.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { readIndexState } from '../../infra/valuation/salesIndexes.ts'
import { appraiseOpenLots } from './appraiseOpenLots.ts'
import type { Rescored, ScoringSettings } from './rescored.ts'
import { scoreChangedLots } from './scoreChangedLots.ts'

/**
 * Brings the scores of the open lots up to date, as every load does at its end: only where something has changed, and from
 * the start where the sales have moved on too far (docs/decisions/0012-incremental-scoring.md). Must run under the load lock.
 */
export async function scoreOpenLots(sql: Sql, settings: ScoringSettings): Promise<Rescored> {
  const index = await readIndexState(sql)
  const reason = whyAnew(index, SCORE_VERSION, settings.now)
  const partial = index && !reason ? await scoreChangedLots(sql, index, settings) : null
  return partial ?? appraiseOpenLots(sql, reason ?? 'The index of sales was lost in a crash.', settings)
}
