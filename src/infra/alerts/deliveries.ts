import type { Plan } from '../../contract/plans.ts'
import type { Listing, Schemas } from '../../contract/types.ts'
import {
  LEASE_SECONDS,
  LOG_KEPT,
  MATCHES_KEPT,
} from '../../domain/alerts/schedule.ts'
import type { SqlContext } from '../postgres/sql.ts'
import {
  type ListingContext,
  LOTS_OF_SOURCES,
  listingColumns,
} from '../search/columns.ts'
import { type LocatedListing, listingFrom } from './distances.ts'

/**
 * A delivery that this process has leased, with everything that its message
 * needs.
 */
export interface DueDelivery {
  id: string
  kind: 'match' | 'digest' | 'test' | 'quota' | 'endpoint'
  /** The endpoint; 0 is mail. */
  lane: number
  /** How many attempts were made before. */
  attempts: number
  /**
   * The email address that its account signs in with, or the name that an
   * operator gave it.
   */
  owner: string | null
  plan: Plan
  /** Of a `test`: `{ lot_id }`. */
  content: Record<string, unknown> | null
  /**
   * Null: by mail. Secrets: the current one first. Position: counts the
   * endpoints of the account from 1.
   */
  endpoint: {
    url: string
    secrets: string[]
    is_disabled: boolean
    position: number
  } | null
  search: { id: string; name: string } | null
  found_at: string
  /** Of a `match`. */
  change: Schemas['MatchedChange'] | null
  /**
   * The current state of the lot; null where the message is about no lot, or
   * the lot was deleted.
   */
  listing: Listing | null
}

/** The result of an attempt. */
export interface Settlement {
  /** `refused`: not sent, so it says nothing about the endpoint. */
  result: 'delivered' | 'failed' | 'refused'
  status: number | null
  milliseconds: number
  /** Kept in the log. */
  text: string
  /** Until the next attempt; null: there is none. */
  waitSeconds: number | null
  /**
   * Why the endpoint is disabled because of this answer; null where it is not.
   */
  disabledBecause: string | null
}

const MOST_FORGOTTEN = 10_000

/**
 * Makes the deliveries due that a clock which was ahead made, or leased, for a
 * time still to come.
 */
export async function dueAfterClockAhead({
  sql,
  now,
}: SqlContext): Promise<void> {
  await sql`
    update alert_deliveries
    set due_at = ${now}, leased_until = null
    where due_at > ${now}
    and (created_at > ${now} or leased_until > ${now} + make_interval(secs => ${LEASE_SECONDS}))`
}

/**
 * Leases the deliveries that are due, the oldest first. Skips those of other
 * processes (row locks). Each lane has a query of its own, so that the backlog
 * of one does not slow down the others.
 * @param slots how many deliveries this process sends at once: in one lane, in
 * the lane of mails, and how many more in all.
 * @param busy how many of them it sends now, by lane.
 */
export async function claimDue(
  context: ListingContext,
  slots: { lane: number; mails: number; all: number },
  busy: Record<number, number>,
): Promise<DueDelivery[]> {
  const { sql, now } = context
  const leasedUntil = sql`${now} + make_interval(secs => ${LEASE_SECONDS})`
  type Claimed = Omit<DueDelivery, 'listing'> & {
    listing: LocatedListing | null
    zip: string | null
  }
  const claimed = await sql<Claimed[]>`
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
        where d.lane = lanes.lane and d.due_at <= ${now}
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
      set due_at = ${leasedUntil}, leased_until = ${leasedUntil}
      where id in (select id from due)
      returning *
    )
    select
      c.id, c.kind, c.lane, c.attempts, a.owner, a.plan, c.content, to_json(endpoint) as endpoint,
      case when s.id is not null then json_build_object('id', s.id::text, 'name', s.name) end as search,
      rfc3339(coalesce(m.matched_at, c.created_at)) as found_at, to_json(listing) as listing,
      case when m.id is not null then json_build_object(
        'kind', m.kind, 'observed_at', rfc3339(m.observed_at), 'current_bid_cents', m.current_bid_cents,
        'former_price_cents', m.former_price_cents, 'num_bids', m.num_bids, 'end_date', rfc3339(m.ends_at)
      ) end as change,
      s.query ->> 'zip' as zip
    from claimed c
    join accounts a on a.id = c.account_id
    left join alert_matches m on m.id = c.match_id
    left join lateral (
      select
        e.url, e.disabled_at is not null as is_disabled,
        array_remove(array[e.secret, case when e.old_secret_until > ${now} then e.old_secret end], null) as secrets,
        (select count(*) from alert_endpoints o where o.account_id = e.account_id and o.id <= e.id) as position
      from alert_endpoints e
      where e.id = c.endpoint_id
    ) as endpoint on true
    left join saved_searches s on s.id = c.search_id
    left join lateral (
      select ${listingColumns(context)}, l.latitude, l.longitude
      from ${LOTS_OF_SOURCES} as l
      where l.id = coalesce(m.lot_id, case c.kind when 'test' then (c.content ->> 'lot_id')::uuid end)
    ) as listing on true`
  return claimed.map(({ zip, ...delivery }) => ({
    ...delivery,
    listing: delivery.listing && listingFrom(zip, delivery.listing),
  }))
}

/**
 * Logs an attempt, and sets when the delivery is due next and how its endpoint
 * is (SQL function `settle_delivery`).
 */
export async function settle(
  { sql, now }: SqlContext,
  id: string,
  settlement: Settlement,
): Promise<void> {
  const { result, status, milliseconds, text, waitSeconds, disabledBecause } =
    settlement
  await sql`
    select settle_delivery(
      ${id}, ${result}, ${status}, ${milliseconds}, ${text}, make_interval(secs => ${waitSeconds}), ${disabledBecause},
      ${now}
    )`
}

/**
 * Deletes a delivery that is not needed any more: its lot was deleted, or its
 * search wants no mail.
 */
export async function dropDelivery(
  { sql }: SqlContext,
  id: string,
): Promise<void> {
  await sql`delete from alert_deliveries where id = ${id} and delivered_at is null`
}

/**
 * Deletes finished deliveries with their attempts, and matches, when they are
 * old; in batches.
 * @returns whether some may be left.
 */
export async function forgetOldDeliveries({
  sql,
  now,
}: SqlContext): Promise<boolean> {
  const deliveries = await sql`
    delete from alert_deliveries
    where id in (
      select id
      from alert_deliveries
      where due_at is null and created_at < ${now} - ${LOG_KEPT}::interval
      limit ${MOST_FORGOTTEN}
    )`
  const matches = await sql`
    delete from alert_matches
    where id in (select id from alert_matches order by id limit ${MOST_FORGOTTEN})
    and matched_at < ${now} - ${MATCHES_KEPT}::interval`
  return deliveries.count === MOST_FORGOTTEN || matches.count === MOST_FORGOTTEN
}
