import createClient, { type Client } from 'openapi-fetch'
import type { components, paths } from './openapi.js'

export type { components, operations, paths } from './openapi.js'

type Schemas = components['schemas']
export type Listing = Schemas['Listing']
export type LotMatched = Schemas['LotMatched']
export type SurplusClient = Client<paths>
export type SearchQuery = NonNullable<paths['/api/v1/listings']['get']['parameters']['query']>
export type ChangesQuery = NonNullable<paths['/api/v1/changes']['get']['parameters']['query']>

export interface ClientOptions {
  /** The address of the service, such as `https://surplus.example`. */
  baseUrl: string
  /** An API key; without one only the agent endpoint answers. */
  key?: string | undefined
  /** How often a call that is refused with 429 or 503 is made again; 3 without it. */
  retries?: number
  /** A call that would wait longer is not made again; 60 seconds without it. */
  longestWaitSeconds?: number
  fetch?: (request: Request) => Promise<Response>
}

/** Every operation of the contract, typed, as `client.GET(path, …)`. */
export function createSurplusClient(options: ClientOptions): SurplusClient {
  const {
    baseUrl,
    key,
    retries = 3,
    longestWaitSeconds = 60,
    fetch: send = request => fetch(request),
  } = options
  return createClient<paths>({
    baseUrl,
    headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
    fetch: async request => {
      for (let left = retries; ; left--) {
        // A request with a body can be sent once.
        const response = await send(request.clone())
        const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
        const mayRetry = response.status === 429 || response.status === 503
        if (!mayRetry || left <= 0 || !(seconds <= longestWaitSeconds)) return response
        await response.body?.cancel()
        await new Promise(resolve => setTimeout(resolve, seconds * 1000))
      }
    },
  })
}

/** A refusal, with the code to branch on and the page that explains it. */
export class SurplusError extends Error {
  readonly status: number
  readonly code: Schemas['ErrorCode']
  readonly docs: string

  constructor(status: number, { error, code, docs }: Schemas['ApiError']) {
    super(error)
    this.name = 'SurplusError'
    this.status = status
    this.code = code
    this.docs = docs
  }
}

/** The pages of a search, 50 lots each unless `per_page` says otherwise. One page is one call. @throws SurplusError */
export async function* pages(
  client: SurplusClient,
  query: SearchQuery = {},
): AsyncGenerator<Schemas['ListingPage'], void> {
  const MOST_PAGES = 200
  for (let page = query.page ?? 1; ; page++) {
    const params = { query: { per_page: 50, ...query, page } }
    const found = okOf(await client.GET('/api/v1/listings', { params }))
    yield found
    if (page >= Math.min(found.total_pages, MOST_PAGES)) return
  }
}

/**
 * The changes after a cursor, until there are no more: store `next_cursor` of each page when you have worked it off, and start with it
 * the next time. `latest` gives one page without changes, whose cursor is now. @throws SurplusError
 */
export async function* changes(
  client: SurplusClient,
  cursor: string,
  query: Omit<ChangesQuery, 'cursor'> = {},
): AsyncGenerator<Schemas['ChangePage'], void> {
  for (let next = cursor; ; ) {
    const page = okOf(await client.GET('/api/v1/changes', { params: { query: { ...query, cursor: next } } }))
    yield page
    if (!page.more) return
    next = page.next_cursor
  }
}

function okOf<T>({
  data,
  error,
  response,
}: {
  data?: T
  error?: Schemas['ApiError']
  response: Response
}): T {
  if (data === undefined) throw new SurplusError(response.status, error!)
  return data
}

type SentHeaders = Headers | Record<string, string | string[] | undefined>

/**
 * The message of a webhook (Standard Webhooks 1.0.0).
 * @param secret `whsec_…`, from the page of the endpoint.
 * @param body as it came, before any parsing.
 * @throws Error for a signature that is not right, and for a message more than five minutes from this clock.
 */
export async function verifyWebhook(secret: string, headers: SentHeaders, body: string): Promise<LotMatched> {
  const MOST_SECONDS = 300
  const header = (name: string) =>
    String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '')
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')]
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > MOST_SECONDS)
    throw new Error('The timestamp of the webhook is missing or more than five minutes away.')
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytesOf(secret.replace(/^whsec_/, '')), hmac, false, [
    'verify',
  ])
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  for (const each of header('webhook-signature').split(' ')) {
    const [version, signature = ''] = each.split(',')
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, bytesOf(signature), signed)))
      return JSON.parse(body)
  }
  throw new Error('The signature of the webhook is not right.')
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return new Uint8Array()
  return Uint8Array.from(atob(base64), character => character.charCodeAt(0))
}
