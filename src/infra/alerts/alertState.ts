import { onlyRow, type Sql, type SqlContext } from '../postgres/sql.ts'

/**
 * Recent activity, and the messages that could be sent now, that a process is
 * sending, and that wait for their next attempt or the end of quiet hours.
 */
interface AlertActivity
  extends Record<'waiting' | 'under_way' | 'scheduled', number> {
  /** Changes of lots that were not matched yet. */
  changes_to_match: number
  /** The age of the oldest waiting message; 0 without one. */
  oldest_seconds: number
  matches: number
  /**
   * By their result: 2xx (or taken by the mail server); another status; no
   * status, because the receiver was not reached in time.
   */
  attempts: Record<'delivered' | 'rejected' | 'unanswered', number>
}

/** @param seconds matches and attempts of how many last seconds are counted. */
export async function readAlertActivity(
  { sql, now }: SqlContext,
  seconds: number,
): Promise<AlertActivity> {
  const since = sql`${now} - make_interval(secs => ${seconds})`
  return onlyRow(sql`
    select
      last_change() - (select position from alert_progress where stream = 'changes') as changes_to_match,
      queue.*,
      (select count(*) from alert_matches where matched_at > ${since}) as matches,
      (
        select json_build_object(
          'delivered', count(*) filter (where status between 200 and 299),
          'rejected', count(*) filter (where status not between 200 and 299),
          'unanswered', count(*) filter (where status is null)
        )
        from alert_attempts
        where attempted_at > ${since}
      ) as attempts
    from (
      select
        count(*) filter (where due_at <= ${now}) as waiting,
        round(greatest(0, coalesce(extract(epoch from ${now} - min(due_at)), 0)), 1)::float8 as oldest_seconds,
        count(*) filter (where due_at > ${now} and leased_until is not null) as under_way,
        count(*) filter (where due_at > ${now} and leased_until is null) as scheduled
      from alert_deliveries
      where due_at is not null
    ) as queue`)
}

/**
 * The saved searches and the endpoints of all accounts. An endpoint is failing
 * when no message was delivered since the last failure.
 */
export async function countAlerts(
  sql: Sql,
): Promise<Record<'searches' | 'endpoints', Record<string, number>>> {
  return onlyRow(sql<
    Record<'searches' | 'endpoints', Record<string, number>>[]
  >`
    select
      (
        select json_build_object(
          'active', count(*) filter (where not is_paused),
          'paused', count(*) filter (where is_paused),
          'watched_lots', count(lot_id)
        )
        from saved_searches
      ) as searches,
      (
        select json_build_object(
          'working', count(*) filter (where disabled_at is null and failing_since is null),
          'failing', count(*) filter (where disabled_at is null and failing_since is not null),
          'disabled', count(disabled_at)
        )
        from alert_endpoints
      ) as endpoints`)
}

/** An endpoint whose last messages were not taken. */
export interface FailingEndpoint {
  id: number
  /** Its address. */
  account: string
  origin: string
  /** RFC 3339. */
  failing_since: string
}

/**
 * The endpoints that fail and are not disabled yet, the longest first, without
 * their paths: some are secrets.
 */
export async function failingEndpoints(sql: Sql): Promise<FailingEndpoint[]> {
  return sql<FailingEndpoint[]>`
    select
      e.id, coalesce(a.owner, a.id::text) as account, substring(e.url from '^[a-z]+://[^/?]+') as origin,
      rfc3339(e.failing_since) as failing_since
    from alert_endpoints e
    join accounts a on a.id = e.account_id
    where e.disabled_at is null and e.failing_since is not null
    order by e.failing_since, e.id`
}
