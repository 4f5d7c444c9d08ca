import type { Plan } from '../../contract/plans.ts'
import type { Listing } from '../../contract/types.ts'
import type { EndpointFormat } from '../../domain/alerts/messageFormats.ts'
import { DISABLED_AFTER, LOG_KEPT, WARNED_AFTER } from '../../domain/alerts/retries.ts'
import type { AlertKind } from '../../domain/alerts/savedSearch.ts'
import { type ListingContext, listingColumns, lotsOfSources } from '../listings/columns.ts'
import { clock } from '../postgres/dataVersion.ts'
import type { Sql } from '../postgres/sql.ts'

/** A delivery that this process has taken, with everything that its message needs. */
export interface DueDelivery {
  id: string
  kind: 'match' | 'digest' | 'test' | 'quota' | 'endpoint'
  /** The endpoint; 0 is mail. */
  lane: number
  /** How many attempts were made before. */
  attempts: number
  created_at: string
  account_id: number
  /** The address that its account signs in with, or the name that an operator gave it. */
  owner: string | null
  plan: Plan
  /** Of a `test`: `{ lot_id }`. */
  content: Record<string, unknown> | null
  /** Null: by mail. */
  endpoint: {
    url: string
    format: EndpointFormat
    /** The current one first. */
    secrets: string[]
    is_disabled: boolean
    /** Counts the endpoints of the account from 1, in the order in which they were made. */
    place: number
  } | null
  search: { id: string; name: string } | null
  /** Of a `match`. */
  match: {
    id: number
    kind: AlertKind
    matched_at: string
    observed_at: string
    current_bid_cents: number | null
    num_bids: number
    end_date: string | null
  } | null
  /** The lot as it is now; null where the message is of no lot, or the lot was deleted. */
  listing: Listing | null
}

/** What an attempt came to. */
export interface Settlement {
  id: string
  status: number | null
  milliseconds: number
  /** Kept in the log. */
  text: string
  /** What was refused before it was sent says nothing about the endpoint. */
  result: 'delivered' | 'failed' | 'refused'
  /** Seconds until the next attempt; null: there is none. */
  nextInSeconds: number | null
  /** Why the endpoint is disabled now; null where it is not, or not because of this answer alone. */
  disabledBecause: string | null
}

/** Longer than an attempt may take: then a delivery without a result is due again, because its process died. */
export const LEASE_SECONDS = 30
const MOST_FORGOTTEN = 10_000

/**
 * Takes the deliveries that are due, the oldest first. No two processes take the same one. Each lane is asked by itself, so
 * that the backlog of one costs the others nothing.
 * @param slots how many deliveries this process sends at once: in one lane, in the lane of mails, and how many more in all.
 * @param busy how many it sends in each lane at the moment.
 */
export async function claimDue(
  context: ListingContext,
  slots: { lane: number; mails: number; all: number },
  busy: Record<number, number>,
): Promise<DueDelivery[]> {
  const { sql, now } = context
  return sql<DueDelivery[]>`
    with recursive lanes as (
      select min(lane) as lane
      from alert_deliveries
      where due_at is not null
      union all
      select (select min(d.lane) from alert_deliveries d where d.due_at is not null and d.lane > lanes.lane)
      from lanes
      where lanes.lane is not null
    ),
    due as (
      select oldest.id
      from lanes
      cross join lateral (
        select d.id, d.due_at
        from alert_deliveries d
        where d.lane = lanes.lane
        and d.due_at <= ${clock(sql, now)}
        order by d.due_at
        limit greatest(0,
          case lanes.lane when 0 then ${slots.mails}::int else ${slots.lane}::int end
          - coalesce((${JSON.stringify(busy)}::text::jsonb ->> lanes.lane::text)::int, 0)
        )
        for update skip locked
      ) oldest
      order by oldest.due_at
      limit ${slots.all}
    ),
    claimed as (
      update alert_deliveries
      set
        due_at = ${clock(sql, now)} + make_interval(secs => ${LEASE_SECONDS}),
        leased_until = ${clock(sql, now)} + make_interval(secs => ${LEASE_SECONDS})
      where id in (select id from due)
      returning *
    )
    select
      c.id, c.kind, c.lane, c.attempts, rfc3339(c.created_at) as created_at, c.account_id, a.owner, a.plan, c.content,
      (
        select to_json(endpoint)
        from (
          select
            e.url,
            e.format,
            array_remove(array[e.secret, case when e.old_secret_until > ${clock(sql, now)} then e.old_secret end], null) as secrets,
            e.disabled_at is not null as is_disabled,
            (select count(*) from alert_endpoints earlier where earlier.account_id = e.account_id and earlier.id <= e.id) as place
          from alert_endpoints e
          where e.id = c.endpoint_id
        ) as endpoint
      ) as endpoint,
      (select json_build_object('id', s.id::text, 'name', s.name) from saved_searches s where s.id = c.search_id) as search,
      (
        select to_json(found)
        from (
          select
            m.id, m.kind, rfc3339(m.matched_at) as matched_at, rfc3339(m.observed_at) as observed_at, m.current_bid_cents, m.num_bids,
            rfc3339(m.ends_at) as end_date
          where m.id is not null
        ) as found
      ) as match,
      (
        select to_json(listing)
        from (
          select ${listingColumns(context, null)}
          from ${lotsOfSources(sql)} as l
          where l.id = coalesce(m.lot_id, case c.kind when 'test' then (c.content ->> 'lot_id')::uuid end)
        ) as listing
      ) as listing
    from claimed c
    join accounts a on a.id = c.account_id
    left join alert_matches m on m.id = c.match_id`
}

