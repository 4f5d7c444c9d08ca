import { lookup as lookupByHosts } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import {
  isSpecialIp,
  literalIp,
  NOT_PUBLIC,
  refuseWebhookUrl,
} from '../../domain/alerts/webhooks.ts'
import { retryAfterSeconds } from '../fetching/politeFetch.ts'

export interface WebhookSettings {
  /**
   * Hosts that may have any port, plain http and a special address: receivers
   * of one's own network.
   */
  allowedHosts: string[]
  /**
   * An HTTP proxy that all messages go through (CONNECT); it resolves the
   * names. Null: none.
   */
  proxy: string | null
}

/** The result of an attempt. */
export interface Answer {
  /** Null without an answer. */
  status: number | null
  milliseconds: number
  /** The first 1 kB of the answer, or why there was none. */
  text: string
  /** Its `Retry-After`. */
  retryAfter: number | null
}

export interface WebhookClient {
  post: (
    url: string,
    headers: Record<string, string>,
    body: string,
  ) => Promise<Answer>
  get: (url: string) => Promise<string>
  refuse: (url: string) => Promise<string | null>
}
/**
 * All IP addresses of a name.
 * @throws Error with a sentence about a name that has none.
 */
export type Resolve = (hostname: string) => Promise<string[]>

/** The whole attempt, from resolving the name to the end of the answer. */
const DEADLINE_MS = 15_000
const DOCUMENT_DEADLINE_MS = 5_000
const MOST_DOCUMENT_BYTES = 8_192
const MOST_READ_BYTES = 4_096
const KEPT_BYTES = 1_024

/**
 * Posts messages to URLs that strangers chose, and reads documents there.
 * Redirects are not followed: a 3xx is an answer like any other.
 * @param resolve other than by DNS, for tests.
 */
export function createWebhookClient(
  { allowedHosts, proxy }: WebhookSettings,
  resolve: Resolve = resolvePublic,
  deadlineMs = DEADLINE_MS,
): WebhookClient {
  /** Node calls this for names only; a literal address was checked before. */
  const lookup: LookupFunction = (hostname, options, done) => {
    if (allowedHosts.includes(hostname))
      return lookupByHosts(hostname, options, done)
    resolve(hostname).then(
      addresses => {
        if (addresses.length === 0 || addresses.some(isSpecialIp))
          return done(
            new Error(
              `${hostname} has an address that is not of a public host.`,
            ),
            '',
          )
        const found = addresses.map(address => ({
          address,
          family: isIP(address),
        }))
        if (options.all) done(null, found)
        else done(null, found[0]!.address, found[0]!.family)
      },
      error => done(error, ''),
    )
  }

  /**
   * Why a URL cannot be that of an endpoint, in a sentence for its owner; null
   * where it can, also while its name has no address. A proxy resolves names by
   * itself.
   */
  async function refuse(url: string) {
    const refusal = refuseWebhookUrl(url, allowedHosts)
    if (refusal) return refusal
    const { hostname } = new URL(url)
    if (
      proxy !== null ||
      allowedHosts.includes(hostname) ||
      literalIp(hostname)
    )
      return null
    const addresses = await resolve(hostname).catch(() => [])
    return addresses.some(isSpecialIp) ? NOT_PUBLIC : null
  }

  /** Never throws: each failure is an answer without a status. */
  async function post(
    url: string,
    headers: Record<string, string>,
    body: string,
  ): Promise<Answer> {
    const startedAt = performance.now()
    const deadline = AbortSignal.timeout(deadlineMs)
    const answer = await send(url, headers, body, deadline).catch(error => ({
      status: null,
      text: deadline.aborted
        ? `No answer within ${deadlineMs / 1000} seconds.`
        : reasonOf(error),
      retryAfter: null,
    }))
    return {
      ...answer,
      milliseconds: Math.round(performance.now() - startedAt),
    }
  }

  async function send(
    url: string,
    headers: Record<string, string>,
    body: string,
    signal: AbortSignal,
  ) {
    const type = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const own = { 'user-agent': 'surplus-alerts/1.0', ...type }
    const options = { method: 'POST', headers: { ...own, ...headers }, signal }
    const { answer, bytes } = await exchange(
      url,
      options,
      body,
      MOST_READ_BYTES,
    )
    const retryAfter = retryAfterSeconds(
      answer.headers['retry-after'] ?? null,
      Date.now(),
    )
    return { status: answer.statusCode!, text: storable(bytes), retryAfter }
  }

  /**
   * The document at a URL.
   * @throws Error with a sentence for anything but 200 and at most 8 kB of JSON
   * within 5 seconds.
   */
  async function get(url: string) {
    const headers = {
      'user-agent': 'surplus-agents/1.0',
      accept: 'application/json',
    }
    const signal = AbortSignal.timeout(DOCUMENT_DEADLINE_MS)
    const { answer, bytes } = await exchange(
      url,
      { headers, signal },
      '',
      MOST_DOCUMENT_BYTES + 1,
    )
    const type = answer.headers['content-type'] ?? ''
    if (answer.statusCode !== 200)
      throw new Error(`Its address answers with status ${answer.statusCode}.`)
    if (bytes.length > MOST_DOCUMENT_BYTES)
      throw new Error(`It has more than ${MOST_DOCUMENT_BYTES} bytes.`)
    if (!/^application\/([\w.-]+\+)?json\b/i.test(type))
      throw new Error('It is not JSON.')
    return bytes.toString()
  }

  /** @returns the head of an answer, and the beginning of its body. */
  async function exchange(
    url: string,
    options: RequestOptions,
    body: string,
    mostBytes: number,
  ) {
    const refusal = refuseWebhookUrl(url, allowedHosts)
    if (refusal) throw new Error(refusal)
    const target = new URL(url)
    const tunnel =
      proxy === null ? null : await openTunnel(proxy, target, options.signal!)
    const request = (target.protocol === 'https:' ? httpsRequest : httpRequest)(
      target,
      {
        ...options,
        headers: { connection: 'close', ...options.headers },
        // No connection is used twice: each is checked. A tunnel is one already.
        ...(tunnel
          ? { createConnection: () => tunnel }
          : { agent: false as const, lookup }),
      },
    )
    const answer = await new Promise<IncomingMessage>((answered, failed) => {
      request.once('response', answered)
      // Stays: the deadline may end the request after its answer began.
      request.on('error', failed)
      request.once('close', () =>
        failed(new Error('The connection ended before the answer.')),
      )
      request.end(body)
    })
    const bytes = await beginningOf(answer, mostBytes)
    request.destroy()
    return { answer, bytes }
  }

  return { post, get, refuse }
}

