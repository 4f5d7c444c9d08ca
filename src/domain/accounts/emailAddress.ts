/** RFC 5321, 4.5.3.1. */
const LONGEST_ADDRESS = 254
const LONGEST_LOCAL_PART = 64

const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/

/**
 * An e-mail address in its one stored form: lower case, ASCII (an international domain as `xn--…`), a dot in the domain. Letters
 * that only look alike, or that become ASCII when their case changes, are refused and never mapped: otherwise the addresses of
 * two people could become one account.
 * @returns null when the text is not such an address.
 */
export function emailAddress(text: string): string | null {
  const trimmed = text.replace(/^[ \t]+|[ \t]+$/g, '')
  if (trimmed.length > LONGEST_ADDRESS || !/^[\x21-\x7e]+$/.test(trimmed)) return null
  const address = trimmed.toLowerCase()
  const at = address.lastIndexOf('@')
  const local = address.slice(0, Math.max(at, 0))
  if (local.length > LONGEST_LOCAL_PART || !LOCAL_PART.test(local)) return null
  return DOMAIN.test(address.slice(at + 1)) ? address : null
}
