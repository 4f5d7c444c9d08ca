import { hasCode } from '../../contract/errors.ts'
import {
  CHANGE_MINUTES,
  LINK_MINUTES,
  SESSION_DAYS,
} from '../../domain/accounts/limits.ts'
import { firstRow, firstValue, type SqlContext } from '../postgres/sql.ts'

/** Stores a link for 15 minutes, by the hash of its token. */
export async function storeLink(
  { sql, now }: SqlContext,
  link: { hash: Buffer; address: string; nextPath: string },
): Promise<void> {
  await sql`
    insert into sign_in_links (token_hash, address, next_path, expires_at)
    values (${link.hash}, ${link.address}, ${link.nextPath}, ${now} + make_interval(mins => ${LINK_MINUTES}))`
}

/**
 * The address that a link signs in; null when the link is unknown, used or too
 * old. Reading does not use it up.
 */
export async function addressOfLink(
  { sql, now }: SqlContext,
  hash: Buffer,
): Promise<string | null> {
  return firstValue<string>(sql`
    select address
    from sign_in_links
    where token_hash = ${hash} and expires_at > ${now}`)
}

/**
 * Uses a link up in one statement: of two concurrent calls only one signs in.
 * Creates the account when its address signs in for the first time; deletes the
 * other links to the address and the earlier session of the browser.
 * @param from its name as people read it, and its time zone, which the account
 * gets where it has none; empty, or unknown to PostgreSQL: none.
 * @returns the path to continue to; null when the link is unknown, used or too
 * old.
 */
export async function useLink(
  { sql, now }: SqlContext,
  hashes: { link: Buffer; session: Buffer; earlierSession: Buffer | null },
  { browser, timeZone }: { browser: string; timeZone: string },
): Promise<string | null> {
  return firstValue<string>(sql`
    with used as (
      delete from sign_in_links
      where token_hash = ${hashes.link} and expires_at > ${now}
      returning address, next_path
    ), others as (
      delete from sign_in_links l
      using used
      where l.address = used.address and l.token_hash <> ${hashes.link}
    ), account as (
      insert into accounts as a (owner, time_zone, is_time_zone_known)
      select address, coalesce(z.name, 'America/New_York'), z.name is not null
      from used
      left join pg_timezone_names z on z.name = ${timeZone}
      on conflict (owner) do update set
        time_zone = case
          when excluded.is_time_zone_known and not a.is_time_zone_known then excluded.time_zone
          else a.time_zone
        end,
        is_time_zone_known = a.is_time_zone_known or excluded.is_time_zone_known
      returning id
    ), earlier as (
      delete from sessions
      where token_hash = ${hashes.earlierSession} and exists (select from used)
    ), begun as (
      insert into sessions (token_hash, account_id, browser, created_at, expires_at)
      select
        ${hashes.session}, id, ${browser}, ${now},
        ${now} + make_interval(hours => ${SESSION_DAYS * 24})
      from account
    )
    select next_path from used`)
}

/** The code of PostgreSQL for a value that must be unique and is not. */
const UNIQUE_VIOLATION = '23505'

/**
 * Stores the change of an account to another address for an hour, with the
 * hashes of the links to the old one and to the new one; it replaces an earlier
 * one.
 */
export async function storeChange(
  { sql, now }: SqlContext,
  accountId: number,
  change: { address: string; oldHash: Buffer; newHash: Buffer },
): Promise<void> {
  await sql`
    insert into address_changes (account_id, new_address, old_hash, new_hash, expires_at)
    values (
      ${accountId}, ${change.address}, ${change.oldHash}, ${change.newHash},
      ${now} + make_interval(mins => ${CHANGE_MINUTES})
    )
    on conflict (account_id) do update set
      new_address = excluded.new_address, old_hash = excluded.old_hash, new_hash = excluded.new_hash,
      expires_at = excluded.expires_at`
}

/** What a link to confirm a change led to. */
export type ChangeOutcome = 'none' | 'waiting' | 'changed' | 'taken'

/** A change of an account's address that waits for its links. */
export interface AddressChange {
  from: string
  to: string
}

/**
 * The addresses of the change that a link confirms; null when the link is
 * unknown, used or too old.
 */
export async function findChange(
  { sql, now }: SqlContext,
  hash: Buffer,
): Promise<AddressChange | null> {
  return firstRow(sql<AddressChange[]>`
    select a.owner as "from", c.new_address as "to"
    from address_changes c
    join accounts a on a.id = c.account_id
    where ${hash} in (c.old_hash, c.new_hash) and c.expires_at > ${now}`)
}

/**
 * Confirms one side of a change. With the second side the account has its new
 * address, and links to sign in with the old one end.
 * @returns 'changed', or 'waiting' for the second side; 'none' when the link is
 * unknown, used or too old; 'taken' when another account has the address by
 * now.
 */
export async function confirmSide(
  { sql, now }: SqlContext,
  hash: Buffer,
): Promise<ChangeOutcome> {
  try {
    const isComplete = await firstValue<boolean>(sql`
      with confirmed as (
        update address_changes
        set old_hash = nullif(old_hash, ${hash}), new_hash = nullif(new_hash, ${hash})
        where ${hash} in (old_hash, new_hash) and expires_at > ${now}
        returning account_id, new_address, old_hash is null and new_hash is null as is_complete
      ), links as (
        delete from sign_in_links l
        using confirmed c, accounts a
        where c.is_complete and a.id = c.account_id and l.address = a.owner
      ), changed as (
        update accounts a
        set owner = c.new_address
        from confirmed c
        where a.id = c.account_id and c.is_complete
      )
      select is_complete from confirmed`)
    if (isComplete === null) return 'none'
    return isComplete ? 'changed' : 'waiting'
  } catch (error) {
    if (hasCode(error, UNIQUE_VIOLATION)) return 'taken'
    throw error
  }
}
