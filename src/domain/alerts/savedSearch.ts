import { createHmac } from 'node:crypto'
import type { Schemas } from '../../contract/types.ts'

export type AlertKind = Schemas['AlertKind']

export const ALERT_KINDS = [
  'new',
  'price_drop',
  'bid',
  'ending',
  'status',
] as const satisfies AlertKind[]

/**
 * How often a saved search sends mail; webhooks receive each match at once
 * where the plan is instant, else never.
 */
export const CADENCES = ['instant', 'daily', 'weekly'] as const
type Cadence = (typeof CADENCES)[number]

/** A saved search as its owner set it. */
export interface SavedSearch {
  name: string
  /** The parameters of searchListings by name; {} for a watched lot. */
  query: Record<string, string | number | boolean>
  /** The watched lot; null for a search. */
  lot_id: string | null
  kinds: AlertKind[]
  cadence: Cadence
  by_mail: boolean
  /** Whether the lots that it finds are written to a file each day. */
  by_file: boolean
  endpoint_ids: number[]
  is_paused: boolean
}

/** When the mails of an account are sent. Hours are local to `time_zone`. */
export interface MailTimes {
  /** An IANA name. */
  time_zone: string
  digest_hour: number
  /** No instant mail is sent in these hours; equal hours: none are quiet. */
  quiet_from: number
  quiet_until: number
}

/**
 * A saved search or a webhook endpoint of an account; every statement names
 * both, so that no account reaches another's.
 */
export interface Owned {
  accountId: number
  id: number
}

/**
 * The token of the link that ends the mails of a saved search. It needs no
 * session and never expires, because the mail that has it may be read years
 * later; it can do nothing else.
 */
export function unsubscribeToken(pepper: string, searchId: number): string {
  return tokenOf(pepper, 'unsubscribe', searchId, String(searchId))
}

/**
 * The token in the address of a saved search's feed. A new generation revokes
 * the earlier ones.
 */
export function feedToken(
  pepper: string,
  searchId: number,
  generation: number,
): string {
  return tokenOf(pepper, 'feed', searchId, `${searchId}:${generation}`)
}

/**
 * The id that a token names, not yet proven; null for a text that is no token.
 */
export function searchOfToken(token: string): number | null {
  const id = /^([1-9]\d{0,14})-[A-Za-z0-9_-]{43}$/.exec(token)?.[1]
  return id === undefined ? null : Number(id)
}

/** The id, and a proof that this service made the token. */
function tokenOf(
  pepper: string,
  purpose: 'unsubscribe' | 'feed',
  searchId: number,
  subject: string,
) {
  const proof = createHmac('sha256', pepper)
    .update(`${purpose} ${subject}`)
    .digest('base64url')
  return `${searchId}-${proof}`
}
