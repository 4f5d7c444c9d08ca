import type { BidPaths } from '../../domain/valuation/bidPaths.ts'
import { neighborFactors, trustInNeighbors } from '../../domain/valuation/neighbors.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { readNeighborLots, storeNeighborFactors } from '../../infra/valuation/neighborLots.ts'

/** In ln of the value: a smaller change moves no value, so that one bid does not rescore all of its sale. */
const LEAST_CHANGE = 0.05

/**
 * Compares the bids on all open lots with their values, and queues the lots whose neighbors go otherwise than before for another score.
 * Must run under the load lock.
 */
export async function refreshNeighbors(sql: Sql, now: Date, bidPaths: BidPaths | null): Promise<void> {
  const lots = await readNeighborLots(sql, now)
  const factors = neighborFactors(lots, now.getTime(), trustInNeighbors(bidPaths))
  const moved = lots.flatMap(({ lot_id, neighbor_factor: before }, n) => {
    const neighbor_factor = factors[n]!
    return Math.abs(Math.log(neighbor_factor / before)) > LEAST_CHANGE ? [{ lot_id, neighbor_factor }] : []
  })
  if (moved.length > 0) await storeNeighborFactors(sql, moved)
}
