import type { Stripe } from 'stripe'
import type { Subscription } from '../../domain/accounts/subscription.ts'
import { ApiError } from '../../domain/errors.ts'
import type { Billing, BillingEvent, Order, StripeSettings } from './billing.ts'

const TIMEOUT_MS = 8_000
const RETRIES = 2
const SIGNATURE_TOLERANCE_SECONDS = 300
const RETRY_AFTER_SECONDS = 10
const MOST_SUBSCRIPTIONS = 100

const PAGE_ORIGINS = ['https://checkout.stripe.com', 'https://billing.stripe.com']

/** Payments through Stripe's own library, which is loaded only here because it takes 90 ms and 20 MB. */
export async function createStripeBilling(settings: StripeSettings): Promise<Billing> {
  const library = await import('stripe')
  const stripe = new library.Stripe(settings.secretKey, {
    ...addressOf(settings.apiUrl),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
  })
  const { prices } = settings
  return {
    prices,
    pageOrigins: settings.apiUrl ? [new URL(settings.apiUrl).origin] : PAGE_ORIGINS,
    createCustomer: ({ id, address }, attempt) =>
      requestStripe(async () => {
        const details = { email: address, metadata: { account_id: String(id) } }
        return (await stripe.customers.create(details, { idempotencyKey: `customer-${attempt}` })).id
      }),
    openCheckout: (order, attempt) =>
      requestStripe(async () => {
        const session = await stripe.checkout.sessions.create(checkoutOf(order, prices[order.plan]), {
          idempotencyKey: `checkout-${attempt}`,
        })
        if (!session.url) throw new Error('Stripe made a checkout without an address.')
        return session.url
      }),
    openPortal: (customer, returnUrl) =>
      requestStripe(async () => {
        return (await stripe.billingPortal.sessions.create({ customer, return_url: returnUrl })).url
      }),
    subscriptionsOf: customer =>
      requestStripe(async () => {
        const { data } = await stripe.subscriptions.list({ customer, limit: MOST_SUBSCRIPTIONS })
        return data.map(asSubscription)
      }),
    readEvent: (body, signature) => verified(stripe, settings.webhookSecret, body, signature),
  }
}

function addressOf(apiUrl: string | null): Stripe.StripeConfig {
  if (!apiUrl) return {}
  const { hostname, port, protocol } = new URL(apiUrl)
  const scheme = protocol === 'http:' ? 'http' : 'https'
  return { host: hostname, port: port || (scheme === 'http' ? 80 : 443), protocol: scheme }
}

function checkoutOf(order: Order, price: string): Stripe.Checkout.SessionCreateParams {
  const metadata = { account_id: String(order.accountId), plan: order.plan }
  return {
    mode: 'subscription',
    customer: order.customer,
    client_reference_id: String(order.accountId),
    line_items: [{ price, quantity: 1 }],
    subscription_data: { metadata },
    success_url: order.successUrl,
    cancel_url: order.cancelUrl,
  }
}

function asSubscription({ status, items, cancel_at }: Stripe.Subscription): Subscription {
  return {
    status,
    priceIds: items.data.map(({ price }) => price.id),
    endsAt: cancel_at === null ? null : new Date(cancel_at * 1000),
  }
}

/** The library compares in constant time, over the received bytes. */
function verified(stripe: Stripe, secret: string, body: Buffer, signature: string): BillingEvent {
  try {
    const event = stripe.webhooks.constructEvent(body, signature, secret, SIGNATURE_TOLERANCE_SECONDS)
    return { id: event.id, type: event.type, customer: customerOf(event.data.object) }
  } catch {
    throw new ApiError('invalid_request', 'The Stripe-Signature does not match this body, or is too old.')
  }
}

/** The customer is an id in the object, or the object itself. */
function customerOf(object: object): string | null {
  if ('object' in object && object.object === 'customer' && 'id' in object) return String(object.id)
  if (!('customer' in object)) return null
  const { customer } = object
  if (typeof customer === 'string') return customer
  if (typeof customer === 'object' && customer && 'id' in customer) return String(customer.id)
  return null
}

/** Maps Stripe being away or busy to 503. Any other error is a fault of ours or of the settings, and goes only to the log. */
async function requestStripe<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const fault = faultOf(error)
    if (!fault) throw error
    const reason = new Error(`Stripe: ${fault.type}: ${fault.message}`)
    if (!isTemporary(fault)) throw reason
    const refusal = new ApiError(
      'internal_error',
      'The payment service cannot be reached. Try again shortly.',
      {
        status: 503,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      },
    )
    refusal.cause = reason
    throw refusal
  }
}

interface Fault {
  type: string
  message: string
  statusCode: number | null
}

function faultOf(error: unknown): Fault | null {
  if (!(error instanceof Error) || !('type' in error) || !String(error.type).startsWith('Stripe')) return null
  const statusCode = 'statusCode' in error && error.statusCode ? Number(error.statusCode) : null
  return { type: String(error.type), message: error.message, statusCode }
}

function isTemporary({ type, statusCode }: Fault): boolean {
  return (
    type === 'StripeConnectionError' || statusCode === 429 || statusCode === 409 || (statusCode ?? 0) >= 500
  )
}
