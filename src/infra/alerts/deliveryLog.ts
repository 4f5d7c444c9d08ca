import { LOG_KEPT } from '../../domain/alerts/retries.ts'
import type { AlertKind, Owned } from '../../domain/alerts/savedSearch.ts'
import { clock } from '../postgres/dataVersion.ts'
import type { Sql } from '../postgres/sql.ts'

/** A message in the log of its endpoint. */
export interface LoggedDelivery {
  id: string
  created_at: string
  /** When it is tried next; null when it is finished. */
  due_at: string | null
  delivered_at: string | null
  is_under_way: boolean
  /** Of a match; null for a test message. */
  kind: AlertKind | null
  search: string | null
  lot: { title: string; slug: string } | null
  /** The latest first, at most 20. */
  attempts: { attempted_at: string; status: number | null; milliseconds: number; answer: string }[]
}

/**
 * Makes messages due now under the ids they have, with all retries: one message, or all that failed since a moment, the oldest first.
 * What is under way is left alone: of two statements at once, the second looks again after the first.
 * @returns how many messages are due now.
 */
export async function sendAgain(
  sql: Sql,
  { accountId, id }: Owned,
  which: { delivery: string } | { failedSince: Date },
  now: Date | null,
): Promise<number> {
  const chosen =
    'delivery' in which
      ? sql`d.id = ${which.delivery}::uuid`
      : sql`
        d.created_at >= ${which.failedSince.toISOString()}::timestamptz
        and d.delivered_at is null
        and (d.due_at is null or d.attempts > 0)`
  const { count } = await sql`
    with ordered as (
      select d.id, row_number() over (order by d.created_at desc, d.id desc) as microseconds
      from alert_deliveries d
      where d.endpoint_id = ${id} and d.account_id = ${accountId} and ${chosen}
    )
    update alert_deliveries d
    set
      -- A lane is sent by due_at, so microseconds keep the order.
      due_at = ${clock(sql, now)} - ordered.microseconds * interval '1 microsecond',
      attempts = 0,
      delivered_at = null,
      leased_until = null
    from ordered
    where d.id = ordered.id
    and ${chosen}
    and (d.leased_until is null or d.leased_until <= ${clock(sql, now)})`
  return count
}

/**
 * The messages to an endpoint in the last 30 days, the latest first.
 * @param before only messages before this one; null: from the latest.
 */
export async function readLog(
  sql: Sql,
  { accountId, id }: Owned,
  { before, most }: { before: string | null; most: number },
  now: Date | null,
): Promise<LoggedDelivery[]> {
  return sql<LoggedDelivery[]>`
    select
      d.id,
      rfc3339(d.created_at) as created_at,
      rfc3339(d.due_at) as due_at,
      rfc3339(d.delivered_at) as delivered_at,
      coalesce(d.leased_until > ${clock(sql, now)}, false) as is_under_way,
      m.kind,
      s.name as search,
      case when l.id is not null then json_build_object('title', l.title, 'slug', l.slug) end as lot,
      (
        select coalesce(json_agg(to_json(latest)), '[]')
        from (
          select rfc3339(a.attempted_at) as attempted_at, a.status, a.milliseconds, a.answer
          from alert_attempts a
          where a.delivery_id = d.id
          order by a.attempted_at desc
          limit 20
        ) as latest
      ) as attempts
    from alert_deliveries d
    left join saved_searches s on s.id = d.search_id
    left join alert_matches m on m.id = d.match_id
    left join lots l on l.id = coalesce(m.lot_id, (d.content ->> 'lot_id')::uuid)
    where d.endpoint_id = ${id}
    and d.account_id = ${accountId}
    and d.created_at >= ${clock(sql, now)} - ${LOG_KEPT}::interval
    and (
      ${before}::uuid is null
      or (d.created_at, d.id) < (select created_at, id from alert_deliveries where id = ${before}::uuid)
    )
    order by d.created_at desc, d.id desc
    limit ${most}`
}
