import type { Sql } from '../postgres/database.ts'

const MOST_MESSAGES = 10_000

/** All that is kept about an account, without secrets; of its messages the latest 10,000. */
export async function personalData(sql: Sql, accountId: number): Promise<object> {
  const [row] = await sql<{ data: object }[]>`
    select jsonb_build_object(
      'account', to_jsonb(a) - '{id,subscription_look}'::text[],
      'sessions', (
        select coalesce(jsonb_agg(to_jsonb(s) - '{id,token_hash,account_id}'::text[] order by s.created_at), '[]')
        from sessions s
        where s.account_id = a.id
      ),
      'keys', (
        select coalesce(jsonb_agg(to_jsonb(k) - '{account_id,secret_hash,shown_until}'::text[] order by k.created_at), '[]')
        from keys k
        where k.account_id = a.id
      ),
      'calls_by_day', (
        select coalesce(jsonb_agg(to_jsonb(u) - '{meter}'::text[] order by u.month), '[]')
        from monthly_usage u
        where u.meter = 'account:' || a.id
      ),
      'saved_searches', (
        select coalesce(jsonb_agg(to_jsonb(s) - '{account_id,feed_generation,since_change}'::text[] order by s.id), '[]')
        from saved_searches s
        where s.account_id = a.id
      ),
      'webhook_endpoints', (
        select coalesce(jsonb_agg(to_jsonb(e) - '{account_id,secret,old_secret,old_secret_until}'::text[] order by e.id), '[]')
        from alert_endpoints e
        where e.account_id = a.id
      ),
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
    ) as data
    from accounts a
    where a.id = ${accountId}`
  if (!row) throw new Error(`There is no account ${accountId}.`)
  return row.data
}
