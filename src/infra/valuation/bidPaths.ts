import { type BidPoint, MOMENT_HOURS } from '../../domain/valuation/bidPaths.ts'
import type { ValueBand } from '../../domain/valuation/calibratedValue.ts'
import { roomAbove } from '../../domain/valuation/projection.ts'
import type { Sql } from '../postgres/database.ts'
import { clock, SALES_WINDOW } from '../postgres/dataVersion.ts'

/** The newest ones say enough, within seconds. */
const MOST_LOTS = 10_000
const LEAST_OBSERVATIONS = 3
const POINTS_A_BATCH = 2000

type Row = Omit<BidPoint, 'room'> & { value_cents: number | null } & ValueBand

/**
 * Reads the bids on sold lots at some moments before their end, from the log of changes: of the newest 10,000 lots that were sold in
 * the 365 days before `now` and have changes of at least three moments. A lot with several listings counts once. In the order in
 * which the lots ended, those of one lot together.
 */
export async function readBidPoints(sql: Sql, now: Date | null): Promise<BidPoint[]> {
  const points: BidPoint[] = []
  // A change holds until the next. What the end was at that moment counts: a soft close moves it.
  const rows = sql<Row[]>`
    with closed as (
      select lot_id, sold_at, final_bid_cents
      from (
        select lot_id
        from lot_changes
        group by lot_id
        having count(distinct observed_at) >= ${LEAST_OBSERVATIONS}
      ) observed
      join sales on sales.id = observed.lot_id
      where sold_at > ${clock(sql, now)} - ${SALES_WINDOW}::interval
      and sold_at <= ${clock(sql, now)}
      order by sold_at desc, lot_id
      limit ${MOST_LOTS}
    ),
    seen as (
      select
        lot_id, sold_at, final_bid_cents, kind, current_bid_cents, ends_at, observed_at,
        lead(observed_at, 1, 'infinity') over (partition by lot_id order by seq) as next_at
      from lot_changes
      join closed using (lot_id)
    ),
    points as (
      select distinct on (sold_at, lot_id, hours)
        sold_at, lot_id, hours, current_bid_cents as bid_cents, final_bid_cents
      from seen
      join unnest(${MOMENT_HOURS}::float8[]) as hours
        on ends_at - hours * interval '1 hour' >= observed_at
        and ends_at - hours * interval '1 hour' < next_at
      where kind in ('listed', 'reopened', 'bid', 'end_moved', 'price', 'details')
      and current_bid_cents > 0
      order by sold_at, lot_id, hours, observed_at
    )
    select
      points.lot_id, hours, bid_cents, final_bid_cents, estimated_value_cents as value_cents, likely_low_cents,
      likely_high_cents, range_low_cents, range_high_cents
    from points
    left join appraisals using (lot_id)
    order by points.sold_at, points.lot_id, hours`.cursor(POINTS_A_BATCH)
  for await (const some of rows) {
    for (const { lot_id, hours, bid_cents, final_bid_cents, value_cents, ...band } of some) {
      const room = value_cents === null ? null : roomAbove(value_cents, band, bid_cents)
      points.push({ lot_id, hours, bid_cents, final_bid_cents, room })
    }
  }
  return points
}
