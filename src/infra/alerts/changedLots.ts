import type { LoggedChange } from '../../domain/alerts/matchEvents.ts'
import type { MatchedLot } from '../../domain/search/filters.ts'
import type { Sql } from '../postgres/database.ts'
import { type Fragment, fragment } from '../postgres/sql.ts'
import { EARLIEST_CLOSE } from '../search/columns.ts'
import { SEARCH_VECTOR } from '../search/listings.ts'

/** The current state of a lot of a batch, with its changes. */
export interface ChangedLot extends MatchedLot {
  /** A UUID in its usual form. */
  id: string
  /** In milliseconds since 1970; minus infinity where unknown. */
  starts_ms: number
  is_open: boolean
  current_bid_cents: number | null
  buy_now_cents: number | null
  /** RFC 3339; null where it is not known. */
  ends_at: string | null
  /** The earliest moment at which it can close. */
  closes_at: string | null
  /**
   * The number of the change that put it on offer last; 0 when the log no
   * longer has that.
   */
  offer: number
  changes: LoggedChange[]
}

/** The lots of the changes `after < seq <= upTo`, in the order of their ids. */
export function readChangedLots(
  sql: Sql,
  after: number,
  upTo: number,
): Promise<ChangedLot[]> {
  return sql<ChangedLot[]>`
    select ${CHANGED_COLUMNS}, c.changes
    from (
      select
        lot_id,
        json_agg(
          json_build_object(
            'seq', seq, 'kind', kind, 'observed_at', rfc3339(observed_at), 'current_bid_cents', current_bid_cents,
            'num_bids', num_bids, 'fell', fell, 'ends_at', rfc3339(ends_at),
            'closes_at', rfc3339(${closeOf(fragment`logged.ends_at`)}), 'score_before', score_before,
            'value_before_cents', value_before_cents, 'price_before_cents', price_before_cents,
            'ended_before', case
              when kind = 'end_moved' then (
                select rfc3339(${closeOf(fragment`before.ends_at`)})
                from lot_changes before
                where before.lot_id = logged.lot_id
                and before.seq < logged.seq
                and before.ends_at <> logged.ends_at
                order by before.seq desc
                limit 1
              )
            end
          )
          order by seq
        ) as changes
      from lot_changes logged
      where seq > ${after} and seq <= ${upTo}
      group by lot_id
    ) as c
    join lots l on l.id = c.lot_id
    join sources s using (source)
    order by l.id`
}

/**
 * The open lots that began in a span of time, or whose end came within some
 * hours in it, in the order of their ids.
 */
export function readDueLots(
  sql: Sql,
  from_ms: number,
  now_ms: number,
  hours: number[],
): Promise<ChangedLot[]> {
  const [from, until] = [
    new Date(from_ms).toISOString(),
    new Date(now_ms).toISOString(),
  ]
  return sql<ChangedLot[]>`
    select ${CHANGED_COLUMNS}, '[]'::json as changes
    from lots l
    join sources s using (source)
    where l.id in (
      select begun.id
      from lots begun
      where begun.is_open
      and begun.starts_at > ${from}::timestamptz
      and begun.starts_at <= ${until}::timestamptz
      union
      select ending.id
      from unnest(${hours}::integer[]) as hours
      join lots ending on is_open
        -- For the index on the end: a day has 24 hours.
        and ending.ends_at > ${from}::timestamptz + make_interval(hours => hours)
        and ending.ends_at <= ${until}::timestamptz + make_interval(hours => hours + 24)
      join sources s using (source)
      join lateral (
        select earliest_close(ending.ends_at, s.time_zone, s.closes_from_hour) - make_interval(hours => hours) as due_at
      ) as due on due_at > ${from}::timestamptz and due_at <= ${until}::timestamptz
    )
    and l.ends_at > ${until}::timestamptz
    order by l.id`
}

/** The earliest close by an end that the lot of a logged change had. */
function closeOf(ends_at: Fragment) {
  return fragment`(
    select earliest_close(${ends_at}, s.time_zone, s.closes_from_hour)
    from lots of_change
    join sources s using (source)
    where of_change.id = logged.lot_id
  )`
}

/**
 * A `ChangedLot` but for its changes. The source of the lot is called `s`: a
 * subquery would take four times as long for each end.
 */
const CHANGED_COLUMNS = fragment`
    l.id, l.category, l.state, l.source, l.latitude, l.longitude, l.price_cents, l.num_bids,
    l.buy_now_cents is not null as has_buy_now, l.flip_score, l.approximate_value_cents,
    l.vehicle_year, l.vehicle_make, l.auction_id, l.odometer_miles, l.engine_hours, l.runs,
    to_ms(l.starts_at) as starts_ms,
    to_ms(l.ends_at) as ends_ms,
    to_ms(earliest_close(l.ends_at, s.time_zone, s.closes_from_hour)) as closes_ms,
    l.current_bid_cents, l.buy_now_cents, l.is_open, rfc3339(l.ends_at) as ends_at, rfc3339(${EARLIEST_CLOSE}) as closes_at,
    (
      select coalesce(max(seq), 0)
      from lot_changes offered
      where offered.lot_id = l.id and offered.kind in ('listed', 'reopened')
    ) as offer`

/**
 * The lots that match the words of searches, as `l.search @@ …` does for a
 * search page.
 * @returns for each text the ids of the lots, without an entry where there are
 * none.
 */
export async function readWordMatches(
  sql: Sql,
  texts: string[],
  ids: string[],
): Promise<Map<string, Set<string>>> {
  if (texts.length === 0) return new Map()
  const found = await sql<{ n: number; ordinals: number[] }[]>`
    with query as materialized (
      select n, to_tsquery('english', words) as words
      from unnest(${texts}::text[]) with ordinality as given (words, n)
    ),
    lot as materialized (
      select given.n, ${SEARCH_VECTOR} as search
      from unnest(${ids}::uuid[]) with ordinality as given (id, n)
      join lots l using (id)
    )
    select query.n::integer as n, array_agg((lot.n - 1)::integer) as ordinals
    from query
    join lot on lot.search @@ query.words
    group by query.n`
  return new Map(
    found.map(({ n, ordinals }) => [
      texts[n - 1]!,
      new Set(ordinals.map(ordinal => ids[ordinal]!)),
    ]),
  )
}
