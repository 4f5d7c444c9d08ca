import { closeEndedLots } from '../../infra/ingestion/closings.ts'
import type { Sql } from '../../infra/postgres/database.ts'

/**
 * Lots whose end has passed stop being open, and those with a bid above 0 become sales with the basis `last_observed`.
 * One autocommit statement, for a timer of the service as well as for loads; it leaves everything to a load that runs.
 * A later row of the lot with a later end opens it again.
 * @returns how many lots were closed.
 */
export async function settleLots(sql: Sql, now: Date | null): Promise<number> {
  return closeEndedLots(sql, now)
}
