import { start, type TestService } from '../service/start.ts'
import {
  PRICES,
  STRIPE_KEY,
  type StripeEvent,
  type StripeStandIn,
  signatureOf,
  startStripeStandIn,
  WEBHOOK_SECRET,
} from '../standIns/stripeStandIn.ts'
import type { FormBrowser } from './formBrowser.ts'

/** The account pages with a stand-in for Stripe. */
export interface StripeSite {
  site: TestService
  stripe: StripeStandIn
  /** A new account, signed in. */
  customer(): Promise<Customer>
  /**
   * Sends events to the webhook as Stripe does, one after another.
   * @returns the statuses of the answers.
   */
  deliver(events: StripeEvent[]): Promise<number[]>
  close(): Promise<void>
}

interface Customer {
  address: string
  browser: FormBrowser
  /** Presses the button of a plan. @returns where it leads to. */
  upgrade(plan: 'pro' | 'pro_plus'): Promise<string>
  plan(): Promise<string>
  id(): Promise<string>
}

export async function startStripeSite(): Promise<StripeSite> {
  const stripe = await startStripeStandIn()
  const site = await start({
    settings: {
      contactEmail: 'sales@surplus.example',
      stripe: {
        secretKey: STRIPE_KEY,
        webhookSecret: WEBHOOK_SECRET,
        prices: PRICES,
        apiUrl: stripe.origin,
      },
    },
  })
  let people = 0
  async function customer(): Promise<Customer> {
    const address = `payer${++people}@example.com`
    const browser = await site.signedIn(address)
    const row = async () => {
      const [found] =
        await site.sql`select plan, stripe_customer as id from accounts where owner = ${address}`
      return found!
    }
    return {
      address,
      browser,
      upgrade: async plan => {
        const form = (await browser.open('/account')).forms.find(
          ({ fields }) => fields.plan === plan,
        )
        if (!form) throw new Error(`The page offers no ${plan}.`)
        const { status, headers, text } = await form.submit()
        if (status !== 303) throw new Error(`${status} ${text}`)
        return headers.location ?? ''
      },
      plan: async () => (await row()).plan,
      id: async () => (await row()).id,
    }
  }
  return {
    site,
    stripe,
    customer,
    deliver: async events => {
      const statuses: number[] = []
      for (const event of events) statuses.push((await deliver(site, event)).status)
      return statuses
    },
    close: async () => {
      await site.close()
      await stripe.close()
    },
  }
}

/** One event to the webhook; `headers` instead of those that Stripe sends. */
export function deliver(
  site: TestService,
  event: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = typeof event === 'string' ? event : JSON.stringify(event, null, 2)
  return fetch(`${site.address}/webhooks/stripe`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': signatureOf(body),
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      ...headers,
    },
  })
}
