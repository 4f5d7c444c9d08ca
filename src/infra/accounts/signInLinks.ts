import { LINK_MINUTES, SESSION_DAYS } from '../../domain/accounts/limits.ts'
import type { Sql } from '../postgres/database.ts'
import { clock } from '../postgres/dataVersion.ts'

/** Stores a link for 15 minutes, by the hash of its token. */
export async function storeLink(
  sql: Sql,
  link: { hash: Buffer; address: string; nextPath: string },
  now: Date | null,
): Promise<void> {
  await sql`
    insert into sign_in_links (token_hash, address, next_path, expires_at)
    values (
      ${link.hash}, ${link.address}, ${link.nextPath},
      ${clock(sql, now)} + make_interval(mins => ${LINK_MINUTES})
    )`
}

/** The address that a link signs in; null when the link is unknown, used or too old. Reading does not use it up. */
export async function addressOfLink(sql: Sql, hash: Buffer, now: Date | null): Promise<string | null> {
  const [row] = await sql<{ address: string }[]>`
    select address
    from sign_in_links
    where token_hash = ${hash} and expires_at > ${clock(sql, now)}`
  return row?.address ?? null
}

/**
 * Uses a link up in one statement: of two concurrent calls only one signs in. Creates the account when its address signs in for
 * the first time; deletes the other links to the address and the earlier session of the browser.
 * @returns the path to continue to; null when the link is unknown, used or too old.
 */
export async function useLink(
  sql: Sql,
  hashes: { link: Buffer; session: Buffer; earlierSession: Buffer | null },
  browser: string,
  now: Date | null,
): Promise<string | null> {
  const [row] = await sql<{ next_path: string }[]>`
    with used as (
      delete from sign_in_links
      where token_hash = ${hashes.link} and expires_at > ${clock(sql, now)}
      returning address, next_path
    ), others as (
      delete from sign_in_links l
      using used
      where l.address = used.address and l.token_hash <> ${hashes.link}
    ), account as (
      insert into accounts (owner)
      select address from used
      on conflict (owner) do update set owner = excluded.owner
      returning id
    ), earlier as (
      delete from sessions
      where token_hash = ${hashes.earlierSession} and exists (select from used)
    ), begun as (
      insert into sessions (token_hash, account_id, browser, created_at, expires_at)
      select
        ${hashes.session}, id, ${browser}, ${clock(sql, now)},
        ${clock(sql, now)} + make_interval(hours => ${SESSION_DAYS * 24})
      from account
    )
    select next_path from used`
  return row?.next_path ?? null
}
