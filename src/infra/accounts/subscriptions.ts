import type { Plan } from '../../contract/plans.ts'
import type { Entitlement } from '../../domain/accounts/subscription.ts'
import { worksAt } from '../metering/keys.ts'
import { DATABASE_NOW } from '../postgres/clock.ts'
import {
  firstRow,
  firstValue,
  onlyRow,
  type Sql,
  type SqlContext,
} from '../postgres/sql.ts'

/** The plan of an account and its subscription. */
export interface AccountPlan {
  plan: Plan
  customer: string | null
  /** In Stripe's words; null without a subscription. */
  status: string | null
  /**
   * The day on which the subscription, or the plan that an operator set, is set
   * to end; null while it does not.
   */
  endsOn: string | null
  /** Whether an operator set the plan. */
  isSet: boolean
}

export async function readPlan(
  { sql }: SqlContext,
  accountId: number,
): Promise<AccountPlan> {
  return onlyRow(sql`
    select
      plan, stripe_customer as customer, subscription_status as status,
      to_char(coalesce(plan_until, subscription_ends_at) at time zone 'utc', 'YYYY-MM-DD') as "endsOn",
      plan_set_by is not null as "isSet"
    from accounts
    where id = ${accountId}`)
}

/**
 * Stores the account's customer at Stripe, unless it has one.
 * @returns the customer that it has now.
 */
export async function storeCustomer(
  { sql }: SqlContext,
  accountId: number,
  customer: string,
): Promise<string> {
  const stored = await firstValue<string>(sql`
    update accounts
    set stripe_customer = coalesce(stripe_customer, ${customer})
    where id = ${accountId}
    returning stripe_customer`)
  return stored!
}

/** What is known of an event of Stripe. */
export interface KnownEvent {
  isKnown: boolean
  hasAccount: boolean
  look: number
}

/**
 * Whether an event was applied already, and whether its customer has an account
 * here. `look` numbers the request to Stripe that follows.
 */
export async function findEvent(
  { sql }: SqlContext,
  eventId: string,
  customer: string,
): Promise<KnownEvent> {
  return onlyRow(sql<[KnownEvent]>`
    select
      exists (select from stripe_events where id = ${eventId}) as "isKnown",
      exists (select from accounts where stripe_customer = ${customer}) as "hasAccount",
      nextval('subscription_looks') as look`)
}

/**
 * Stores what Stripe reported in the account of the customer, unless a later
 * request already did, and marks the event as applied: in one statement, so
 * that an event that failed midway is applied when Stripe repeats it. The
 * account's keys follow from the next call on. A plan that an operator set
 * stays unless there is a subscription, which replaces it.
 * @param seen null when the customer is deleted at Stripe: then the account
 * loses its customer and is on Free.
 */
export async function applyLook(
  { sql, now }: SqlContext,
  event: { id: string; customer: string; look: number },
  seen: Entitlement | null,
): Promise<void> {
  await sql`
    with event as (
      insert into stripe_events (id, received_at)
      values (${event.id}, ${now})
      on conflict do nothing
    )
    update accounts
    set
      plan = case when plan_set_by is not null and ${!seen?.status} then plan else ${seen?.plan ?? 'free'} end,
      plan_set_by = case when ${!seen?.status} then plan_set_by end,
      plan_set_at = case when ${!seen?.status} then plan_set_at end,
      plan_until = case when ${!seen?.status} then plan_until end,
      stripe_customer = ${seen ? event.customer : null},
      subscription_status = ${seen?.status ?? null},
      subscription_ends_at = ${seen?.endsAt?.toISOString() ?? null}::timestamptz,
      subscription_look = ${event.look}
    where stripe_customer = ${event.customer} and subscription_look < ${event.look}`
}

/** An account as an operator sees it. */
type ListedAccount = {
  /**
   * The address that signs in, or the name that an operator gave; null for the
   * account of a key without an owner.
   */
  owner: string | null
  plan: Plan
  /** Null for a plan from Stripe and for Free. */
  set_by: string | null
  until: string | null
  subscription: string | null
  live_keys: number
  /** Calls of the shared month (UTC). */
  used_this_month: number
  created_at: string
}

/**
 * All accounts, those with the most calls of the month first, then the newest.
 */
export async function listAccounts(sql: Sql): Promise<ListedAccount[]> {
  return sql<ListedAccount[]>`
    select
      a.owner, a.plan, a.plan_set_by as set_by, rfc3339(a.plan_until) as until, a.subscription_status as subscription,
      (select count(*) from keys where account_id = a.id and ${worksAt(DATABASE_NOW)}) as live_keys,
      coalesce(u.used, 0) as used_this_month, rfc3339(a.created_at) as created_at
    from accounts a
    left join monthly_usage u
      on u.meter = 'account:' || a.id and u.month = date_trunc('month', now() at time zone 'utc')::date
    order by used_this_month desc, a.created_at desc, a.id desc`
}

/**
 * Sets the plan of an account that has no subscription at Stripe. Its keys
 * follow from the next call on.
 * @param until when the account returns to Free; null: it does not by itself.
 * @returns the status of the subscription that decides instead, or null; `none`
 * without such an account.
 */
export async function setPlan(
  sql: Sql,
  owner: string,
  { plan, by, until }: { plan: Plan; by: string; until: Date | null },
): Promise<'none' | { subscription: string | null }> {
  const isFree = plan === 'free'
  const { count } = await sql`
    update accounts
    set
      plan = ${plan}, plan_until = ${until?.toISOString() ?? null}::timestamptz,
      plan_set_by = ${isFree ? null : by}, plan_set_at = ${isFree ? null : sql`now()`}
    where owner = ${owner} and subscription_status is null`
  if (count > 0) return { subscription: null }
  const held = await firstRow(sql<{ subscription: string | null }[]>`
    select subscription_status as subscription from accounts where owner = ${owner}`)
  return held ?? 'none'
}

/**
 * Returns the accounts to Free whose plan was set until a moment that has
 * passed. A periodic job.
 */
export async function endOperatorPlans({
  sql,
  now,
}: SqlContext): Promise<void> {
  await sql`
    update accounts
    set plan = 'free', plan_until = null, plan_set_by = null, plan_set_at = null
    where plan_until <= ${now}`
}
