import { createHmac, randomBytes } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import labels from '../../../data/labels.json' with { type: 'json' }
import blocks from '../../../data/special-addresses.json' with { type: 'json' }
import type { AlertKind } from './savedSearch.ts'

/** The kinds of an event as people read them. */
export const KIND_TITLES: Record<AlertKind, string> = labels.alert_titles

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A new signing secret, as Standard Webhooks 1.0.0 writes it. */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** The headers of Standard Webhooks, by which a receiver checks a message. */
export type SignedHeaders = {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

/**
 * The headers of a signed message, by Standard Webhooks 1.0.0.
 * @param secrets one `whsec_…`, or two while one is being replaced: the
 * receiver accepts a message that either has signed.
 * @param deliveryId a UUID: the same at every attempt.
 * @param at the moment of the attempt.
 */
export function signedHeaders(
  secrets: string[],
  deliveryId: string,
  at: Date,
  body: string,
): SignedHeaders {
  const id = `msg_${deliveryId.replaceAll('-', '')}`
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map(secret => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

const LONGEST_URL = 2_000
const PORTS = ['', '8443']
export const NOT_PUBLIC =
  'The address must be of a public host: private and special addresses are not allowed.'

// A list each: one list would also compare IPv4 addresses, as IPv4-mapped ones,
// with the blocks of IPv6.
const special = { ipv4: blockList('ipv4'), ipv6: blockList('ipv6') }

function blockList(family: 'ipv4' | 'ipv6') {
  const list = new BlockList()
  for (const block of Object.keys(blocks[family])) {
    const [network = '', bits] = block.split('/')
    list.addSubnet(network, Number(bits), family)
  }
  return list
}

/**
 * Whether an IP address is private, of this machine, or otherwise not of a
 * public host. What is no IP address counts as one.
 */
export function isSpecialIp(address: string): boolean {
  const family = isIP(address)
  // A zone (fe80::1%eth0) is only written for link-local addresses.
  if (family === 0 || address.includes('%')) return true
  return family === 4
    ? special.ipv4.check(address, 'ipv4')
    : special.ipv6.check(address, 'ipv6')
}

/**
 * Why messages are not sent to a URL, in a sentence for its owner; null where
 * they are. The name is not resolved: the webhook client does that, when an
 * endpoint is saved and in each connection.
 * @param allowedHosts names and IP addresses that may have any port, plain http
 * and a special address.
 */
export function refuseWebhookUrl(
  text: string,
  allowedHosts: readonly string[] = [],
): string | null {
  if (text.length > LONGEST_URL)
    return `The address is too long. Enter one of at most ${LONGEST_URL} characters.`
  if (!URL.canParse(text))
    return 'This is not a web address. Enter one such as https://example.com/hooks/surplus.'
  const { protocol, username, password, port, hostname } = new URL(text)
  if (username !== '' || password !== '')
    return 'The address must not contain a user name or password. The signature proves who sent a message.'
  if (allowedHosts.includes(hostname) && protocol === 'http:') return null
  if (protocol !== 'https:') return 'The address must begin with https://.'
  if (allowedHosts.includes(hostname)) return null
  if (!PORTS.includes(port)) return 'The port must be 443 or 8443.'
  const literal = literalIp(hostname)
  const isInside = literal
    ? isSpecialIp(literal)
    : !hostname.replace(/\.$/, '').includes('.')
  return isInside ? NOT_PUBLIC : null
}

/**
 * The IP address that the host of a parsed URL is; null for a name. The URL
 * parser has written every spelling of an IPv4 address (2130706433, 0x7f.1)
 * with four decimal numbers.
 */
export function literalIp(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) ? bare : null
}
