import type { Plan } from '../../contract/plans.ts'
import type { Sql } from '../postgres/database.ts'
import { clock } from '../postgres/dataVersion.ts'

/** A live key as its owner sees it. */
export interface AccountKey {
  id: string
  name: string
  /** The last four characters. */
  hint: string
  plan: Plan
  /** The key's own limits; null: those of its plan. */
  callsPerMonth: number | null
  callsPerMinute: number | null
  /** Whether an operator gave the key a plan or a limit of its own. */
  isSpecial: boolean
  createdOn: string
  /** The minute of the last call, from the burst counter; null before the first. */
  lastUsedAt: string | null
}

interface NewSecret {
  hash: Buffer
  hint: string
}

/** The live keys of an account, newest first. */
export async function liveKeysOf(sql: Sql, accountId: number): Promise<AccountKey[]> {
  return sql<AccountKey[]>`
    select
      k.id, k.name, k.hint, coalesce(k.plan, a.plan) as plan,
      k.calls_per_month as "callsPerMonth", k.calls_per_minute as "callsPerMinute",
      k.plan is not null or k.calls_per_month is not null or k.calls_per_minute is not null as "isSpecial",
      to_char(k.created_at at time zone 'utc', 'YYYY-MM-DD') as "createdOn",
      to_char(u.started_at at time zone 'utc', 'YYYY-MM-DD HH24:MI') as "lastUsedAt"
    from keys k
    join accounts a on a.id = k.account_id
    left join burst_usage u on u.meter = 'key:' || k.id
    where k.account_id = ${accountId} and k.revoked_at is null
    order by k.created_at desc, k.id`
}

/**
 * Stores a key that follows the plan of its account.
 * @returns false when the account has `most` live keys already.
 */
export async function addKey(
  sql: Sql,
  accountId: number,
  key: NewSecret & { name: string; most: number },
): Promise<boolean> {
  const rows = await sql`
    insert into keys (account_id, plan, name, secret_hash, hint)
    select ${accountId}::bigint, null, ${key.name}, ${key.hash}, ${key.hint}
    where (select count(*) from keys where account_id = ${accountId} and revoked_at is null) < ${key.most}
    returning id`
  return rows.length > 0
}

/**
 * Replaces one of the account's keys by a new one with the same name, plan and limits; the old one is refused from then on.
 * @returns the name of the key; null when the account has no such live key.
 */
export async function replaceKey(
  sql: Sql,
  owned: { accountId: number; id: string },
  secret: NewSecret,
  now: Date | null,
): Promise<string | null> {
  const [row] = await sql<{ name: string }[]>`
    with old as (
      update keys
      set revoked_at = ${clock(sql, now)}
      where id = ${owned.id}::uuid and account_id = ${owned.accountId} and revoked_at is null
      returning account_id, plan, name, calls_per_month, calls_per_minute
    )
    insert into keys (account_id, plan, name, secret_hash, hint, calls_per_month, calls_per_minute)
    select account_id, plan, name, ${secret.hash}, ${secret.hint}, calls_per_month, calls_per_minute
    from old
    returning name`
  return row?.name ?? null
}

/** @returns false when the account has no such live key. */
export async function revokeOwnKey(
  sql: Sql,
  owned: { accountId: number; id: string },
  now: Date | null,
): Promise<boolean> {
  const rows = await sql`
    update keys
    set revoked_at = ${clock(sql, now)}
    where id = ${owned.id}::uuid and account_id = ${owned.accountId} and revoked_at is null
    returning id`
  return rows.length > 0
}
