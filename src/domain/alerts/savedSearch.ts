import type { Schemas } from '../../contract/types.ts'

export type AlertKind = Schemas['AlertKind']

export const ALERT_KINDS = ['new', 'price_drop', 'bid', 'ending', 'status'] as const satisfies AlertKind[]

/** How often a saved search sends mail; webhooks receive each match at once where the plan is instant, else never. */
export const CADENCES = ['instant', 'daily', 'weekly'] as const
type Cadence = (typeof CADENCES)[number]

/** A saved search as its owner set it. Hours are local to `time_zone`. */
export interface SavedSearch {
  name: string
  /** The parameters of searchListings by name; {} for a watched lot. */
  query: Record<string, string | number | boolean>
  /** The watched lot; null for a search. */
  lot_id: string | null
  kinds: AlertKind[]
  cadence: Cadence
  /** An IANA name. */
  time_zone: string
  digest_hour: number
  /** No mail is sent in these hours; equal hours: none are quiet. */
  quiet_from: number
  quiet_until: number
  by_mail: boolean
  /** Whether the lots that it finds are written to a file each day. */
  by_file: boolean
  endpoint_ids: number[]
  is_paused: boolean
}

/** A saved search or a webhook endpoint of an account; every statement names both, so that no account reaches another's. */
export interface Owned {
  accountId: number
  id: number
}
