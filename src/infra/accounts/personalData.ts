import { firstValue, type SqlContext } from '../postgres/sql.ts'

const MOST_MESSAGES = 10_000

/**
 * All that is kept about an account, without secrets; of its messages the
 * latest 10,000.
 */
export async function personalData(
  { sql }: SqlContext,
  accountId: number,
): Promise<object | null> {
  const own = sql`own.account_id = a.id`
  const calls = sql`own.meter = 'account:' || a.id`
  /** The rows of a table that belong to the account, without these columns. */
  const rowsOf = (
    table: string,
    isOwn: typeof own,
    order: string,
    omitted: string,
  ) => sql`(
    select coalesce(jsonb_agg(to_jsonb(own) - ${`{${omitted}}`}::text::text[] order by ${sql(`own.${order}`)}), '[]')
    from ${sql(table)} own
    where ${isOwn}
  )`
  return firstValue<object>(sql`
    select jsonb_build_object(
      'account', to_jsonb(a) - '{id,subscription_look}'::text[],
      'sessions', ${rowsOf('sessions', own, 'created_at', 'id,token_hash,account_id')},
      'keys', ${rowsOf('keys', own, 'created_at', 'account_id,secret_hash,shown_until,is_revoked')},
      'agent_sign_ins', ${rowsOf('agent_grants', own, 'expires_at', 'account_id,code_hash,challenge,key_id')},
      'calls_by_day', ${rowsOf('monthly_usage', calls, 'month', 'meter')},
      'last_calls', (select l.calls from call_logs l where l.account_id = a.id),
      'saved_searches', ${rowsOf('saved_searches', own, 'id', 'account_id,feed_generation,since_change')},
      'webhook_endpoints', ${rowsOf('alert_endpoints', own, 'id', 'account_id,secret,old_secret,old_secret_until')},
      'messages', (
        select coalesce(jsonb_agg(to_jsonb(d)), '[]')
        from (
          select id, kind, search_id, endpoint_id, content, created_at, delivered_at, attempts
          from alert_deliveries
          where account_id = a.id
          order by created_at desc
          limit ${MOST_MESSAGES}
        ) d
      )
    )
    from accounts a
    where a.id = ${accountId}`)
}

/** What goes with its account. */
const OWNED = [
  'sessions',
  'agent_grants',
  'address_changes',
  'alert_deliveries',
  'saved_searches',
  'alert_endpoints',
  'call_logs',
  'quota_mails',
]

/**
 * Deletes all that names the owner of an account, in one statement. The account
 * stays as a number, for its counts of calls, and its keys stay as revoked ones
 * without a name.
 */
export async function forgetAccount(
  { sql, now }: SqlContext,
  accountId: number,
): Promise<void> {
  const owned = OWNED.map(
    table =>
      sql`, ${sql(`of_${table}`)} as (delete from ${sql(table)} where account_id = ${accountId})`,
  )
  await sql`
    with known as materialized (
      select owner from accounts where id = ${accountId}
    ), revoked as (
      update keys
      set name = '', shown_until = null, is_revoked = true, revoked_at = least(revoked_at, ${now})
      where account_id = ${accountId}
    ), links as (
      delete from sign_in_links where address = (select owner from known)
    ), counted as (
      delete from attempts where substring(meter from '[^ ]+$') = (select owner from known)
    ), mails as (
      delete from demo_mails where recipient = (select owner from known)
    )${owned}
    update accounts
    set
      owner = null, plan = 'free', time_zone = default, is_time_zone_known = false, digest_hour = default, quiet_from = default, quiet_until = default,
      costs = null,
      plan_set_by = null, plan_set_at = null, plan_until = null,
      stripe_customer = null, subscription_status = null, subscription_ends_at = null
    where id = ${accountId}`
}