/**
 * Logs an attempt and sets when the delivery is due next, if at all. Of an endpoint it keeps since when nothing but failures came; one
 * that has failed for days is disabled, and its owner gets mails. A delivery that arrived, was deleted or is finished stays so.
 */
export async function settle(sql: Sql, now: Date | null, settlement: Settlement): Promise<void> {
  const { id, status, milliseconds, text, result, nextInSeconds, disabledBecause } = settlement
  const isDelivered = result === 'delivered'
  await sql`
    with settled as (
      update alert_deliveries
      set
        attempts = attempts + 1,
        delivered_at = case when ${isDelivered}::boolean then ${clock(sql, now)} end,
        due_at = ${clock(sql, now)} + make_interval(secs => ${nextInSeconds}::float8),
        leased_until = null
      where id = ${id}
      and due_at is not null
      returning id, endpoint_id
    ),
    attempt as (
      insert into alert_attempts (delivery_id, attempted_at, status, milliseconds, answer)
      select id, ${clock(sql, now)}, ${status}::int, ${milliseconds}::int, ${text}::text
      from settled
    ),
    -- Locked, so that of several failures at once one sends the mail.
    before as (
      select e.*
      from alert_endpoints e
      join settled on settled.endpoint_id = e.id
      where (${result} = 'failed' or (${isDelivered}::boolean and e.failing_since is not null))
      and e.disabled_at is null
      for update of e
    ),
    after as (
      update alert_endpoints e
      set
        failing_since = case when not ${isDelivered}::boolean then coalesce(before.failing_since, ${clock(sql, now)}) end,
        warned_at = case
          when ${isDelivered}::boolean then null
          when before.failing_since <= ${clock(sql, now)} - make_interval(secs => ${WARNED_AFTER})
          then coalesce(before.warned_at, ${clock(sql, now)})
        end,
        disabled_at = case when next.reason is not null then ${clock(sql, now)} end,
        disabled_reason = next.reason
      from before
      cross join lateral (
        select case
          when ${isDelivered}::boolean then null
          when ${disabledBecause}::text is not null then ${disabledBecause}::text
          when before.failing_since <= ${clock(sql, now)} - make_interval(secs => ${DISABLED_AFTER})
          then 'Every message failed for 5 days.'
        end as reason
      ) as next
      where e.id = before.id
      returning e.id, e.account_id, e.url, e.failing_since, e.disabled_reason, before.warned_at is null and e.warned_at is not null as is_warned
    )
    insert into alert_deliveries (id, account_id, kind, content, created_at, due_at)
    select
      gen_random_uuid(), account_id, 'endpoint',
      jsonb_build_object(
        'endpoint_id', id, 'url', url, 'failing_since', rfc3339(failing_since), 'disabled_reason', disabled_reason
      ),
      ${clock(sql, now)}, ${clock(sql, now)}
    from after
    where is_warned or disabled_reason is not null`
}

/** Deletes a delivery that has nothing to say: its lot is gone, or the mail is not wanted any more. */
export async function dropDelivery(sql: Sql, id: string): Promise<void> {
  await sql`delete from alert_deliveries where id = ${id} and delivered_at is null`
}

/** Deletes finished deliveries and their attempts 30 days after they were made, so many at a time. @returns whether some may be left. */
export async function forgetOldDeliveries(sql: Sql, now: Date | null): Promise<boolean> {
  const { count } = await sql`
    delete from alert_deliveries
    where id in (
      select id
      from alert_deliveries
      where due_at is null
      and created_at < ${clock(sql, now)} - make_interval(secs => ${LOG_KEPT})
      limit ${MOST_FORGOTTEN}
    )`
  return count === MOST_FORGOTTEN
}
