import type { NeighborLot } from '../../domain/valuation/neighbors.ts'
import type { Sql } from '../postgres/database.ts'

/** A live lot with its estimate, and the factor that its neighbors have now. */
export interface StoredNeighborLot extends NeighborLot {
  lot_id: string
  neighbor_factor: number
}

/** Reads the open lots that have an estimate, a ZIP code and an end. */
export async function readNeighborLots(sql: Sql, now: Date): Promise<StoredNeighborLot[]> {
  return sql<StoredNeighborLot[]>`
    select
      l.id as lot_id, l.zip, extract(epoch from l.ends_at)::float8 * 1000 as ends_at_ms,
      coalesce(l.item, lower(l.title)) as kind, p.estimated_value_cents as value_cents, l.current_bid_cents,
      p.neighbor_factor
    from lots l
    join appraisals p on p.lot_id = l.id
    where l.is_open
    and l.ends_at > ${now.toISOString()}
    and isfinite(l.ends_at)
    and l.zip is not null`
}

/** Stores factors, and queues their lots for another score, in one statement. Must run under the load lock. */
export async function storeNeighborFactors(
  sql: Sql,
  factors: readonly Pick<StoredNeighborLot, 'lot_id' | 'neighbor_factor'>[],
): Promise<void> {
  await sql`
    with moved as (
      update appraisals p
      set neighbor_factor = given.neighbor_factor
      from unnest(
        ${factors.map(({ lot_id }) => lot_id)}::uuid[],
        ${factors.map(({ neighbor_factor }) => neighbor_factor)}::float8[]
      ) as given (lot_id, neighbor_factor)
      where p.lot_id = given.lot_id
      returning p.lot_id
    )
    update scoring_queue q
    set due_at = '-infinity', changes = q.changes + 1
    from moved
    where q.lot_id = moved.lot_id`
}
