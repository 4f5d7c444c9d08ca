import type { Sql } from '../postgres/database.ts'
import { clock } from '../postgres/dataVersion.ts'

/** The account that is signed in. */
export interface SignedIn {
  accountId: number
  address: string
}

/** The account of a session; null when it is unknown, ended or too old. */
export async function findSession(sql: Sql, hash: Buffer, now: Date | null): Promise<SignedIn | null> {
  const [row] = await sql<SignedIn[]>`
    select a.id as "accountId", a.owner as address
    from sessions s
    join accounts a on a.id = s.account_id
    where s.token_hash = ${hash} and s.expires_at > ${clock(sql, now)}`
  return row ?? null
}

export async function endSession(sql: Sql, hash: Buffer): Promise<void> {
  await sql`delete from sessions where token_hash = ${hash}`
}

/** Ends all sessions of an account, in every browser, and deletes its links that were not used yet. */
export async function endAllSessions(sql: Sql, accountId: number): Promise<void> {
  await sql`
    with links as (
      delete from sign_in_links where address = (select owner from accounts where id = ${accountId})
    )
    delete from sessions where account_id = ${accountId}`
}

/** Deletes what has expired: links, sessions, rate limits, and the ids of events that Stripe will not repeat. */
export async function forgetExpired(sql: Sql, now: Date | null): Promise<void> {
  await sql`
    with links as (
      delete from sign_in_links where expires_at <= ${clock(sql, now)}
    ), expired_attempts as (
      delete from attempts where ends_at <= ${clock(sql, now)}
    ), events as (
      delete from stripe_events where received_at < ${clock(sql, now)} - interval '90 days'
    )
    delete from sessions where expires_at <= ${clock(sql, now)}`
}
