import type { Plan } from '../../contract/plans.ts'
import { SHOWN_MINUTES } from '../../domain/accounts/limits.ts'
import { worksAt } from '../metering/keys.ts'
import { firstRow, type SqlContext } from '../postgres/sql.ts'

/** A key as its owner sees it. */
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
  createdAt: string
  /**
   * The start of the minute of the last call, from the burst counter; null
   * before the first.
   */
  lastUsedAt: string | null
  /** The moment from which the key is refused; null: none is set. */
  endsAt: string | null
  isLive: boolean
  /** Whether it is the token of an agent that signed in. */
  isAgent: boolean
}

interface NewSecret {
  id: string
  hash: Buffer
  hint: string
}

/**
 * A key of an account; every statement names both, so that no account reaches
 * another's.
 */
interface OwnedKey {
  accountId: number
  id: string
}

/**
 * The keys of an account, newest first: all that work, and those that were
 * revoked.
 */
export async function keysOf(
  { sql, now }: SqlContext,
  accountId: number,
): Promise<AccountKey[]> {
  return sql<AccountKey[]>`
    select
      k.id, k.name, k.hint, coalesce(k.plan, a.plan) as plan,
      k.calls_per_month as "callsPerMonth", k.calls_per_minute as "callsPerMinute",
      k.plan is not null or k.calls_per_month is not null or k.calls_per_minute is not null as "isSpecial",
      rfc3339(k.created_at) as "createdAt", rfc3339(u.started_at) as "lastUsedAt", rfc3339(k.revoked_at) as "endsAt",
      ${worksAt(now)} as "isLive", k.agent_client is not null as "isAgent"
    from keys k
    join accounts a on a.id = k.account_id
    left join burst_usage u on u.meter = 'key:' || k.id
    where k.account_id = ${accountId}
    order by k.created_at desc, k.id`
}

/**
 * Stores a key that follows the plan of its account.
 * @returns false when the account has `most` keys that have no end.
 */
export async function addKey(
  { sql, now }: SqlContext,
  accountId: number,
  key: NewSecret & { name: string; most: number },
): Promise<boolean> {
  const { count } = await sql`
    insert into keys (id, account_id, plan, name, secret_hash, hint, shown_until)
    select
      ${key.id}::uuid, ${accountId}::bigint, null, ${key.name}, ${key.hash}, ${key.hint},
      ${now} + make_interval(mins => ${SHOWN_MINUTES})
    where (select count(*) from keys where account_id = ${accountId} and revoked_at is null) < ${key.most}`
  return count > 0
}

/**
 * Replaces one of the account's keys by a new one with the same name, plan and
 * limits.
 * @param hours how long the old key still works.
 * @returns false when the account has no such live key, or it was rotated
 * before.
 */
export async function replaceKey(
  { sql, now }: SqlContext,
  owned: OwnedKey,
  { secret, hours }: { secret: NewSecret; hours: number },
): Promise<boolean> {
  const { count } = await sql`
    with old as (
      update keys
      set is_revoked = ${hours === 0}, revoked_at = ${now} + make_interval(hours => ${hours})
      where id = ${owned.id}::uuid and account_id = ${owned.accountId} and revoked_at is null
      returning account_id, plan, name, calls_per_month, calls_per_minute
    )
    insert into keys (id, account_id, plan, name, secret_hash, hint, calls_per_month, calls_per_minute, shown_until)
    select
      ${secret.id}::uuid, account_id, plan, name, ${secret.hash}, ${secret.hint}, calls_per_month, calls_per_minute,
      ${now} + make_interval(mins => ${SHOWN_MINUTES})
    from old`
  return count > 0
}

/** A key that was just made, before it was shown. */
export interface NewKey {
  name: string
  hash: Buffer
}

/**
 * The name and hash of a key that may still be shown; null when it may not, or
 * the account has no such live key.
 */
export async function readNewKey(
  { sql, now }: SqlContext,
  owned: OwnedKey,
): Promise<NewKey | null> {
  return firstRow(sql<NewKey[]>`
    select name, secret_hash as hash
    from keys
    where id = ${owned.id}::uuid and account_id = ${owned.accountId} and revoked_at is null
    and shown_until > ${now}`)
}

/**
 * Revokes a key from now on, also one that still worked after a rotation.
 * @returns false when the account has no such live key.
 */
export async function revokeOwnKey(
  { sql, now }: SqlContext,
  owned: OwnedKey,
): Promise<boolean> {
  const { count } = await sql`
    update keys
    set is_revoked = true, revoked_at = ${now}
    where id = ${owned.id}::uuid and account_id = ${owned.accountId}
    and ${worksAt(now)}`
  return count > 0
}
