import aggregates from '../../../data/aggregates.json' with { type: 'json' }
import sources from '../../../data/sources.json' with { type: 'json' }
import type { SavedSearch } from '../../domain/alerts/savedSearch.ts'
import type { ListingFilter } from '../../domain/search/filters.ts'
import { clock } from '../postgres/clock.ts'
import { type Fragment, fragment, type SqlContext } from '../postgres/sql.ts'
import { medianOfItem, OF_REAL, percentile } from '../prices/soldPrices.ts'
import {
  type ListingContext,
  LOTS_OF_SOURCES,
  listingColumns,
} from '../search/columns.ts'
import { matchesOf } from '../search/listings.ts'
import { saleColumns } from '../search/sales.ts'
import { PORTAL_FEEDS } from '../sources/feeds.ts'
import type { Row } from './partFiles.ts'

/** Rows that the database sends at once. */
const BATCH = 5_000
/**
 * How long after its turn a month is written: the last lots are closed, and
 * their prices known, within a day or two.
 */
const SETTLING = '48 hours'

/**
 * Sources whose rows may leave as files: official ones whose works are in the
 * public domain.
 */
const LEAVING = [...sources, ...PORTAL_FEEDS].flatMap(source =>
  'redistribute' in source && source.redistribute ? source.key : [],
)

/**
 * The months (`2026-10`) whose archives can be written now, the oldest first.
 */
export async function monthsWithRows({
  sql,
  now,
}: SqlContext): Promise<string[]> {
  const months = await sql<{ month: string }[]>`
    select distinct to_char(moment at time zone 'utc', 'YYYY-MM') as month
    from (
      select ends_at as moment from lots where ${MAY_LEAVE} and isfinite(ends_at)
      union all
      select sold_at from lots where ${MAY_LEAVE} and sold_at is not null
      union all
      select c.observed_at from lot_changes c join lots on lots.id = c.lot_id where ${MAY_LEAVE}
    ) as dated
    where moment < date_trunc('month', ${now} - ${SETTLING}::interval, 'UTC')
    order by month`
  return months.map(({ month }) => month)
}

/**
 * The rows of a month of a table, in an order that no clock and no plan
 * changes, in batches.
 */
export function rowsOfMonth(
  { sql, publicUrl }: ListingContext,
  table: 'lots' | 'sales' | 'changes',
  month: string,
): AsyncIterable<Row[]> {
  const [from, until] = boundsOf(month)
  const isIn = (moment: Fragment) =>
    fragment`${moment} >= ${from}::timestamptz and ${moment} < ${until}::timestamptz and ${MAY_LEAVE}`
  const statements = {
    lots: () => sql<Row[]>`
      select ${listingColumns({ sql, publicUrl, now: clock(new Date(until)) })}
      from ${LOTS_OF_SOURCES} as l
      where ${isIn(fragment`l.ends_at`)}
      order by l.ends_at, l.id`,
    sales: () => sql<Row[]>`
      select ${saleColumns(publicUrl)}
      from lots l
      join sources s using (source)
      where ${isIn(fragment`l.sold_at`)} and l.duplicate_of is null
      order by l.sold_at, l.id`,
    changes: () => sql<Row[]>`
      select
        c.kind, rfc3339(c.observed_at) as observed_at, c.current_bid_cents, c.num_bids,
        rfc3339(c.ends_at) as end_date, c.fell, c.lot_id as listing_id
      from lot_changes c
      join lots l on l.id = c.lot_id
      where ${isIn(fragment`c.observed_at`)}
      order by c.seq`,
  }
  return statements[table]().cursor(BATCH)
}

/** The live lots that match, by id. */
export function rowsOfSearch(
  context: ListingContext,
  filter: ListingFilter,
): AsyncIterable<Row[]> {
  const { sql } = context
  return sql<Row[]>`
    select ${listingColumns(context, filter.zip)}
    from ${LOTS_OF_SOURCES} as l
    where ${matchesOf(context.now, filter)} and ${MAY_LEAVE}
    order by l.id`.cursor(BATCH)
}

/**
 * What sold in each finished month, category and state; a group of a few sales
 * would be single sales.
 */
export function aggregateRows({ sql, now }: SqlContext): AsyncIterable<Row[]> {
  return sql<Row[]>`
    select
      to_char(sold_at at time zone 'utc', 'YYYY-MM') as month, category, state, count(*) as sales,
      ${percentile(0.5)} as median_cents,
      ${percentile(0.1)} as p10_cents, ${percentile(0.25)} as p25_cents,
      ${percentile(0.75)} as p75_cents, ${percentile(0.9)} as p90_cents,
      round(avg(num_bids), 2)::float8 as average_bids,
      count(*) ${OF_REAL} as real_sales, ${medianOfItem(OF_REAL)} as real_median_cents
    from sales
    where state is not null
    and sold_at < date_trunc('month', ${now} - ${SETTLING}::interval, 'UTC')
    and ${MAY_LEAVE}
    group by 1, 2, 3
    having count(*) >= ${aggregates.least_sales}
    order by 1, 2, 3`.cursor(BATCH)
}

/** Whether a sale is known of a month whose archive can be written now. */
export async function hasMonthWithSales({
  sql,
  now,
}: SqlContext): Promise<boolean> {
  const found = await sql`
    select
    from sales
    where state is not null
    and sold_at < date_trunc('month', ${now} - ${SETTLING}::interval, 'UTC')
    and ${MAY_LEAVE}
    limit 1`
  return found.length > 0
}

/**
 * Whether the source of a row of `lots` lets its rows leave as files. Without
 * an array: serving connections have none.
 */
export const MAY_LEAVE = fragment`source in ${fragment(LEAVING)}`

/** The first moment of a month and that of the next, as RFC 3339. */
function boundsOf(month: string): [from: string, until: string] {
  const from = new Date(`${month}-01T00:00:00Z`)
  const until = new Date(
    Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1),
  )
  return [from.toISOString(), until.toISOString()]
}

/** A saved search of which a file is written each day. Days are in UTC. */
interface DueFeed
  extends Pick<SavedSearch, 'query'>,
    Record<'id' | 'account_id', number> {
  day: string
  /** Files of this day and earlier ones are dropped. */
  oldest_day: string
}

/** The saved searches of Enterprise accounts with a daily file. */
export function dueFeeds(
  { sql, now }: SqlContext,
  keptDays: number,
): Promise<DueFeed[]> {
  return sql<DueFeed[]>`
    select
      s.id, s.account_id, s.query,
      to_char(${now} at time zone 'utc', 'YYYY-MM-DD') as day,
      to_char((${now} at time zone 'utc') - make_interval(days => ${keptDays}), 'YYYY-MM-DD') as oldest_day
    from saved_searches s
    join accounts a on a.id = s.account_id
    where s.by_file and not s.is_paused and s.lot_id is null and a.plan = 'enterprise'
    order by s.id`
}

/** The names of the saved searches of an account, by id. */
export async function feedNames(
  { sql }: SqlContext,
  accountId: number | null,
): Promise<Map<number, string>> {
  const rows = await sql<{ id: number; name: string }[]>`
    select id, name from saved_searches where account_id = ${accountId}::bigint`
  return new Map(rows.map(({ id, name }) => [id, name]))
}
