import type { Sql } from '../../../src/infra/postgres/database.ts'

/** The calls that an owner's account has paid for, in all months. */
export async function callsOf(sql: Sql, owner: string): Promise<number> {
  const [row] = await sql<{ used: number }[]>`
    select coalesce(sum(u.used), 0) as used
    from monthly_usage u
    join accounts a on u.meter = 'account:' || a.id
    where a.owner = ${owner}`
  return row!.used
}

/** Revokes every key of an owner. */
export async function revokeKeysOf(sql: Sql, owner: string): Promise<void> {
  await sql`
    update keys
    set revoked_at = now()
    where account_id = (select id from accounts where owner = ${owner})`
}