/**
 * The part that arrived, if the body breaks off or is not complete by the
 * deadline: the status decides.
 */
async function beginningOf(answer: IncomingMessage, mostBytes: number) {
  const pieces: Buffer[] = []
  let bytes = 0
  try {
    for await (const piece of answer) {
      pieces.push(piece)
      bytes += piece.length
      if (bytes >= mostBytes) break
    }
  } catch {}
  return Buffer.concat(pieces)
}

/**
 * The code where the message is empty, as Node leaves it when several addresses
 * failed.
 */
function reasonOf({ message, code = 'unknown' }: NodeJS.ErrnoException) {
  return storable(Buffer.from(message || code))
}

/** PostgreSQL stores no NUL. */
function storable(text: Buffer) {
  return text.subarray(0, KEPT_BYTES).toString().replaceAll('\0', '')
}

/**
 * By DNS alone, without the hosts file. Not by `dns.lookup`, which has four
 * threads for the whole process: slow name servers of a few receivers would
 * delay all others.
 */
async function resolvePublic(hostname: string) {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const [v4, v6] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ])
  const found = [v4, v6].flatMap(each =>
    each.status === 'fulfilled' ? each.value : [],
  )
  if (found.length === 0 && v4.status === 'rejected')
    throw new Error(`The name ${hostname} has no address (${v4.reason.code}).`)
  return found
}

function openTunnel(
  proxy: string,
  target: URL,
  signal: AbortSignal,
): Promise<Socket> {
  const isHttps = target.protocol === 'https:'
  const path = `${target.hostname}:${target.port || (isHttps ? 443 : 80)}`
  const { username, password } = new URL(proxy)
  const credentials = Buffer.from(
    decodeURIComponent(`${username}:${password}`),
  ).toString('base64')
  const headers = {
    host: path,
    ...(username !== '' && { 'proxy-authorization': `Basic ${credentials}` }),
  }
  return new Promise((opened, failed) => {
    httpRequest(proxy, {
      method: 'CONNECT',
      path,
      headers,
      agent: false,
      signal,
    })
      .once('connect', ({ statusCode }, socket) => {
        if (statusCode !== 200) {
          socket.destroy()
          return failed(
            new Error(`The proxy refused the connection with ${statusCode}.`),
          )
        }
        const servername = literalIp(target.hostname)
          ? undefined
          : target.hostname
        opened(isHttps ? tlsConnect({ socket, servername }) : socket)
      })
      .once('error', failed)
      .once('response', () => failed(new Error('The proxy does not connect.')))
      .end()
  })
}
