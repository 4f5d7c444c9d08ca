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

/**
 * How long the token of an agent works, and the code that it is exchanged for.
 */
export const AGENT_DAYS = 90
export const CODE_MINUTES = 5

/**
 * How long an old key may live after a rotation, in hours; the first is the
 * default.
 */
export const ROTATION_HOURS = [0, 1, 24]

const QUARTER_HOUR = LINK_MINUTES * 60
const HOUR = 60 * 60
const DAY = 24 * HOUR

/** At most so many attempts in a window that begins with the first one. */
type RateLimit = {
  /**
   * What is limited, and whose attempts are counted: a network, an address, an
   * account.
   */
  meter: string
  most: number
  seconds: number
}

/**
 * What is limited in some ways at once, and the first sentence of its refusal.
 */
export interface Attempts {
  reason: string
  limits: RateLimit[]
}

/** Sign-in links requested from a network for an address. */
export function linkAttempts(network: string, address: string): Attempts {
  return {
    reason:
      'Too many sign-in links were requested. One sent in the last 15 minutes still works.',
    limits: [
      { meter: `links from ${network}`, most: 20, seconds: QUARTER_HOUR },
      { meter: `links a day from ${network}`, most: 100, seconds: DAY },
      // Bounds the mail that an address gets. Others can use it up, but they
      // cannot keep its owner out: the window is as long as a link lives, so
      // while it refuses, a link that was sent in it still works.
      { meter: `links to ${address}`, most: 3, seconds: QUARTER_HOUR },
      // No limit a day counts an address alone: a stranger could use it up.
      {
        meter: `links a day from and to ${network} ${address}`,
        most: 10,
        seconds: DAY,
      },
    ],
  }
}

/**
 * New addresses that an account asks for: each sends a mail to an address that
 * may be a stranger's.
 */
export function changeAttempts(
  accountId: number,
  network: string,
  address: string,
): Attempts {
  const own = {
    meter: `address changes of ${accountId}`,
    most: 5,
    seconds: DAY,
  }
  return {
    reason: 'Too many changes of the address were requested.',
    limits: [own, ...linkAttempts(network, address).limits],
  }
}

/** What one account may do so many times, by the name of its meter. */
const LIMITS = {
  keys: {
    reason: 'This account made too many keys today.',
    most: 50,
    seconds: DAY,
  },
  // Whose addresses the webhook endpoints are is not known.
  'messages by hand': {
    reason: 'This account sent too many messages by hand.',
    most: 60,
    seconds: HOUR,
  },
  payments: {
    reason: 'The payment pages were opened too often.',
    most: 20,
    seconds: HOUR,
  },
}

export function accountAttempts(
  what: keyof typeof LIMITS,
  accountId: number,
): Attempts {
  const { reason, ...limit } = LIMITS[what]
  return { reason, limits: [{ meter: `${what} of ${accountId}`, ...limit }] }
}
