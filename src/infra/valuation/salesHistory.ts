import { movedBy } from '../../domain/appraisal/neighbors.ts'
import type { Category } from '../../domain/titles/categories.ts'
import { MOST_UNSOLD } from '../../domain/valuation/baseline/baseline.ts'
import { type BidPoint, MOMENT_HOURS } from '../../domain/valuation/bidPaths.ts'
import type { ValueBand } from '../../domain/valuation/calibratedValue.ts'
import {
  LEARNED_FROM,
  type Sale,
  type UnsoldLot,
} from '../../domain/valuation/comparables/saleColumns.ts'
import type { LotCounts } from '../../domain/valuation/pastSales.ts'
import { roomAbove } from '../../domain/valuation/projection.ts'
import { clock, SALES_WINDOW } from '../postgres/clock.ts'
import type { Sql } from '../postgres/database.ts'
import { type Clock, fragment } from '../postgres/sql.ts'
import { IS_REAL } from '../prices/soldPrices.ts'

const SALES_A_BATCH = 2000

/**
 * Reads the sales that a model uses in batches: those of the 365 days before
 * `now`, and older ones up to as many as a baseline learns from. Newest first,
 * those of one moment by id.
 */
export function readSales(sql: Sql, now: Date): AsyncIterable<Sale[]> {
  return sql<Sale[]>`
    select
      id, title, category, item, zip, condition_grade, odometer_miles, runs, road_title, final_bid_cents,
      to_ms(sold_at) as sold_at_ms, seen_by, ${IS_REAL} as is_real
    from lots
    where sold_at <= ${now.toISOString()} and duplicate_of is null
    order by sold_at desc, id
    limit greatest(${LEARNED_FROM}, (
      select count(*)
      from sales
      where sold_at > ${now.toISOString()}::timestamptz - ${SALES_WINDOW}::interval
      and sold_at <= ${now.toISOString()}
    ))`.cursor(SALES_A_BATCH)
}

/**
 * Counts the lots of each category that closed without a buyer in the 365 days
 * before `now`.
 */
export async function countUnsold(sql: Sql, now: Clock): Promise<LotCounts> {
  const counts = await sql<{ category: Category; lots: number }[]>`
    select category, count(*) as lots
    from lots
    where ${closedUnsold(now)}
    group by category`
  return Object.fromEntries(
    counts.map(({ category, lots }) => [category, lots]),
  )
}

/**
 * The newest lots that ended without a bid in the 365 days before `now`, as
 * many as the baseline can use.
 */
export async function readUnsold(sql: Sql, now: Clock): Promise<UnsoldLot[]> {
  return sql<UnsoldLot[]>`
    select title, category, item, zip, to_ms(ends_at) as ended_at_ms
    from lots
    where ${closedUnsold(now)} and num_bids = 0 and bids_known is not false
    order by ends_at desc, id
    limit ${MOST_UNSOLD}`
}

function closedUnsold(now: Clock) {
  return fragment`
    sold_at is null
    and duplicate_of is null
    and not is_open
    and (outcome is null or outcome = 'unsold')
    and ends_at > ${clock(now)} - ${SALES_WINDOW}::interval
    and ends_at <= ${clock(now)}`
}

/**
 * The newest ones say enough: with 5,000 the learned median is uncertain by 2 %
 * of the spread.
 */
const MOST_LOTS = 5_000
const LEAST_OBSERVATIONS = 3

type Row = Omit<BidPoint, 'room'> & {
  value_cents: number | null
  neighbor_factor: number
} & ValueBand

/**
 * Reads the bids on sold lots at some moments before their end, from the log of
 * changes: of the newest 5,000 lots that were sold in the 365 days before `now`
 * and have changes of at least three moments. A lot with several listings
 * counts once. In the order in which the lots ended, those of one lot together.
 */
export async function readBidPoints(sql: Sql, now: Clock): Promise<BidPoint[]> {
  // A change holds until the next. The end that was known at that moment
  // counts: where it moved in between, the first such moment.
  const rows = await sql.begin(async transaction => {
    // Without statistics the planner expects one sale and reads the whole log again for each: 30,000 lots took an hour.
    // Why: who restores a dump and values before the first analyze: npx vitest run test/infra/bidPaths.test.ts -t 'fixed number of times'
    await transaction`set local enable_nestloop = off`
    return transaction<Row[]>`
      with closed as (
        select lot_id, sold_at, final_bid_cents
        from (
          select lot_id
          from lot_changes
          where kind <> 'score'
          group by lot_id
          having count(distinct observed_at) >= ${LEAST_OBSERVATIONS}
        ) observed
        join sales on sales.id = observed.lot_id
        where sold_at > ${clock(now)} - ${SALES_WINDOW}::interval
        and sold_at <= ${clock(now)}
        order by sold_at desc, lot_id
        limit ${MOST_LOTS}
      ),
      seen as (
        select
          lot_id, sold_at, final_bid_cents, kind, current_bid_cents, ends_at, observed_at,
          lead(observed_at, 1, 'infinity') over (partition by lot_id order by seq) as next_at
        from closed
        join lot_changes using (lot_id)
      )
      select distinct on (sold_at, lot_id, hours)
        lot_id, hours, current_bid_cents as bid_cents, final_bid_cents, estimated_value_cents as value_cents,
        likely_low_cents, likely_high_cents, range_low_cents, range_high_cents, neighbor_factor
      from seen
      join unnest(${MOMENT_HOURS}::float8[]) as hours
        on ends_at - hours * interval '1 hour' >= observed_at
        and ends_at - hours * interval '1 hour' < next_at
      left join appraisals using (lot_id)
      where kind not in ('ended', 'sold', 'unsold', 'withdrawn') and current_bid_cents > 0
      order by sold_at, lot_id, hours, observed_at`
  })
  return rows.map(({ value_cents, ...row }) => {
    const moved =
      value_cents === null
        ? null
        : movedBy({ value_cents, band: row }, row.neighbor_factor)
    return {
      ...row,
      room: moved && roomAbove(moved.value_cents, moved.band, row.bid_cents),
    }
  })
}
