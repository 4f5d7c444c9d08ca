/** What the tests hash their keys with. */
export const PEPPER = 'pepper of the tests'
