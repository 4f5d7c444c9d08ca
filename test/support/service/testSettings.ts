/** What the tests hash their keys with. */
export const PEPPER = 'pepper of the tests'

/** The public address of every tested service, as its PUBLIC_URL says. */
export const PUBLIC_URL = 'http://surplus.test'
