import { SCORE_VERSION } from '../../domain/valuation/flipScore.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { type IndexState, readIndexState } from '../../infra/valuation/storedIndex.ts'
import { estimateAllLots } from './rescore.ts'
import type { Rescored, ScoringSettings } from './scoringResult.ts'
import { updateChangedLots } from './updateChangedLots.ts'

const HOUR_MS = 3_600_000
/** Estimates are never older than this. */
const LONGEST_HOURS = 24
/** The share of the sales that may change before all lots are estimated again. */
const CHANGED_SHARE = 0.01

/**
 * Updates the scores of the open lots at the end of a load: only what has changed, or all of them when the index of sales is out
 * of date (docs/decisions/0012-incremental-scoring.md). Must run under the load lock.
 */
export async function scoreOpenLots(sql: Sql, settings: ScoringSettings): Promise<Rescored> {
  const index = await readIndexState(sql)
  const reason = reasonForFullRun(index, SCORE_VERSION, settings.now)
  const partial = index && !reason ? await updateChangedLots(sql, index, settings) : null
  return partial ?? estimateAllLots(sql, reason ?? 'The index of sales was lost in a crash.', settings)
}

/** Why all lots must be estimated again, as a sentence, or null while the index is recent enough. */
export function reasonForFullRun(
  index: Omit<IndexState, 'id' | 'sell_through'> | null,
  scoreVersion: string,
  now: Date,
): string | null {
  if (index === null) return 'The sales had not been indexed completely.'
  const { as_of, score_version, sales, sales_changed } = index
  if (score_version !== scoreVersion) return `The scores were of version ${score_version}.`
  const hours = (now.getTime() - as_of.getTime()) / HOUR_MS
  if (hours >= LONGEST_HOURS) return `The estimates were ${Math.floor(hours)} hours old.`
  if (hours < 0) return 'The estimates were made later than now: a clock was set back.'
  if (sales_changed <= sales * CHANGED_SHARE) return null
  return `${sales_changed} sales had changed since ${sales} were indexed.`
}
