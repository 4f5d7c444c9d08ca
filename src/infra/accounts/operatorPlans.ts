import type { Plan } from '../../contract/plans.ts'
import type { Sql } from '../postgres/database.ts'
import { clock } from '../postgres/dataVersion.ts'

/** An account as an operator sees it. */
export interface AccountRecord {
  /** The address that signs in, or the name that an operator gave; null for the account of a key without an owner. */
  owner: string | null
  plan: Plan
  /** The operator who set the plan; null for a plan from Stripe and for Free. */
  set_by: string | null
  /** When a plan that an operator set ends. */
  until: string | null
  /** The subscription, in Stripe's words; null without one. */
  subscription: string | null
  live_keys: number
  used_this_month: number
  created_at: string
}

/** All accounts, newest first, with the calls of their shared month (UTC). */
export async function listAccounts(sql: Sql): Promise<AccountRecord[]> {
  return sql<AccountRecord[]>`
    select
      a.owner, a.plan, a.plan_set_by as set_by, rfc3339(a.plan_until) as until, a.subscription_status as subscription,
      (select count(*) from keys k where k.account_id = a.id and (k.revoked_at is null or k.revoked_at > now())) as live_keys,
      coalesce(u.used, 0) as used_this_month, rfc3339(a.created_at) as created_at
    from accounts a
    left join monthly_usage u
      on u.meter = 'account:' || a.id and u.month = date_trunc('month', now() at time zone 'utc')::date
    order by a.created_at desc, a.id desc`
}

/**
 * Sets the plan of an account that has no subscription at Stripe. Its keys follow from the next call on.
 * @param until when the account returns to Free; null: it does not by itself.
 * @returns the status of the subscription that decides instead, or null; `none` without such an account.
 */
export async function setPlan(
  sql: Sql,
  owner: string,
  { plan, by, until }: { plan: Plan; by: string; until: Date | null },
): Promise<{ subscription: string | null } | 'none'> {
  const isFree = plan === 'free'
  const set = await sql`
    update accounts
    set
      plan = ${plan}, plan_until = ${until?.toISOString() ?? null}::timestamptz,
      plan_set_by = ${isFree ? null : by}, plan_set_at = ${isFree ? null : sql`now()`}
    where owner = ${owner} and subscription_status is null
    returning id`
  if (set.length > 0) return { subscription: null }
  const [held] = await sql<{ subscription: string | null }[]>`
    select subscription_status as subscription from accounts where owner = ${owner}`
  return held ?? 'none'
}

/** Returns the accounts to Free whose plan was set until a moment that has passed. A periodic job. */
export async function endOperatorPlans(sql: Sql, now: Date | null): Promise<void> {
  await sql`
    update accounts
    set plan = 'free', plan_until = null, plan_set_by = null, plan_set_at = null
    where plan_until <= ${clock(sql, now)}`
}
