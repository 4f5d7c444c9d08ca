import type { Plan } from '../../contract/plans.ts'
import type { Entitlement } from '../../domain/accounts/subscription.ts'
import type { Sql } from '../postgres/database.ts'
import { clock } from '../postgres/dataVersion.ts'

/** The plan of an account and its subscription. */
export interface AccountPlan {
  plan: Plan
  customer: string | null
  /** In Stripe's words; null without a subscription. */
  status: string | null
  /** The day on which the subscription, or the plan that an operator set, is set to end; null while it does not. */
  endsOn: string | null
  /** Whether an operator set the plan. */
  isSet: boolean
}

export async function readPlan(sql: Sql, accountId: number): Promise<AccountPlan> {
  const [row] = await sql<AccountPlan[]>`
    select
      plan, stripe_customer as customer, subscription_status as status,
      to_char(coalesce(plan_until, subscription_ends_at) at time zone 'utc', 'YYYY-MM-DD') as "endsOn",
      plan_set_by is not null as "isSet"
    from accounts
    where id = ${accountId}`
  if (!row) throw new Error(`There is no account ${accountId}.`)
  return row
}

/** Stores the account's customer at Stripe, unless it has one. @returns the customer that it has now. */
export async function storeCustomer(sql: Sql, accountId: number, customer: string): Promise<string> {
  const [row] = await sql<{ customer: string }[]>`
    update accounts
    set stripe_customer = coalesce(stripe_customer, ${customer})
    where id = ${accountId}
    returning stripe_customer as customer`
  if (!row) throw new Error(`There is no account ${accountId}.`)
  return row.customer
}

/** Whether an event was applied already, and whether its customer has an account here. */
export async function findEvent(
  sql: Sql,
  eventId: string,
  customer: string,
): Promise<{ isKnown: boolean; hasAccount: boolean }> {
  const [row] = await sql<{ isKnown: boolean; hasAccount: boolean }[]>`
    select
      exists (select from stripe_events where id = ${eventId}) as "isKnown",
      exists (select from accounts where stripe_customer = ${customer}) as "hasAccount"`
  return row ?? { isKnown: false, hasAccount: false }
}

/** Numbers a request to Stripe, before it begins. */
export async function nextLook(sql: Sql): Promise<number> {
  const [row] = await sql<{ look: number }[]>`select nextval('subscription_looks') as look`
  return row?.look ?? 0
}

/**
 * Stores what Stripe reported in the account of the customer, unless a later request already did, and marks the event as applied:
 * in one statement, so that an event that failed midway is applied when Stripe repeats it. The account's keys follow from the
 * next call on. A plan that an operator set stays unless there is a subscription, which replaces it.
 * @param seen null when the customer is deleted at Stripe: then the account loses its customer and is on Free.
 */
export async function applyLook(
  sql: Sql,
  event: { id: string; customer: string; look: number },
  seen: Entitlement | null,
  now: Date | null,
): Promise<void> {
  await sql`
    with event as (
      insert into stripe_events (id, received_at)
      values (${event.id}, ${clock(sql, now)})
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
