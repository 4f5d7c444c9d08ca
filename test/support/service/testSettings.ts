/** What the tests hash their keys with. */
export const PEPPER = 'a pepper for tests, 32 characters or more'

/** The public address of every tested service, as its PUBLIC_URL says. */
export const PUBLIC_URL = 'http://surplus.test'

/** The token that every tested service requires for `GET /metrics`: PUBLIC_URL is not local. */
export const METRICS_TOKEN = 'token of the tests'
