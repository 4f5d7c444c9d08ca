import createClient, { type Client } from 'openapi-fetch'
import type { components, paths } from './openapi.js'

export type { components, operations, paths } from './openapi.js'

type Schemas = components['schemas']
export type Listing = Schemas['Listing']
export type LotMatched = Schemas['LotMatched']
export type SurplusClient = Client<paths>
export type SearchQuery = NonNullable<paths['/api/v1/listings']['get']['parameters']['query']>
export type ExportQuery = NonNullable<paths['/api/v1/export']['get']['parameters']['query']>
export type ChangesQuery = NonNullable<paths['/api/v1/changes']['get']['parameters']['query']>
type ChangesFilter = Omit<ChangesQuery, 'cursor'>

export interface ClientOptions {
  /** The address of the service, such as `https://surplus.example`. */
  baseUrl: string
  /** An API key; without one only the agent endpoint answers. */
  key?: string | undefined
  /** How often a GET that a reset, 502, 503 or 504 has lost, and a call over the limit of a minute, is made again; 3 without it. */
  retries?: number
  /** A call that would wait longer is not made again; 60 seconds without it. */
  longestWaitSeconds?: number
  /** How long one attempt may take, an export until its first byte; 30 seconds without it. */
  timeoutSeconds?: number
  fetch?: Send
}
type Send = (request: Request) => Promise<Response>

/** Where no answer came, or one that was cut off or is no JSON. */
const NO_ANSWER = 599

