import { PLANS, type Plan } from '../../contract/plans.ts'
import type { Listing } from '../../contract/types.ts'
import type { AlertKind, SavedSearch } from '../../domain/alerts/savedSearch.ts'
import {
  type Fragment,
  firstValue,
  fragment,
  jsonList,
  type SqlContext,
} from '../postgres/sql.ts'
import {
  type ListingContext,
  LOTS_OF_SOURCES,
  listingColumns,
  listingJson,
} from '../search/columns.ts'
import { type LocatedListing, listingFrom } from './distances.ts'

/** A match, with the current state of its lot. */
interface MatchedLot {
  id: number
  kind: AlertKind
  matched_at: string
  /**
   * The price before the change, in US cents; null where no price changed,
   * where the bid has changed since, and for the price to buy now of a lot that
   * shows another one.
   */
  former_price_cents: number | null
  listing: Listing
}

/** A saved search and matches of it. */
export interface MatchesOfSearch {
  search: Pick<SavedSearch, 'name' | 'query' | 'lot_id'> &
    Record<'id' | 'account_id' | 'feed_generation', number> & { plan: Plan }
  /** Newest first. */
  matches: MatchedLot[]
}

/** A mail lists so many lots at most. */
const MOST_IN_MAIL = 20
const MOST_IN_FEED = 50

/**
 * Makes a delivery for each saved search whose mail is due (SQL function
 * `queue_mails`): exactly once over all processes.
 */
export async function queueMails({ sql, now }: SqlContext): Promise<void> {
  await sql`select queue_mails(${sql.json(PLANS)}, ${now})`
}

/**
 * Makes a delivery for each account that has used 80 % or all of its month,
 * from the counters: each once a month. Looks at them once a minute over all
 * processes. The limit is the highest of the account's keys.
 */
export async function queueQuotaMails({ sql, now }: SqlContext): Promise<void> {
  await sql`
    with checked as (
      update quota_check
      set checked_at = ${now}
      -- A moment in the future is of a clock that was ahead.
      where checked_at <= ${now} - interval '1 minute' or checked_at > ${now} + interval '1 minute'
      returning true
    ),
    used as (
      select a.id, u.month, u.used, l.most, case when u.used >= l.most then 100 else 80 end as percent
      from monthly_usage u
      join accounts a on u.meter = 'account:' || a.id
      cross join lateral (
        select max(coalesce(
          k.calls_per_month, (${sql.json(PLANS)}::jsonb -> coalesce(k.plan, a.plan) ->> 'calls_per_month')::integer
        )) as most
        from keys k
        where k.account_id = a.id and k.revoked_at is null
      ) l
      where u.month = date_trunc('month', ${now} at time zone 'utc')::date
      and l.most > 0
      and u.used >= l.most * 0.8
      -- A filter of the whole statement: nothing is read when it was checked already.
      and (select true from checked)
    ),
    marked as (
      insert into quota_mails (account_id, month, percent)
      select id, month, percent
      from used
      on conflict do nothing
      returning account_id
    )
    insert into alert_deliveries (id, account_id, kind, content, created_at, due_at)
    select
      gen_random_uuid(), id, 'quota',
      jsonb_build_object('percent', percent, 'used', used, 'most', most, 'month', to_char(month, 'YYYY-MM')),
      ${now}, ${now}
    from used
    join marked on marked.account_id = used.id`
}

/**
 * What a mail lists, one entry a lot with its latest match; null when its
 * search was deleted or wants no mail any more.
 */
