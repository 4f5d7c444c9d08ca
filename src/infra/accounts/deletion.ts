import type { Sql } from '../postgres/database.ts'
import { clock } from '../postgres/dataVersion.ts'

/**
 * Deletes all that names the owner of an account, in one statement. The account stays as a number, for its counts of calls, and its keys
 * stay as revoked ones without a name.
 */
export async function forgetAccount(sql: Sql, accountId: number, now: Date | null): Promise<void> {
  await sql`
    with known as materialized (
      select owner from accounts where id = ${accountId}
    ), revoked as (
      update keys
      set name = '', shown_until = null, revoked_at = least(revoked_at, ${clock(sql, now)})
      where account_id = ${accountId}
    ), ended as (
      delete from sessions where account_id = ${accountId}
    ), links as (
      delete from sign_in_links where address = (select owner from known)
    ), changes as (
      delete from address_changes where account_id = ${accountId}
    ), mails as (
      delete from demo_mails where recipient = (select owner from known)
    ), messages as (
      delete from alert_deliveries where account_id = ${accountId}
    ), searches as (
      delete from saved_searches where account_id = ${accountId}
    ), endpoints as (
      delete from alert_endpoints where account_id = ${accountId}
    ), quota as (
      delete from quota_mails where account_id = ${accountId}
    )
    update accounts
    set
      owner = null, plan = 'free', plan_set_by = null, plan_set_at = null, plan_until = null,
      stripe_customer = null, subscription_status = null, subscription_ends_at = null
    where id = ${accountId}`
}
