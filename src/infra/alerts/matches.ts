import { PLANS } from '../../contract/plans.ts'
import type { LotEvent } from '../../domain/alerts/matchEvents.ts'
import type { SavedSearch } from '../../domain/alerts/savedSearch.ts'
import {
  asJson,
  firstValue,
  onlyRow,
  type Sql,
  type SqlContext,
} from '../postgres/sql.ts'

/**
 * Along the log of changes, and along the time (migrations/0008_alerts.sql).
 */
type Stream = 'changes' | 'clock'

/** A step of a stream, from the position that was read. */
export interface Progress {
  stream: Stream
  from: number
  /** The same as `from` for a batch after which others follow. */
  to: number
}

/**
 * A saved search that matches now, with the endpoints that its plan lets it
 * send to.
 */
export interface ActiveSearch
  extends Pick<SavedSearch, 'query' | 'lot_id' | 'kinds' | 'endpoint_ids'> {
  id: number
  account_id: number
  since_change: number
}

/** How far the changes of lots were matched. */
export interface MatchProgress {
  /** The id of the newest change. */
  last_change: number
  /** The clock of the database, since 1970. */
  now_ms: number
  /**
   * The last change that was matched, by stream; of `clock` seconds since 1970.
   */
  streams: Record<Stream, number>
}

/**
 * How far each stream was matched (a change, or seconds since 1970 for
 * `clock`), and how far it could be: one look-up.
 */
export async function readProgress({
  sql,
  now,
}: SqlContext): Promise<MatchProgress> {
  return onlyRow(sql<MatchProgress[]>`
    select
      last_change,
      to_ms(${now}) as now_ms,
      (select json_object_agg(stream, position) from alert_progress) as streams
    from data_version`)
}

/**
 * The searches that are not paused and that the plans of their accounts
 * include: of each account the oldest.
 * @param after a change that is behind all that is to be matched: what was
 * saved before it is as if saved at it.
 */
export function readActiveSearches(
  sql: Sql,
  after: number,
): Promise<ActiveSearch[]> {
  const plans = Object.entries(PLANS).map(([plan, { alerts }]) => ({
    plan,
    ...alerts,
  }))
  return sql<ActiveSearch[]>`
    select
      s.id, s.account_id, s.query, s.lot_id, s.kinds, greatest(s.since_change, ${after}) as since_change,
      case
        when p."isInstant" and cardinality(s.endpoint_ids) > 0
        then array(
          select e.id
          from (
            select id, disabled_at, row_number() over (order by id) as nth
            from alert_endpoints
            where account_id = s.account_id
          ) as e
          where e.nth <= p.endpoints and e.disabled_at is null and e.id = any(s.endpoint_ids)
        )
        else '{}'
      end as endpoint_ids
    from (select *, row_number() over (partition by account_id order by id) as nth from saved_searches) as s
    join accounts a on a.id = s.account_id
    join json_to_recordset(${asJson(plans)})
      as p (plan text, searches integer, endpoints integer, "isInstant" boolean) using (plan)
    where s.nth <= p.searches and not s.is_paused
    order by s.id`
}

/** An event that a search found. */
export interface Match {
  search: ActiveSearch
  event: LotEvent & { lot_id: string }
}

/**
 * Stores matches with their webhooks and moves a stream on, in one statement:
 * only the process that moves it stores its matches, and a process that is
 * killed has done neither.
 * @param step from the position that was read.
 * @returns how many matches are new; null when another process was faster.
 * @throws Error when an endpoint, or a search that sends to one, was deleted
 * meanwhile; nothing is stored then.
 */
export async function storeMatches(
  sql: Sql,
  { stream, from, to }: Progress,
  matches: Match[],
  now: Date,
): Promise<number | null> {
  const events = new Map<Match['event'], number>()
  for (const { event } of matches)
    if (!events.has(event)) events.set(event, events.size)
  const searches = [...new Set(matches.map(({ search }) => search))]
  const channels = searches.flatMap(
    ({ id: search_id, account_id, endpoint_ids }) =>
      endpoint_ids.map(endpoint_id => ({ search_id, account_id, endpoint_id })),
  )
  const numbered = [...events].map(([event, n]) => ({ ...event, n }))
  const moment = sql`${now.toISOString()}::timestamptz`
  return firstValue<number>(sql`
    with moved as (
      update alert_progress
      set position = ${to}
      where stream = ${stream} and position = ${from}
      returning stream
    ),
    matched as (
      insert into alert_matches
        (search_id, lot_id, kind, value, current_bid_cents, former_price_cents, num_bids, ends_at, observed_at, matched_at)
      select
        search_id, lot_id, kind, value, current_bid_cents, former_price_cents, num_bids,
        coalesce(ends_at, 'infinity'), observed_at, ${moment}
      from moved
      cross join unnest(
        ${arrayOf(matches.map(({ search }) => search.id))}::text::bigint[],
        ${arrayOf(matches.map(({ event }) => events.get(event)!))}::text::integer[]
      ) as pair (search_id, n)
      join json_to_recordset(${asJson(numbered)}) as event (
        n integer, lot_id uuid, kind text, value text, current_bid_cents bigint, former_price_cents bigint,
        num_bids integer, ends_at timestamptz, observed_at timestamptz
      ) using (n)
      on conflict do nothing
      returning id, search_id
    ),
    sent as (
      insert into alert_deliveries (id, account_id, search_id, match_id, endpoint_id, kind, created_at, due_at)
      select
        gen_random_uuid(), channel.account_id, matched.search_id, matched.id, channel.endpoint_id, 'match',
        ${moment}, ${moment}
      from matched
      join json_to_recordset(${asJson(channels)})
        as channel (search_id bigint, account_id bigint, endpoint_id bigint) using (search_id)
    )
    select (select count(*) from matched)
    from moved`)
}

/**
 * Adds lots that were found beside the stored matches to the last match of
 * their search, so that its mail and page can say how many.
 */
export async function countOthers(
  sql: Sql,
  others: Map<number, number>,
): Promise<void> {
  if (others.size === 0) return
  await sql`
    update alert_matches m
    set others = m.others + counted.others
    from unnest(
      ${arrayOf([...others.keys()])}::text::bigint[], ${arrayOf([...others.values()])}::text::integer[]
    ) as counted (search_id, others)
    cross join lateral (
      select id
      from alert_matches
      where search_id = counted.search_id
      order by matched_at desc, id desc
      limit 1
    ) as latest
    where m.id = latest.id`
}

/**
 * An array of PostgreSQL. The driver takes 10 times as long for one of 25,000
 * numbers.
 */
function arrayOf(numbers: number[]) {
  return `{${numbers.join(',')}}`
}
