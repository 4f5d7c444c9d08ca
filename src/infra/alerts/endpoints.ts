import type { Plan } from '../../contract/plans.ts'
import type {
  AlertKind,
  MailTimes,
  Owned,
} from '../../domain/alerts/savedSearch.ts'
import { LOG_KEPT, SECRET_OVERLAP } from '../../domain/alerts/schedule.ts'
import { newSigningSecret } from '../../domain/alerts/webhooks.ts'
import { liveAt } from '../postgres/clock.ts'
import {
  firstValue,
  jsonList,
  onlyRow,
  type SqlContext,
} from '../postgres/sql.ts'

/** A webhook endpoint as its owner sees it. */
export interface StoredEndpoint {
  id: number
  url: string
  secret: string
  /**
   * End of the overlap in which the previous secret also signs; null after it.
   */
  old_secret_until: string | null
  failing_since: string | null
  disabled_at: string | null
  disabled_reason: string | null
  /**
   * Counts the endpoints of the account from 1, the oldest first: a plan
   * includes the first ones.
   */
  position: number
}

/** The endpoints of an account, and what bounds them. */
export interface EndpointsOfAccount {
  plan: Plan
  times: MailTimes
  endpoints: StoredEndpoint[]
}

/**
 * The endpoints of an account, the oldest first, its plan and the times of its
 * mails.
 */
export async function readEndpoints(
  { sql, now }: SqlContext,
  accountId: number,
): Promise<EndpointsOfAccount> {
  const endpoints = sql`
    select
      id, url, secret, rfc3339(failing_since) as failing_since, rfc3339(disabled_at) as disabled_at,
      case when old_secret_until > ${now} then rfc3339(old_secret_until) end as old_secret_until,
      disabled_reason, row_number() over (order by id) as position
    from alert_endpoints
    where account_id = a.id
    order by id`
  return onlyRow(sql<EndpointsOfAccount[]>`
    select
      plan,
      jsonb_build_object(
        'time_zone', time_zone, 'digest_hour', digest_hour, 'quiet_from', quiet_from, 'quiet_until', quiet_until
      ) as times,
      ${jsonList(endpoints)} as endpoints
    from accounts a
    where id = ${accountId}`)
}

/**
 * Stores an endpoint with a new secret.
 * @returns its id; null when the account has `most` of them already, also when
 * two are added at once.
 */
export async function addEndpoint(
  { sql, now }: SqlContext,
  accountId: number,
  { url, most }: { url: string; most: number },
): Promise<number | null> {
  return firstValue<number>(sql`
    insert into alert_endpoints (account_id, url, secret, created_at)
    select ${accountId}::bigint, ${url}, ${newSigningSecret()}, ${now}
    where (select endpoints from count_alerts(${accountId})) < ${most}
    returning id`)
}

/** Replaces the secret; the previous one also signs for 24 h. */
export async function replaceSecret(
  { sql, now }: SqlContext,
  { accountId, id }: Owned,
): Promise<void> {
  await sql`
    update alert_endpoints
    set
      secret = ${newSigningSecret()}, old_secret = secret,
      old_secret_until = ${now} + ${SECRET_OVERLAP}::interval
    where id = ${id} and account_id = ${accountId}`
}

/** Deletes an endpoint, its messages and its entries in saved searches. */
export async function removeEndpoint(
  { sql }: SqlContext,
  { accountId, id }: Owned,
): Promise<void> {
  await sql`
    with searches as (
      update saved_searches
      set endpoint_ids = array_remove(endpoint_ids, ${id}::bigint)
      where account_id = ${accountId} and ${id} = any (endpoint_ids)
    )
    delete from alert_endpoints
    where id = ${id} and account_id = ${accountId}`
}

/**
 * Queues a test message about the live lot that ends first.
 * @returns how many messages: 0 when no lot is live.
 */
