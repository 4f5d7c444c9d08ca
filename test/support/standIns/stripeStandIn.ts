import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const STRIPE_KEY = 'sk_test_standin0000000000000000'
export const WEBHOOK_SECRET = 'whsec_standin0000000000000000000'
export const PRICES = { pro: 'price_pro_standin', pro_plus: 'price_pro_plus_standin' }

/** What the stand-in was asked: a form with names such as `line_items[0][price]`. */
interface Call {
  method: string
  path: string
  fields: Record<string, string>
  idempotencyKey: string | null
}

interface StripeObject {
  id: string
  object: string
  [field: string]: unknown
}

export interface StripeEvent {
  id: string
  object: 'event'
  type: string
  created: number
  data: { object: StripeObject }
  [field: string]: unknown
}

type Fault = 'hangsUp' | 'fails' | 'busy'

/**
 * Stripe as this service knows it: its API on the loopback, its hosted pages, and the events that
 * it sends.
 */
export interface StripeStandIn {
  origin: string
  calls: Call[]
  /** For all calls from now on. */
  fault: Fault | null
  /**
   * Before a list of subscriptions is answered; the answer is what it was when the question came.
   */
  beforeList: (() => Promise<void>) | null
  /** Pays an open checkout: makes the subscription, and the events that Stripe sends for it. */
  pay(checkoutUrl: string): StripeEvent[]
  /** Changes a subscription. @returns the event that Stripe sends for it. */
  change(subscription: string, fields: Record<string, unknown>): StripeEvent
  /** Deletes a customer with all that it has. */
  deleteCustomer(customer: string): StripeEvent[]
  subscriptionsOf(customer: string): StripeObject[]
  close(): Promise<void>
}

export async function startStripeStandIn(): Promise<StripeStandIn> {
  const objects = new Map<string, StripeObject>()
  const repeated = new Map<string, { fields: string; status: number; document: unknown }>()
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await callOf(request)
    standIn.calls.push(call)
    if (standIn.fault === 'hangsUp') return void response.destroy()
    const refuse = (status: number, message: string, type = 'invalid_request_error') =>
      send(response, status, problem(type, message))
    if (standIn.fault === 'fails') return refuse(500, 'Something went wrong.', 'api_error')
    if (standIn.fault === 'busy') return refuse(429, 'Too many requests.')
    if (request.headers.authorization !== `Bearer ${STRIPE_KEY}`)
      return refuse(401, 'Invalid API Key.')
    const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded'
    if (call.method === 'POST' && !isForm) return refuse(400, 'The body is no form.')
    const found = call.idempotencyKey === null ? undefined : repeated.get(call.idempotencyKey)
    const fields = JSON.stringify([call.path, call.fields])
    if (found && found.fields !== fields)
      return refuse(
        400,
        'A key for idempotent requests needs the same parameters.',
        'idempotency_error',
      )
    if (found)
      return send(response, found.status, found.document, { 'idempotent-replayed': 'true' })
    const { status, document } = operate(call)
    if (call.idempotencyKey !== null)
      repeated.set(call.idempotencyKey, { fields, status, document })
    if (call.path === '/v1/subscriptions') await standIn.beforeList?.()
    send(response, status, document)
  }

  function operate({ method, path, fields }: Call): { status: number; document: unknown } {
    switch (`${method} ${path}`) {
      case 'POST /v1/customers':
        return made('cus', 'customer', {
          email: fields.email,
          metadata: { account_id: fields['metadata[account_id]'] },
        })
      case 'POST /v1/checkout/sessions':
        return checkout(fields)
      case 'POST /v1/billing_portal/sessions':
        if (!objects.has(fields.customer ?? '')) return noSuch('customer', fields.customer)
        return made('bps', 'billing_portal.session', {
          customer: fields.customer,
          return_url: fields.return_url,
          url: `${origin}/p/session/${randomBytes(6).toString('hex')}`,
        })
      case 'GET /v1/subscriptions': {
        if (!objects.has(fields.customer ?? '')) return noSuch('customer', fields.customer)
        const data = standIn
          .subscriptionsOf(fields.customer ?? '')
          .filter(({ status }) => status !== 'canceled')
        return ok({
          object: 'list',
          url: '/v1/subscriptions',
          has_more: false,
          data: structuredClone(data),
        })
      }
      default:
        return invalid(404, `Unrecognized request URL (${method}: ${path}).`)
    }
  }

  function checkout(fields: Record<string, string>) {
    const required = [
      'mode',
      'success_url',
      'customer',
      'line_items[0][price]',
      'line_items[0][quantity]',
    ]
    const missing = required.find(name => !fields[name])
    if (missing) return invalid(400, `Missing required param: ${missing}.`)
    if (!objects.has(fields.customer ?? '')) return noSuch('customer', fields.customer)
    if (!Object.values(PRICES).includes(fields['line_items[0][price]'] ?? '')) {
      return noSuch('price', fields['line_items[0][price]'])
    }
    const id = idOf('cs_test')
    return made('cs_test', 'checkout.session', {
      id,
      customer: fields.customer,
      client_reference_id: fields.client_reference_id,
      mode: fields.mode,
      status: 'open',
      payment_status: 'unpaid',
      price: fields['line_items[0][price]'],
      success_url: fields.success_url,
      cancel_url: fields.cancel_url,
      subscription: null,
      url: `${origin}/c/pay/${id}`,
    })
  }

  function made(prefix: string, object: string, fields: Record<string, unknown>) {
    const one: StripeObject = { id: idOf(prefix), object, livemode: false, ...fields }
    objects.set(one.id, one)
    return ok(one)
  }

  const standIn: StripeStandIn = {
    origin,
    calls: [],
    fault: null,
    beforeList: null,
    pay: checkoutUrl => {
      const session = objects.get(checkoutUrl.split('/').at(-1) ?? '')
      if (session?.status !== 'open') throw new Error('There is no such open checkout.')
      const subscription = subscriptionOf(session)
      objects.set(subscription.id, subscription)
      Object.assign(session, {
        status: 'complete',
        payment_status: 'paid',
        subscription: subscription.id,
      })
      const invoice = {
        id: idOf('in'),
        object: 'invoice',
        customer: session.customer,
        status: 'paid',
      }
      return [
        eventOf('customer.subscription.created', { ...subscription, status: 'incomplete' }),
        eventOf('customer.subscription.updated', subscription),
        eventOf('invoice.paid', invoice),
        eventOf('checkout.session.completed', session),
      ]
    },
    change: (id, fields) => {
      const subscription = objects.get(id)
      if (!subscription) throw new Error(`There is no subscription ${id}.`)
      Object.assign(subscription, fields)
      const type = fields.status === 'canceled' ? 'deleted' : 'updated'
      return eventOf(`customer.subscription.${type}`, subscription)
    },
    deleteCustomer: id => {
      const events = standIn
        .subscriptionsOf(id)
        .map(({ id }) => standIn.change(id, { status: 'canceled' }))
      const customer = objects.get(id)
      if (!customer) throw new Error(`There is no customer ${id}.`)
      objects.delete(id)
      return [...events, eventOf('customer.deleted', customer)]
    },
    subscriptionsOf: customer =>
      [...objects.values()].filter(
        one => one.object === 'subscription' && one.customer === customer,
      ),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return standIn
}

