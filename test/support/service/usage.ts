import { hashKey } from '../../../src/domain/apiKey.ts'
import type { Sql } from '../../../src/infra/postgres/database.ts'
import { PEPPER } from './testSettings.ts'

/**
 * What the counters say of a key: calls of its account's latest month, and of the key's minute;
 * null before the first call.
 */
export interface Usage {
  month: number | null
  burst: number | null
}

/** Reads the counters of a key from the tables. */
export async function usageOf(sql: Sql, key: string): Promise<Usage> {
  const [usage] = await sql<Usage[]>`
    select
      (select used from monthly_usage where meter = 'account:' || k.account_id order by month desc limit 1) as month,
      (select used from burst_usage where meter = 'key:' || k.id) as burst
    from keys k
    where k.secret_hash = ${hashKey(PEPPER, key)}`
  return usage ?? { month: null, burst: null }
}

/** The calls that an owner's account has paid for, in all months. */
export async function callsOf(sql: Sql, owner: string): Promise<number> {
  const [row] = await sql<{ used: number }[]>`
    select coalesce(sum(u.used), 0) as used
    from monthly_usage u
    join accounts a on u.meter = 'account:' || a.id
    where a.owner = ${owner}`
  return row!.used
}

/** Revokes every key of an owner, whatever moment the service lives in. */
export async function revokeKeysOf(sql: Sql, owner: string): Promise<void> {
  await sql`
    update keys
    set revoked_at = 'epoch'
    where account_id = (select id from accounts where owner = ${owner})`
}
