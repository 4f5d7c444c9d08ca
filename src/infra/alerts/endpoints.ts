import type { Plan } from '../../contract/plans.ts'
import type { EndpointFormat } from '../../domain/alerts/messageFormats.ts'
import type { Owned } from '../../domain/alerts/savedSearch.ts'
import { newSigningSecret } from '../../domain/alerts/signature.ts'
import { clock } from '../postgres/dataVersion.ts'
import type { Sql } from '../postgres/sql.ts'

/** A webhook endpoint as its owner sees it. */
export interface StoredEndpoint {
  id: number
  url: string
  format: EndpointFormat
  secret: string
  /** Until when the secret before it signs as well; null when it no longer does. */
  old_secret_until: string | null
  failing_since: string | null
  disabled_at: string | null
  disabled_reason: string | null
  /** Counts the endpoints of the account from 1, the oldest first: a plan includes the first ones. */
  place: number
}

/** The endpoints of an account, the oldest first, and its plan. */
export async function readEndpoints(sql: Sql, accountId: number, now: Date | null) {
  const [row] = await sql<{ plan: Plan; endpoints: StoredEndpoint[] }[]>`
    select
      plan,
      coalesce(
        (
          select jsonb_agg(to_jsonb(own) order by own.id)
          from (
            select
              id, url, format, secret, rfc3339(failing_since) as failing_since, rfc3339(disabled_at) as disabled_at, disabled_reason,
              case when old_secret_until > ${clock(sql, now)} then rfc3339(old_secret_until) end as old_secret_until,
              row_number() over (order by id) as place
            from alert_endpoints
            where account_id = a.id
          ) as own
        ),
        '[]'
      ) as endpoints
    from accounts a
    where id = ${accountId}`
  if (!row) throw new Error(`There is no account ${accountId}.`)
  return row
}

/**
 * Stores an endpoint with a new secret.
 * @returns its id; null when the account has `most` of them already, also when two are added at once.
 */
export async function addEndpoint(
  sql: Sql,
  accountId: number,
  { url, format, most }: { url: string; format: EndpointFormat; most: number },
  now: Date | null,
): Promise<number | null> {
  const [row] = await sql<{ id: number }[]>`
    insert into alert_endpoints (account_id, url, format, secret, created_at)
    select ${accountId}::bigint, ${url}, ${format}, ${newSigningSecret()}, ${clock(sql, now)}
    where (select endpoints from count_alerts(${accountId})) < ${most}
    returning id`
  return row?.id ?? null
}

/** Replaces the secret; the one before signs as well for 24 h. */
export async function replaceSecret(sql: Sql, { accountId, id }: Owned, now: Date | null): Promise<void> {
  await sql`
    update alert_endpoints
    set secret = ${newSigningSecret()}, old_secret = secret, old_secret_until = ${clock(sql, now)} + interval '24 hours'
    where id = ${id} and account_id = ${accountId}`
}

/** Forgets all failures of an endpoint. */
export async function enableEndpoint(sql: Sql, { accountId, id }: Owned): Promise<void> {
  await sql`
    update alert_endpoints
    set failing_since = null, warned_at = null, disabled_at = null, disabled_reason = null
    where id = ${id} and account_id = ${accountId}`
}

/** Deletes an endpoint, its messages and its place in saved searches. */
export async function removeEndpoint(sql: Sql, { accountId, id }: Owned): Promise<void> {
  await sql`
    with searches as (
      update saved_searches
      set endpoint_ids = array_remove(endpoint_ids, ${id}::bigint)
      where account_id = ${accountId} and ${id} = any (endpoint_ids)
    )
    delete from alert_endpoints
    where id = ${id} and account_id = ${accountId}`
}

/** Queues a test message about the live lot that ends first. @returns how many messages: 0 when no lot is live. */
export async function queueTest(sql: Sql, { accountId, id }: Owned, now: Date | null): Promise<number> {
  const { count } = await sql`
    insert into alert_deliveries (id, account_id, endpoint_id, kind, content, created_at, due_at)
    select gen_random_uuid(), e.account_id, e.id, 'test', jsonb_build_object('lot_id', lot.id), ${clock(sql, now)}, ${clock(sql, now)}
    from alert_endpoints e
    cross join (
      select id
      from lots
      where is_open and starts_at <= ${clock(sql, now)} and ends_at > ${clock(sql, now)}
      order by ends_at, id
      limit 1
    ) as lot
    where e.id = ${id} and e.account_id = ${accountId}`
  return count
}
