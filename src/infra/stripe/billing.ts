import type { SoldPlan, Subscription } from '../../domain/accounts/subscription.ts'

export interface StripeSettings {
  secretKey: string
  webhookSecret: string
  prices: Record<SoldPlan, string>
  /** Null: Stripe itself; otherwise the address of a stand-in. */
  apiUrl: string | null
}

/** An event from Stripe; `customer` is null when the event is not about one. */
export interface BillingEvent {
  id: string
  type: string
  customer: string | null
}

/** Payments. Every call throws ApiError 503 while Stripe cannot be reached. */
export interface Billing {
  prices: Record<SoldPlan, string>
  /** The origins of Stripe's pages, which our forms may lead to. */
  pageOrigins: string[]
  /** @param attempt an idempotency key: repeated, it creates no second customer. */
  createCustomer(account: { id: number; address: string }, attempt: string): Promise<string>
  /** @returns the address of a page at Stripe where the plan is paid for. */
  openCheckout(order: Order, attempt: string): Promise<string>
  /** @returns the address of a page at Stripe where a customer changes plan, card and subscription. */
  openPortal(customer: string, returnUrl: string): Promise<string>
  /** The current subscriptions of a customer, without ended ones. */
  subscriptionsOf(customer: string): Promise<Subscription[]>
  /** @throws ApiError 400 when the signature is not Stripe's, or older than five minutes. */
  readEvent(body: Buffer, signature: string): BillingEvent
}

export interface Order {
  accountId: number
  customer: string
  plan: SoldPlan
  successUrl: string
  cancelUrl: string
}
