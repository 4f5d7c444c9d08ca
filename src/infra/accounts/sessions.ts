import type { Buyer } from '../../domain/appraisal/buyerCosts.ts'
import { firstRow, type SqlContext } from '../postgres/sql.ts'

/** The account that is signed in. */
export interface SignedIn {
  accountId: number
  emailAddress: string
  /** What buying costs it; null while nothing is saved. */
  costs: Buyer | null
}

/** The account of a session; null when it is unknown, ended or too old. */
export async function findSession(
  { sql, now }: SqlContext,
  hash: Buffer,
): Promise<SignedIn | null> {
  return firstRow(sql<SignedIn[]>`
    select a.id as "accountId", a.owner as "emailAddress", a.costs
    from sessions s
    join accounts a on a.id = s.account_id
    where s.token_hash = ${hash} and s.expires_at > ${now}`)
}

/** A session on the page that lists them. */
export interface OpenSession {
  id: number
  /** "Firefox on Linux"; empty when it is not known. */
  browser: string
  startedAt: string
  endsAt: string
  isHere: boolean
}

/**
 * The sessions of an account, the latest first.
 * @param here the hash of the token of this one.
 */
export async function sessionsOf(
  { sql, now }: SqlContext,
  accountId: number,
  here: Buffer,
): Promise<OpenSession[]> {
  return sql<OpenSession[]>`
    select
      id, browser, token_hash = ${here} as "isHere",
      rfc3339(created_at) as "startedAt", rfc3339(expires_at) as "endsAt"
    from sessions
    where account_id = ${accountId} and expires_at > ${now}
    order by created_at desc, id desc`
}

/**
 * Ends a session of an account; one that is not there, or another account's, is
 * left alone.
 */
export async function endOwnSession(
  { sql }: SqlContext,
  owned: { accountId: number; id: number },
): Promise<void> {
  await sql`delete from sessions where id = ${owned.id} and account_id = ${owned.accountId}`
}

export async function endSession(
  { sql }: SqlContext,
  hash: Buffer,
): Promise<void> {
  await sql`delete from sessions where token_hash = ${hash}`
}

/**
 * Ends all sessions of an account, in every browser, and deletes its links that
 * were not used yet and its pending change of address.
 */
export async function endAllSessions(
  { sql }: SqlContext,
  accountId: number,
): Promise<void> {
  await sql`
    with links as (
      delete from sign_in_links where address = (select owner from accounts where id = ${accountId})
    ), changes as (
      delete from address_changes where account_id = ${accountId}
    )
    delete from sessions where account_id = ${accountId}`
}

/**
 * Deletes what has expired: links, sessions, rate limits, codes of agents, and
 * the ids of events that Stripe will not repeat.
 */
export async function forgetExpired({ sql, now }: SqlContext): Promise<void> {
  await sql`
    with links as (
      delete from sign_in_links where expires_at <= ${now}
    ), changes as (
      delete from address_changes where expires_at <= ${now}
    ), expired_attempts as (
      delete from attempts where ends_at <= ${now}
    ), codes as (
      delete from agent_grants where expires_at < ${now} - interval '1 day'
    ), events as (
      delete from stripe_events where received_at < ${now} - interval '90 days'
    )
    delete from sessions where expires_at <= ${now}`
}
