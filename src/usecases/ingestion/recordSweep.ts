import { beginSweep, endSweep, type SweepEnd } from '../../infra/ingestion/sweeps.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import type { SweepResult } from './ingestSource.ts'

/**
 * Does a sweep and keeps in the database that it was begun, and what came of it: the next one is planned from that,
 * whoever did this one.
 */
export async function recordSweep(
  sql: Sql,
  source: string,
  signal: AbortSignal | undefined,
  work: () => Promise<SweepResult>,
): Promise<SweepResult> {
  await beginSweep(sql, source)
  try {
    const result = await work()
    await endSweep(sql, source, { ...result, outcome: result.state })
    return result
  } catch (error) {
    // Where the database is what failed, this fails too, and the attempt counts as one that never ended.
    await endSweep(sql, source, brokenOff(error as Error, signal)).catch(() => {})
    throw error
  }
}

function brokenOff({ message }: Error, signal: AbortSignal | undefined): SweepEnd {
  return {
    outcome: signal?.aborted ? 'dropped' : 'failed',
    reason: message,
    rows_taken: null,
    rows_set_aside: null,
    retry_after_seconds: null,
  }
}
