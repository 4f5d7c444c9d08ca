/** How long a sign-in link may be used, once. */
export const LINK_MINUTES = 15

/** How long the links that confirm a new address may be used. */
export const CHANGE_MINUTES = 60

/** How long a session lasts after signing in; use does not extend it. */
export const SESSION_DAYS = 14

/** Live keys of one account, those made by an operator included. */
export const MOST_KEYS = 20

/** How long the session that made a key may see it. */
export const SHOWN_MINUTES = 10

/** How long an old key may live after a rotation, in hours; the first is the default. */
export const ROTATION_HOURS = [0, 1, 24]

const QUARTER_HOUR = LINK_MINUTES * 60
const HOUR = 60 * 60
const DAY = 24 * HOUR

/** At most so many attempts in a window that begins with the first one. */
export type RateLimit = {
  /** What is limited, and whose attempts are counted: a network, an address, an account. */
  meter: string
  most: number
  seconds: number
}

/** Sign-in links requested from a network for an address. */
export function linkLimits(network: string, address: string): RateLimit[] {
  return [
    { meter: `links from ${network}`, most: 20, seconds: QUARTER_HOUR },
    { meter: `links a day from ${network}`, most: 100, seconds: DAY },
    // Bounds the mail that an address gets. Others can use it up, but they cannot keep its owner out: the window is as long as a
    // link lives, so while it refuses, a link that was sent in it still works.
    { meter: `links to ${address}`, most: 3, seconds: QUARTER_HOUR },
    // No limit a day counts an address alone: a stranger could use it up.
    { meter: `links a day from and to ${network} ${address}`, most: 10, seconds: DAY },
  ]
}

/** New addresses that an account asks for: each sends a mail to an address that may be a stranger's. */
export function changeLimits(accountId: number, network: string, address: string): RateLimit[] {
  return [
    { meter: `address changes of ${accountId}`, most: 5, seconds: DAY },
    ...linkLimits(network, address),
  ]
}

/** Keys made or rotated by one account. */
export function keyLimits(accountId: number): RateLimit[] {
  return [{ meter: `keys of ${accountId}`, most: 50, seconds: DAY }]
}

/** Test messages, and messages sent again by hand, to the webhook endpoints of one account: whose addresses they are is not known. */
export function sendLimits(accountId: number): RateLimit[] {
  return [{ meter: `messages by hand of ${accountId}`, most: 60, seconds: HOUR }]
}

/** Stripe pages opened for one account. */
export function paymentLimits(accountId: number): RateLimit[] {
  return [{ meter: `payments of ${accountId}`, most: 20, seconds: HOUR }]
}

/** Lots that visitors of a demo service add. */
export function demoLotLimits(): RateLimit[] {
  return [{ meter: 'demo lots', most: 20, seconds: HOUR }]
}

/** Test messages of saved searches of one account: each may go to several addresses outside. */
export function testLimits(accountId: number): RateLimit[] {
  return [{ meter: `alert tests of ${accountId}`, most: 20, seconds: HOUR }]
}
