import type { Stripe } from 'stripe'
import { invalidRequest, unavailable } from '../../contract/errors.ts'
import type {
  SoldPlan,
  Subscription,
} from '../../domain/accounts/subscription.ts'

const TIMEOUT_MS = 8_000
const RETRIES = 2
/** How old a signature may be. */
const TOLERANCE_SECONDS = 300
const RETRY_AFTER_SECONDS = 10
const MOST_SUBSCRIPTIONS = 100

const PAGE_ORIGINS = [
  'https://checkout.stripe.com',
  'https://billing.stripe.com',
]

export interface StripeSettings {
  secretKey: string
  webhookSecret: string
  prices: Record<SoldPlan, string>
  /** Null: Stripe itself; otherwise the address of a stand-in. */
  apiUrl: string | null
}

interface Order {
  accountId: number
  customer: string
  plan: SoldPlan
  /** The page to come back to. Its query says whether the customer paid. */
  returnUrl: string
}

export interface Billing {
  prices: Record<'pro' | 'pro_plus', string>
  /** The origins of Stripe's pages, which our forms may lead to. */
  pageOrigins: string[]
  createCustomer: (
    account: { id: number; address: string },
    attempt: string,
  ) => Promise<string>
  openCheckout: (order: Order, attempt: string) => Promise<string>
  openPortal: (customer: string, returnUrl: string) => Promise<string>
  /** The current subscriptions of a customer, without ended ones. */
  subscriptionsOf: (customer: string) => Promise<Subscription[]>
  /**
   * The library compares in constant time, over the received bytes. `customer`
   * is null when the event is not about one.
   */
  readEvent: (
    body: Buffer,
    signature: string,
  ) => { id: string; type: Stripe.Event['type']; customer: string | null }
}

/**
 * Payments through Stripe's own library, which is loaded only here because it
 * takes 90 ms and 20 MB. Every call throws ApiError 503 while Stripe cannot be
 * reached.
 */
export async function createStripeBilling({
  secretKey,
  webhookSecret,
  prices,
  apiUrl,
}: StripeSettings): Promise<Billing> {
  const library = await import('stripe')
  const stripe = new library.Stripe(secretKey, {
    ...addressOf(apiUrl),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
  })
  return {
    prices,

    pageOrigins: apiUrl ? [new URL(apiUrl).origin] : PAGE_ORIGINS,

    createCustomer(account: { id: number; address: string }, attempt: string) {
      return requestStripe(async () => {
        const details = {
          email: account.address,
          metadata: { account_id: String(account.id) },
        }
        return (
          await stripe.customers.create(details, {
            idempotencyKey: `customer-${attempt}`,
          })
        ).id
      })
    },

    openCheckout(order: Order, attempt: string) {
      return requestStripe(async () => {
        const once = { idempotencyKey: `checkout-${attempt}` }
        const session = await stripe.checkout.sessions.create(
          checkoutOf(order, prices[order.plan]),
          once,
        )
        if (!session.url)
          throw new Error('Stripe made a checkout without an address.')
        return session.url
      })
    },

    openPortal(customer: string, returnUrl: string) {
      return requestStripe(
        async () =>
          (
            await stripe.billingPortal.sessions.create({
              customer,
              return_url: returnUrl,
            })
          ).url,
      )
    },

    subscriptionsOf(customer: string) {
      return requestStripe(async () => {
        const { data } = await stripe.subscriptions.list({
          customer,
          limit: MOST_SUBSCRIPTIONS,
        })
        return data.map(asSubscription)
      })
    },

    readEvent(body: Buffer, signature: string) {
      try {
        const event = stripe.webhooks.constructEvent(
          body,
          signature,
          webhookSecret,
          TOLERANCE_SECONDS,
        )
        return {
          id: event.id,
          type: event.type,
          customer: customerOf(event.data.object),
        }
      } catch {
        throw invalidRequest(
          'The Stripe-Signature does not match this body, or is too old.',
        )
      }
    },
  }
}

function addressOf(apiUrl: string | null): Stripe.StripeConfig {
  if (!apiUrl) return {}
  const { hostname, port, protocol } = new URL(apiUrl)
  const scheme = protocol === 'http:' ? 'http' : 'https'
  return {
    host: hostname,
    port: port || (scheme === 'http' ? 80 : 443),
    protocol: scheme,
  }
}

function checkoutOf(
  order: Order,
  price: string,
): Stripe.Checkout.SessionCreateParams {
  const metadata = { account_id: String(order.accountId), plan: order.plan }
  return {
    mode: 'subscription',
    customer: order.customer,
    client_reference_id: String(order.accountId),
    line_items: [{ price, quantity: 1 }],
    subscription_data: { metadata },
    success_url: `${order.returnUrl}?checkout=done`,
    cancel_url: `${order.returnUrl}?checkout=left`,
  }
}

function asSubscription({
  status,
  items,
  cancel_at,
}: Stripe.Subscription): Subscription {
  return {
    status,
    priceIds: items.data.map(({ price }) => price.id),
    endsAt: cancel_at === null ? null : new Date(cancel_at * 1000),
  }
}

/**
 * The customer is an id in the object, or an object with one, or the object
 * itself.
 */
function customerOf(about: {
  object?: unknown
  id?: unknown
  customer?: unknown
}) {
  const customer = about.object === 'customer' ? about : about.customer
  if (typeof customer === 'string') return customer
  return typeof customer === 'object' && customer && 'id' in customer
    ? String(customer.id)
    : null
}

/**
 * Maps Stripe being away or busy to 503. Any other error is a fault of ours or
 * of the settings, and goes only to the log.
 */
async function requestStripe<T>(work: () => Promise<T>) {
  try {
    return await work()
  } catch (error) {
    const {
      type,
      message: detail,
      statusCode = 0,
    } = error as Error & { type?: unknown; statusCode?: number }
    if (!String(type).startsWith('Stripe')) throw error
    const reason = new Error(`Stripe: ${type}: ${detail}`)
    if (
      type !== 'StripeConnectionError' &&
      ![409, 429].includes(statusCode) &&
      statusCode < 500
    )
      throw reason
    const message = 'The payment service cannot be reached. Try again shortly.'
    throw unavailable(message, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: reason,
    })
  }
}
