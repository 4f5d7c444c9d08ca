import type { Plan } from '../../contract/plans.ts'
import type { Sql } from '../postgres/database.ts'
import { type Fragment, firstValue, fragment } from '../postgres/sql.ts'

export interface NewKey {
  hash: Buffer
  hint: string
  plan: Plan
  owner: string | null
  /** Its name in lists. */
  name?: string
  callsPerMonth: number | null
  callsPerMinute: number | null
}

/**
 * Whether a key works: it was not revoked, and its end, if one is set, has not
 * come.
 */
export function worksAt(now: Fragment): Fragment {
  return fragment`not is_revoked and (revoked_at is null or revoked_at > ${now})`
}

/**
 * Stores a key by its hash, under the account of its owner (made when new);
 * without an owner it gets an account of its own. Storing the same hash again
 * changes nothing.
 * @returns the id of the key.
 */
export async function storeKey(sql: Sql, key: NewKey): Promise<string> {
  const id = await firstValue<string>(sql`
    with account as (
      insert into accounts (owner)
      select ${key.owner}::text where not exists (select from keys where secret_hash = ${key.hash})
      on conflict (owner) do update set owner = excluded.owner
      returning id
    ), made as (
      insert into keys (account_id, plan, name, secret_hash, hint, calls_per_month, calls_per_minute)
      select id, ${key.plan}, ${key.name ?? ''}, ${key.hash}, ${key.hint}, ${key.callsPerMonth}::integer, ${key.callsPerMinute}::integer from account
      returning id
    )
    select id from made
    union all
    select id from keys where secret_hash = ${key.hash}`)
  return id!
}

/** A key as an operator sees it. */
type ListedKey = {
  id: string
  owner: string | null
  name: string
  plan: Plan
  /** The last four characters. */
  hint: string
  /** Limits of its own; null for those of the plan. */
  calls_per_month: number | null
  calls_per_minute: number | null
  /** By all keys of the account, in this month (UTC). */
  used_this_month: number
  created_at: string
  revoked_at: string | null
}

/** All keys, newest first. */
export async function listKeys(sql: Sql): Promise<ListedKey[]> {
  return sql<ListedKey[]>`
    select
      k.id, a.owner, k.name, coalesce(k.plan, a.plan) as plan, k.hint, k.calls_per_month, k.calls_per_minute,
      coalesce(u.used, 0) as used_this_month,
      rfc3339(k.created_at) as created_at, rfc3339(k.revoked_at) as revoked_at
    from keys k
    join accounts a on a.id = k.account_id
    left join monthly_usage u
      on u.meter = 'account:' || a.id and u.month = date_trunc('month', now() at time zone 'utc')::date
    order by k.created_at desc, k.id`
}

/**
 * Revokes a key, also one that still worked after a rotation. Every process
 * refuses it from the next call on.
 * @returns false when no key has that id. Revoking twice is fine.
 */
export async function revokeKeyById(sql: Sql, id: string): Promise<boolean> {
  const { count } = await sql`
    update keys
    set is_revoked = true, revoked_at = least(revoked_at, now())
    where id = ${id}::uuid`
  return count > 0
}