/** Every operation of the contract, typed, as `client.GET(path, …)`, which returns `data` or `error`. */
export function createSurplusClient(options: ClientOptions): SurplusClient {
  const { baseUrl, key, retries = 3, longestWaitSeconds = 60, timeoutSeconds = 30 } = options
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` }
  const repeat = async (request: Request): Promise<Response> => {
    for (let attempt = 0; ; attempt++) {
      const answer = await attemptOf(request, options.fetch ?? fetch, timeoutSeconds)
      const isLost = request.method !== 'POST' && [502, 503, 504, NO_ANSWER].includes(answer.status)
      const isOfMinute =
        answer.status === 429 && !(await answer.clone().text()).includes('monthly_quota')
      // Full jitter: clients that failed together do not come back together.
      const waitMs = Math.max(Math.random() * 500 * 2 ** attempt, retryAfterMs(answer.headers))
      if (!(isLost || isOfMinute) || attempt >= retries || waitMs > longestWaitSeconds * 1000)
        return answer
      await new Promise((resolve, reject) => {
        setTimeout(resolve, waitMs)
        request.signal.addEventListener('abort', () => reject(request.signal.reason))
      })
    }
  }
  return createClient<paths>({ baseUrl, headers, fetch: repeat })
}

/** The answer; whoever refused, as an error body of the API with `status` and `requestId`. */
async function attemptOf(request: Request, send: Send, timeoutSeconds: number) {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(new Error('it took too long')), timeoutSeconds * 1000)
  try {
    const signal = AbortSignal.any([request.signal, limit.signal])
    const response = await send(new Request(request.clone(), { signal }))
    const { ok, status, headers } = response
    if (ok && headers.get('content-type')?.startsWith('text/csv')) return response
    const text = await response.text()
    if (ok && text !== '') JSON.parse(text)
    return ok || status === 304
      ? new Response(text || null, { status, headers })
      : refusal(response, text)
  } catch (error) {
    request.signal.throwIfAborted()
    const { message, cause } = error as Error
    return refusal(
      new Response(null, { status: NO_ANSWER }),
      (cause as Error | null)?.message || message,
    )
  } finally {
    clearTimeout(timer)
  }
}

function refusal({ status, statusText, headers }: Response, text: string): Response {
  const words = text.replace(/<style.*?<\/style>|<[^>]*>|\s+/gs, ' ')
  const error = `Not an answer of the API (${status} ${statusText}): ${words.trim().slice(0, 200) || 'empty'}`
  let body: object = { error, code: null }
  try {
    const sent = JSON.parse(text)
    if (typeof sent?.code === 'string') body = sent
  } catch {}
  const kept = new Headers(headers)
  kept.delete('content-length')
  return Response.json(
    { ...body, status, requestId: headers.get('x-request-id') },
    { status, headers: kept },
  )
}

/** `Retry-After` in seconds, or as a date on the clock of the sender; 0 without it. */
function retryAfterMs(headers: Headers): number {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  return Date.parse(text) - (Date.parse(headers.get('date') ?? '') || Date.now()) || 0
}

type Failure = { error?: string } & {
  -readonly [Name in keyof Omit<SurplusError, keyof Error>]?: SurplusError[Name]
}

/** A call that failed. `status` is 599 where no answer came, `code` null where it was not the API that refused. */
export class SurplusError extends Error {
  readonly status: number = NO_ANSWER
  readonly code: Schemas['ErrorCode'] | null = null
  readonly docs: string | null = null
  readonly upgrade: string | null = null
  readonly request_log_url: string | null = null
  readonly requestId: string | null = null

  constructor({ error, ...failure }: Failure) {
    super(error)
    Object.assign(this, failure, { name: 'SurplusError' })
  }
}

/** The data of any call. @throws SurplusError where it was refused, or answered without data. */
export function dataOf<T>({
  data,
  error,
  response,
}: {
  data?: T
  error?: object
  response: Response
}): T {
  if (data !== undefined) return data
  const { status, headers } = response
  throw new SurplusError({
    error: 'No data came.',
    status,
    requestId: headers.get('x-request-id'),
    ...error,
  })
}

const MOST_PAGES = 200
/** The pages of a search, 50 lots each unless `per_page` says otherwise. One page is one call. @throws SurplusError */
export async function* pages(client: SurplusClient, query: SearchQuery = {}) {
  for (let page = query.page ?? 1; ; page++) {
    const params = { query: { per_page: 50, ...query, page } }
    const found = dataOf(await client.GET('/api/v1/listings', { params }))
    yield found
    if (page >= Math.min(found.total_pages, MOST_PAGES)) return
  }
}

/** The changes after a cursor, page by page. Store `next_cursor` when you have worked a page off, and begin with it the next time. @throws SurplusError */
export async function* changes(client: SurplusClient, cursor: string, query: ChangesFilter = {}) {
  for (let next = cursor; ; ) {
    const params = { query: { ...query, cursor: next } }
    const page = dataOf(await client.GET('/api/v1/changes', { params }))
    yield page
    if (!page.more) return
    next = page.next_cursor
  }
}

/**
 * Brings a copy up to date: by the changes after its cursor, or from all live lots where there is none or it is refused. Store `listings`
 * under their ids, then the cursor, null until a copy is complete. Where a step `restarts`, forget the lots that you have. @throws SurplusError
 */
export async function* sync(
  client: SurplusClient,
  cursor: string | null,
  query: Omit<ChangesFilter, 'kind' | 'per_page'> = {},
) {
  try {
    for await (const { data, next_cursor } of cursor ? changes(client, cursor, query) : [])
      yield { restarts: false, listings: data.map(({ listing }) => listing), cursor: next_cursor }
    if (cursor) return
  } catch (error) {
    if (!(error instanceof SurplusError) || error.status !== 400) throw error
  }
  const now = (await changes(client, 'latest', query).next()).value as Schemas['ChangePage']
  for await (const { data, page, total_pages } of pages(client, { ...query, sort: 'newest' })) {
    if (total_pages > MOST_PAGES)
      throw new SurplusError({ error: 'Too many lots match: sync by state.' })
    yield {
      restarts: page === 1,
      listings: data,
      cursor: page < total_pages ? null : now.next_cursor,
    }
  }
}

/** The rows of an export as they arrive, an empty cell as null. @throws SurplusError also where the file was cut off. */
export async function* exportCsv(client: SurplusClient, query: ExportQuery = {}) {
  const MOST_ROWS = 5000
  const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n)/gy
  const result = await client.GET('/api/v1/export', { params: { query }, parseAs: 'stream' })
  const chunks = dataOf<ReadableStream<BufferSource> | null>(result)!.pipeThrough(
    new TextDecoderStream(),
  )
  const total = Math.min(Number(result.response.headers.get('x-total-count')), MOST_ROWS)
  let [rest, names, cells, rows] = ['', [] as string[], [] as (string | null)[], 0]
  try {
    for await (const text of chunks as unknown as AsyncIterable<string>) {
      rest += text
      for (const [all, quoted, plain = '', end] of rest.matchAll(CELL)) {
        rest = rest.slice(all.length)
        // Cells that a spreadsheet would run begin with an apostrophe.
        cells.push(
          (quoted?.replaceAll('""', '"') ?? plain).replace(/^'(?=[=+\-@\t\r])/, '') || null,
        )
        if (end === ',') continue
        if (rows++ === 0) names = cells.map(String)
        else
          yield Object.fromEntries<string | null>(names.map((name, n) => [name, cells[n] ?? null]))
        cells = []
      }
    }
  } catch {
    throw new SurplusError({ error: `The export was cut off after ${rows - 1} rows.` })
  }
  if (rows <= total)
    throw new SurplusError({ error: `The export ended after ${rows - 1} of ${total} rows.` })
}

type SentHeaders = Headers | Record<string, string | string[] | undefined>

/**
 * The message of a webhook (Standard Webhooks 1.0.0). @param secret `whsec_…`, from the page of the endpoint. @param body before any parsing.
 * @throws Error for a signature that is not right, and for a message more than five minutes from this clock.
 */
export async function verifyWebhook(
  secret: string,
  headers: SentHeaders,
  body: string,
): Promise<LotMatched> {
  const MOST_SECONDS = 300
  const header = (name: string) =>
    String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '')
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')]
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > MOST_SECONDS)
    throw new Error('The timestamp of the webhook is missing or more than five minutes away.')
  const [hmac, secretBytes] = [
    { name: 'HMAC', hash: 'SHA-256' },
    bytesOf(secret.replace(/^whsec_/, '')),
  ]
  const key = await crypto.subtle.importKey('raw', secretBytes, hmac, false, ['verify'])
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