export async function queueTest(
  { sql, now }: SqlContext,
  { accountId, id }: Owned,
): Promise<number> {
  const { count } = await sql`
    insert into alert_deliveries (id, account_id, endpoint_id, kind, content, created_at, due_at)
    select gen_random_uuid(), e.account_id, e.id, 'test', jsonb_build_object('lot_id', lot.id), ${now}, ${now}
    from alert_endpoints e
    cross join (
      select l.id
      from lots l
      where ${liveAt(now)}
      order by l.ends_at, l.id
      limit 1
    ) as lot
    where e.id = ${id} and e.account_id = ${accountId}`
  return count
}

/** A message in the log of its endpoint. */
export interface LoggedDelivery {
  id: string
  created_at: string
  /** When it is tried next; null when it is finished. */
  due_at: string | null
  delivered_at: string | null
  is_being_sent: boolean
  /** Of a match; null for a test message. */
  kind: AlertKind | null
  search: string | null
  lot: { title: string; slug: string } | null
  /** The latest first, at most 20. */
  attempts: {
    attempted_at: string
    status: number | null
    milliseconds: number
    answer: string
  }[]
}

/**
 * Makes the messages that failed, or wait for another attempt, due now under
 * the ids they have, with all retries, the oldest first. A disabled endpoint is
 * enabled, as if it had never failed. Skips deliveries in progress; the row
 * lock serializes concurrent calls.
 * @returns how many messages are due now.
 */
export async function sendFailed(
  { sql, now }: SqlContext,
  { accountId, id }: Owned,
): Promise<number> {
  const hasFailed = sql`d.delivered_at is null and (d.due_at is null or d.attempts > 0)`
  const { count } = await sql`
    with enabled as (
      update alert_endpoints
      set failing_since = null, warned_at = null, disabled_at = null, disabled_reason = null
      where id = ${id} and account_id = ${accountId} and disabled_at is not null
    ),
    ordered as (
      select d.id, row_number() over (order by d.created_at desc, d.id desc) as microseconds
      from alert_deliveries d
      where d.endpoint_id = ${id} and d.account_id = ${accountId} and ${hasFailed}
    )
    update alert_deliveries d
    set
      -- A lane is sent by due_at, so microseconds keep the order.
      due_at = ${now} - ordered.microseconds * interval '1 microsecond',
      attempts = 0, leased_until = null
    from ordered
    where d.id = ordered.id
    and ${hasFailed}
    and (d.leased_until is null or d.leased_until <= ${now})`
  return count
}

/**
 * The messages to an endpoint in the last 30 days, the latest first.
 * @param before only messages before this one; null: from the latest.
 */
export async function readLog(
  { sql, now }: SqlContext,
  { accountId, id }: Owned,
  { before, most }: { before: string | null; most: number },
): Promise<LoggedDelivery[]> {
  const attempts = sql`
    select rfc3339(a.attempted_at) as attempted_at, a.status, a.milliseconds, a.answer
    from alert_attempts a
    where a.delivery_id = d.id
    order by a.attempted_at desc
    limit 20`
  return sql`
    select
      d.id, m.kind, s.name as search,
      rfc3339(d.created_at) as created_at, rfc3339(d.due_at) as due_at, rfc3339(d.delivered_at) as delivered_at,
      coalesce(d.leased_until > ${now}, false) as is_being_sent,
      case when l.id is not null then json_build_object('title', l.title, 'slug', l.slug) end as lot,
      ${jsonList(attempts)} as attempts
    from alert_deliveries d
    left join saved_searches s on s.id = d.search_id
    left join alert_matches m on m.id = d.match_id
    left join lots l on l.id = coalesce(m.lot_id, (d.content ->> 'lot_id')::uuid)
    where d.endpoint_id = ${id}
    and d.account_id = ${accountId}
    and d.created_at >= ${now} - ${LOG_KEPT}::interval
    and (
      ${before}::uuid is null
      or (d.created_at, d.id) < (select created_at, id from alert_deliveries where id = ${before}::uuid)
    )
    order by d.created_at desc, d.id desc
    limit ${most}`
}
