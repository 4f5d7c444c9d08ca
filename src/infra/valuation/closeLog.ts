import { LEAST_LOTS } from '../../domain/valuation/bidPaths.ts'
import { MAY_LEAVE } from '../archives/archiveRows.ts'
import type { SqlContext } from '../postgres/sql.ts'

/**
 * Logs the projected closes of lots with bids in the ten minutes before 24, 6
 * and 1 hours before the earliest moment at which they can close, in place of
 * what was logged in these ten minutes: so what stays is from the last
 * observation before it. To be called every minute; afterwards nothing is
 * written, also where the end has moved: the day may be published
 * (provenLogs.ts).
 */
export async function logCloses({ sql, now }: SqlContext): Promise<void> {
  await sql`
    insert into closes (lot_id, hours, close_cents, likely_low_cents, likely_high_cents, logged_at, day)
    select
      l.id, hours, projected_close_cents, close_low_cents, close_high_cents, ${now},
      case when ${MAY_LEAVE} then (${now} at time zone 'utc')::date end
    from lots l
    join sources s using (source)
    join appraisals a on a.lot_id = l.id
    join (values (24), (6), (1)) as logged (hours)
      on earliest_close(l.ends_at, s.time_zone, s.closes_from_hour) - make_interval(hours => hours)
        between ${now} and ${now} + interval '10 minutes'
    where l.is_open
    and l.ends_at > ${now}
    and l.ends_at < ${now} + interval '2 days'
    and l.current_bid_cents > 0
    and l.duplicate_of is null
    and projected_close_cents is not null
    on conflict (lot_id, hours) do update set
      (close_cents, likely_low_cents, likely_high_cents, logged_at)
      = (excluded.close_cents, excluded.likely_low_cents, excluded.likely_high_cents, excluded.logged_at)
    where closes.logged_at > ${now} - interval '1 hour'`
}

/** How far the logged closes were off, the earliest first. */
export type LoggedCloses = {
  hours: number
  lots: number
  /**
   * The typical factor by which a close missed the price: exp(median |ln(close
   * / price)|).
   */
  error_factor: number
  /** The share of the prices in the band of the close, ideally 50. */
  likely_hold_percent: number
}

/**
 * Judges the logged closes by the prices that sources published since; no hours
 * with fewer than 300 sold lots.
 */
export async function judgeLoggedCloses({
  sql,
}: SqlContext): Promise<LoggedCloses[]> {
  return sql<LoggedCloses[]>`
    select
      hours, count(*) as lots,
      exp(percentile_cont(0.5) within group (order by abs(ln(close_cents::float8 / final_bid_cents)))) as error_factor,
      100 * avg((final_bid_cents between likely_low_cents and likely_high_cents)::integer)::float8 as likely_hold_percent
    from closes
    join sales on sales.id = closes.lot_id
    where price_basis <> 'last_observed'
    group by hours
    having count(*) >= ${LEAST_LOTS}
    order by hours desc`
}
