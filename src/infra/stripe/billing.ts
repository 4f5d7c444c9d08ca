import type { SoldPlan, Subscription } from '../../domain/accounts/subscription.ts'

export interface StripeSettings {
  secretKey: string
  webhookSecret: string
  prices: Record<SoldPlan, string>
  /** Null: Stripe itself; otherwise a stand-in. */
  apiUrl: string | null
}

/** What Stripe says has happened; the customer it is about, where it is about one. */
export interface BillingEvent {
  id: string
  type: string
  customer: string | null
}

/** The payments of the service. Every call throws ApiError 503 while Stripe cannot be reached. */
export interface Billing {
  prices: Record<SoldPlan, string>
  /** Where a form of ours may lead to: the pages of Stripe. */
  pageOrigins: string[]
  /** @param attempt names the try: repeated, it makes no second customer. */
  createCustomer(account: { id: number; address: string }, attempt: string): Promise<string>
  /** @returns the address of a page at Stripe where the plan is paid for. */
  openCheckout(order: Order, attempt: string): Promise<string>
  /** @returns the address of a page at Stripe where a customer changes plan, card and subscription. */
  openPortal(customer: string, returnUrl: string): Promise<string>
  /** The subscriptions of a customer that are not over, as they are now. */
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
