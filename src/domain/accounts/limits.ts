/** How long a sign-in link may be used, once. */
export const LINK_MINUTES = 15

/** How long a session lasts after signing in; use does not extend it. */
export const SESSION_DAYS = 14

/** Live keys of one account, those made by an operator included. */
export const MOST_KEYS = 20

/** At most so many attempts in a window that begins with the first one. */
export interface RateLimit {
  /** Part of the meter's name. */
  name: string
  most: number
  seconds: number
}

const QUARTER_HOUR = LINK_MINUTES * 60
const DAY = 24 * 60 * 60

/** Sign-in links requested from one network, for any address. */
export const LINKS_FROM_A_NETWORK: RateLimit[] = [
  { name: 'links from', most: 20, seconds: QUARTER_HOUR },
  { name: 'links a day from', most: 100, seconds: DAY },
]

/**
 * Sign-in links for one address, requested from anywhere: it bounds the mail that an address gets. Others can use it up, but they
 * cannot keep its owner out: the window is as long as a link lives, so while it refuses, a link that was sent in it still works.
 */
export const LINKS_TO_AN_ADDRESS: RateLimit[] = [{ name: 'links to', most: 3, seconds: QUARTER_HOUR }]

/** Sign-in links for one address from one network. No limit a day counts an address alone: a stranger could use it up. */
export const LINKS_FROM_A_NETWORK_TO_AN_ADDRESS: RateLimit[] = [
  { name: 'links a day from and to', most: 10, seconds: DAY },
]

/** Keys made or rotated by one account. */
export const KEYS_OF_AN_ACCOUNT: RateLimit[] = [{ name: 'keys of', most: 50, seconds: DAY }]

/** Stripe pages opened for one account. */
export const PAYMENTS_OF_AN_ACCOUNT: RateLimit[] = [{ name: 'payments of', most: 20, seconds: 60 * 60 }]