export async function readMail(
  context: ListingContext,
  deliveryId: string,
): Promise<(MatchesOfSearch & { lots: number }) | null> {
  const { sql } = context
  const [found] = await sql<(MatchesOfSearch & { lots: number })[]>`
    with mailed as (
      select m.*
      from alert_deliveries d
      join alert_matches m
      on m.search_id = d.search_id and m.matched_at >= (d.content ->> 'since')::timestamptz and m.mail_id = d.id
      where d.id = ${deliveryId}
    ),
    listed as (
      select distinct on (lot_id) *
      from mailed
      order by lot_id, id desc
    )
    select
      ${SEARCH_COLUMN},
      (select count(*) from listed) + (select coalesce(sum(others), 0) from mailed) as lots,
      ${matchesColumn(context, sql`select * from listed order by id desc limit ${MOST_IN_MAIL}`)}
    from alert_deliveries d
    join saved_searches s on s.id = d.search_id
    where d.id = ${deliveryId} and s.by_mail and not s.is_paused`
  return found && found.matches.length > 0 ? withDistances(found) : null
}

/** The last 50 matches of a search; null when there is no such search. */
export async function readAlertFeed(
  context: ListingContext,
  searchId: number,
): Promise<MatchesOfSearch | null> {
  const { sql } = context
  const latest = sql`
    select * from alert_matches where search_id = s.id order by matched_at desc, id desc limit ${MOST_IN_FEED}`
  const [found] = await sql<MatchesOfSearch[]>`
    select ${SEARCH_COLUMN}, ${matchesColumn(context, latest)}
    from saved_searches s
    where s.id = ${searchId}`
  return found ? withDistances(found) : null
}

/**
 * The lots that an account watches and that have not ended, the first to end
 * first.
 */
export async function readWatchedLots(
  context: ListingContext,
  accountId: number,
): Promise<Listing[]> {
  const { sql, now } = context
  return sql<Listing[]>`
    select ${listingColumns(context)}
    from ${LOTS_OF_SOURCES} as l
    where l.id in (select lot_id from saved_searches where account_id = ${accountId})
    and l.is_open
    and l.ends_at > ${now}
    order by l.ends_at, l.id`
}

/** @param found whose lots have locations. */
function withDistances<T extends MatchesOfSearch>(found: T): T {
  const zip = String(found.search.query.zip ?? '') || null
  const located = (listing: Listing) =>
    listingFrom(zip, listing as LocatedListing)
  return {
    ...found,
    matches: found.matches.map(match => ({
      ...match,
      listing: located(match.listing),
    })),
  }
}

/**
 * Ends the mails of a saved search; its feed and webhooks go on.
 * @returns its name; null when it was deleted.
 */
export async function stopMails(
  { sql }: SqlContext,
  searchId: number,
): Promise<string | null> {
  return firstValue<string>(sql`
    update saved_searches set by_mail = false where id = ${searchId} returning name`)
}

/** @returns null when the search was deleted. */
export async function nameOfSearch(
  { sql }: SqlContext,
  searchId: number,
): Promise<string | null> {
  return firstValue<string>(
    sql`select name from saved_searches where id = ${searchId}`,
  )
}

const SEARCH_COLUMN = fragment`
    (
      select json_build_object(
        'id', s.id, 'account_id', s.account_id, 'name', s.name, 'query', s.query, 'lot_id', s.lot_id,
        'feed_generation', s.feed_generation, 'plan', a.plan
      )
      from accounts a
      where a.id = s.account_id
    ) as search`

/** Those whose lot was deleted are left out. */
function matchesColumn(context: ListingContext, matches: Fragment) {
  // Of two equal names the later one counts: a lot that was sold has its final
  // price.
  const more = fragment`,
    l.latitude, l.longitude, coalesce(l.final_bid_cents, l.current_bid_cents) as current_bid_cents`
  const matched = fragment`
    select
      m.id, m.kind, rfc3339(m.matched_at) as matched_at,
      case
        when m.current_bid_cents is distinct from l.current_bid_cents
          or l.buy_now_cents between l.price_cents + 1 and m.former_price_cents
        then null
        else m.former_price_cents
      end as former_price_cents,
      ${listingJson(context, more)} as listing
    from (${matches}) as m
    join ${LOTS_OF_SOURCES} as l on l.id = m.lot_id
    order by m.matched_at desc, m.id desc`
  return fragment`${jsonList(matched)} as matches`
}
