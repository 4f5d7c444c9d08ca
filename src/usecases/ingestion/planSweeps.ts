import { nextSweepAt, type SweepPlan } from '../../domain/sweeps/nextSweepAt.ts'
import { readSweepHistories, storeDueTimes } from '../../infra/ingestion/sweeps.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { OFFICIAL_KEYS, type OfficialKey } from '../../infra/sources/registry.ts'

/** When a source is due, by the clock of the database. */
export interface DueSweep {
  source: OfficialKey
  dueAt: Date
  isDue: boolean
}

/** Plans the next sweep of every source and publishes what changed. @returns the sources, the first one due first. */
export async function planSweeps(sql: Sql, plans: Record<OfficialKey, SweepPlan>): Promise<DueSweep[]> {
  const histories = await readSweepHistories(sql, OFFICIAL_KEYS)
  const dues = histories.map(({ now, publishedDueAt, publishedSeconds, ...history }) => {
    const source = history.source as OfficialKey
    const plan = plans[source]
    const dueAt = nextSweepAt(plan, history, { now, jitter: jitterOf(history.lastAttemptAt) })
    const seconds = Math.max(plan.intervalMs, plan.leastGapMs) / 1000
    const isNews = dueAt.getTime() !== publishedDueAt?.getTime() || seconds !== publishedSeconds
    return { source, dueAt, isDue: dueAt <= now, seconds, isNews }
  })
  const news = dues.filter(({ isNews }) => isNews)
  if (news.length > 0) await storeDueTimes(sql, news)
  return dues.sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime())
}

/** The milliseconds of the last attempt: as good as drawn, and the same for whoever plans anew. */
function jitterOf(lastAttemptAt: Date | null): number {
  return (lastAttemptAt?.getMilliseconds() ?? 0) / 1000
}
