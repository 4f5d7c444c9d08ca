import demo from '../../../data/demo/alerts.json' with { type: 'json' }
import { PLANS } from '../../contract/plans.ts'
import type { Listing } from '../../contract/types.ts'
import type {
  AlertKind,
  MailTimes,
  Owned,
  SavedSearch,
} from '../../domain/alerts/savedSearch.ts'
import {
  firstValue,
  fragment,
  jsonList,
  type Sql,
  type SqlContext,
} from '../postgres/sql.ts'
import {
  EARLIEST_CLOSE,
  type ListingContext,
  LOTS_OF_SOURCES,
  listingJson,
} from '../search/columns.ts'

/** A saved search as the pages of its account show it. */
export interface StoredSearch extends SavedSearch {
  id: number
  feed_generation: number
  /**
   * Counts the searches of the account from 1, the oldest first: a plan
   * includes the first ones.
   */
  position: number
  /** The watched lot; null for a search, and for a lot that was deleted. */
  lot: Listing | null
  /**
   * When it closes at the earliest; null where it has ended or announces no
   * end.
   */
  closes_at: string | null
  /** When a match of now would be mailed. */
  next_mail_at: string
  /** How many lots were found within 24 hours. */
  found_today: number
  /** The latest first, at most three. */
  matches: {
    title: string
    slug: string
    kind: AlertKind
    matched_at: string
  }[]
}

/** The saved searches of an account, the oldest first. */
export async function readSavedSearches(
  context: ListingContext,
  accountId: number,
): Promise<StoredSearch[]> {
  const { sql, now } = context
  const latest = sql`
    select own.title, own.slug, m.kind, rfc3339(m.matched_at) as matched_at
    from (select * from alert_matches where search_id = s.id order by matched_at desc, id desc limit 3) as m
    join lots own on own.id = m.lot_id
    order by m.matched_at desc, m.id desc`
  return sql<StoredSearch[]>`
    select
      s.id, s.name, s.query, s.lot_id, to_jsonb(s.kinds) as kinds, s.cadence, s.by_mail, s.by_file, s.is_paused,
      to_jsonb(s.endpoint_ids) as endpoint_ids, s.feed_generation, row_number() over (order by s.id) as position,
      case when l.id is not null then ${listingJson(context)} end as lot,
      case when l.is_open and l.ends_at > ${now} then rfc3339(${EARLIEST_CLOSE}) end as closes_at,
      rfc3339(next_mail_at(
        jsonb_populate_record(s, jsonb_build_object('mail_since', ${now})), a,
        s.cadence = 'instant' and (${sql.json(PLANS)}::jsonb -> a.plan -> 'alerts' ->> 'isInstant')::boolean,
        ${now}
      )) as next_mail_at,
      (
        select count(*) + coalesce(sum(others), 0)
        from alert_matches
        where search_id = s.id and matched_at > ${now} - interval '24 hours'
      ) as found_today,
      ${jsonList(latest)} as matches
    from saved_searches s
    join accounts a on a.id = s.account_id
    left join ${LOTS_OF_SOURCES} as l on l.id = s.lot_id
    where s.account_id = ${accountId}
    order by s.id`
}

/**
 * Stores a saved search.
 * @returns its id; null when the account has `most` of them already, also when
 * two are added at once.
 */
export async function addSavedSearch(
  { sql, now }: SqlContext,
  accountId: number,
  search: SavedSearch,
  most: number,
): Promise<number | null> {
  return firstValue<number>(sql`
    insert into saved_searches
      (account_id, name, query, lot_id, kinds, cadence, by_mail, by_file, endpoint_ids, is_paused, created_at)
    select ${accountId}::bigint, s.*, ${now}
    from ${sentColumns(search)}
    where (select searches from count_alerts(${accountId})) < ${most}
    returning id`)
}

/** @returns false when the account has no such search. */
export async function changeSavedSearch(
  { sql }: SqlContext,
  { accountId, id }: Owned,
  search: SavedSearch,
): Promise<boolean> {
  const { count } = await sql`
    update saved_searches
    set (name, query, lot_id, kinds, cadence, by_mail, by_file, endpoint_ids, is_paused)
      = (select s.* from ${sentColumns(search)})
    where id = ${id} and account_id = ${accountId}`
  return count > 0
}

/**
 * The serving connections take no arrays, so the columns arrive as JSON, in the
 * order of both statements above.
 */
function sentColumns(search: SavedSearch) {
  return fragment`
    jsonb_to_record(${fragment.json(search as never)}) as s (
      name text, query jsonb, lot_id uuid, kinds text[], cadence text, by_mail boolean, by_file boolean,
      endpoint_ids bigint[], is_paused boolean
    )`
}

/**
 * Sets when the mails of an account are sent; those that wait are due again, at
 * their new time.
 */
export async function setMailTimes(
  { sql }: SqlContext,
  accountId: number,
  times: MailTimes,
): Promise<void> {
  await sql`
    with waiting as (
      update saved_searches set mail_due_at = mail_since where account_id = ${accountId} and mail_since is not null
    )
    update accounts set ${sql({ ...times, is_time_zone_known: true } as never)} where id = ${accountId}`
}

/** What a button does to a search. */
export type SearchChange = 'pause' | 'resume' | 'feed' | 'delete'

/**
 * Pauses, resumes or deletes a search, or gives its feed another secret URL.
 * @returns false when the account has no such search.
 */
export async function applyChange(
  { sql }: SqlContext,
  { accountId, id }: Owned,
  change: SearchChange,
): Promise<boolean> {
  const statements = {
    pause: sql`update saved_searches set is_paused = true`,
    resume: sql`update saved_searches set is_paused = false`,
    feed: sql`update saved_searches set feed_generation = feed_generation + 1`,
    delete: sql`delete from saved_searches`,
  }
  const { count } =
    await sql`${statements[change]} where id = ${id} and account_id = ${accountId}`
  return count > 0
}

/**
 * Makes the account of a demo service, with saved searches, unless it exists.
 */
export async function storeDemoAlerts(sql: Sql): Promise<void> {
  await sql`
    with account as (
      insert into accounts (owner, plan)
      values (${demo.owner}, ${demo.plan})
      on conflict (owner) do nothing
      returning id
    )
    insert into saved_searches (account_id, name, query, kinds, cadence, created_at)
    select account.id, s.name, s.query, s.kinds, s.cadence, now()
    from account
    cross join jsonb_to_recordset(${sql.json(demo.searches)}) as s (name text, query jsonb, kinds text[], cadence text)`
}
