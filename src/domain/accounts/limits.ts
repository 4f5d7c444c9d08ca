/** How long a sign-in link may be used, once. */
export const LINK_MINUTES = 15

/** How long a session lasts, however it is used. */
export const SESSION_DAYS = 14

/** Live keys of one account, those of an operator included. */
export const MOST_KEYS = 20

/** So many tries in so many seconds. */
export interface Allowance {
  /** Part of the meter's name. */
  name: string
  most: number
  seconds: number
}

const QUARTER_HOUR = 15 * 60
const DAY = 24 * 60 * 60

/** Sign-in links asked for from one network, whoever they are for. */
export const LINKS_OF_A_NETWORK: Allowance[] = [
  { name: 'links from', most: 20, seconds: QUARTER_HOUR },
  { name: 'links a day from', most: 100, seconds: DAY },
]

/** Sign-in links for one address, whoever asks. */
export const LINKS_OF_AN_ADDRESS: Allowance[] = [
  { name: 'links to', most: 3, seconds: QUARTER_HOUR },
  { name: 'links a day to', most: 10, seconds: DAY },
]

/** Keys made or rotated by one account. */
export const KEYS_OF_AN_ACCOUNT: Allowance[] = [{ name: 'keys of', most: 50, seconds: DAY }]

/** Ways to Stripe opened for one account. */
export const PAYMENTS_OF_AN_ACCOUNT: Allowance[] = [{ name: 'payments of', most: 20, seconds: 60 * 60 }]