/** The header of Stripe: `t=…,v1=…`, an HMAC-SHA-256 over time and body. */
export function signatureOf(
  body: string,
  secret = WEBHOOK_SECRET,
  at = Math.floor(Date.now() / 1000),
): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}

function subscriptionOf(session: StripeObject): StripeObject {
  return {
    id: idOf('sub'),
    object: 'subscription',
    customer: session.customer,
    status: 'active',
    cancel_at: null,
    cancel_at_period_end: false,
    items: {
      object: 'list',
      data: [
        {
          id: idOf('si'),
          object: 'subscription_item',
          price: { id: session.price, object: 'price' },
        },
      ],
    },
  }
}

function eventOf(type: string, object: StripeObject): StripeEvent {
  return {
    id: idOf('evt'),
    object: 'event',
    api_version: '2026-10-28.endive',
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
    data: { object: structuredClone(object) },
  }
}

function idOf(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`
}

function ok(document: unknown) {
  return { status: 200, document }
}

function invalid(status: number, message: string, code?: string) {
  return { status, document: problem('invalid_request_error', message, code) }
}

function noSuch(what: string, id = '') {
  return invalid(what === 'customer' ? 404 : 400, `No such ${what}: '${id}'`, 'resource_missing')
}

function problem(type: string, message: string, code?: string) {
  return { error: { type, message, ...(code ? { code } : {}) } }
}

function send(response: ServerResponse, status: number, document: unknown, headers = {}): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'request-id': idOf('req'),
    ...headers,
  })
  response.end(JSON.stringify(document))
}

async function callOf(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const url = new URL(request.url ?? '/', 'http://stripe.invalid')
  const form = new URLSearchParams(Buffer.concat(chunks).toString() || url.search)
  const key = request.headers['idempotency-key']
  return {
    method: request.method ?? '',
    path: url.pathname,
    fields: Object.fromEntries(form),
    idempotencyKey: typeof key === 'string' ? key : null,
  }
}
