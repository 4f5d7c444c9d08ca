import { invalidRequest } from '../../contract/errors.ts'

/** The hosts of a URL that is of this machine. */
export const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** How addresses of pages name a key or a message. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const LONGEST_NAME = 60
/**
 * A search of 200 characters that are none of ASCII, as the query of an
 * address.
 */
const LONGEST_PATH = 3_000

/**
 * The name that an account gives to something: one line of visible characters.
 * Control and bidirectional characters are refused, because they can make one
 * name look like another.
 * @param longest in characters.
 * @returns null when the text is not such a name.
 */
export function ownName(text: string, longest: number): string | null {
  const name = text.trim().normalize('NFC')
  const length = [...name].length
  return length >= 1 && length <= longest && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name)
    ? name
    : null
}

/**
 * The name of a key, of 1 to 60 characters; null when the text is not such a
 * name.
 */
export function keyName(text: string): string | null {
  return ownName(text, LONGEST_NAME)
}

/**
 * A path on this service to continue to, or null. Refuses everything that a
 * browser could read as another host: `//host`, `/\host`, a scheme, and the
 * tabs and line ends that browsers drop before they parse.
 */
export function localPath(text: string): string | null {
  if (
    text.length > LONGEST_PATH ||
    !/^\/(?![/\\])[\x21-\x7e]*$/.test(text) ||
    text.includes('\\')
  )
    return null
  const home = 'http://home.invalid'
  return URL.canParse(text, home) && new URL(text, home).origin === home
    ? text
    : null
}

/** RFC 5321, 4.5.3.1. */
const LONGEST_ADDRESS = 254
const LONGEST_LOCAL_PART = 64

const LOCAL_PART =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const DOMAIN =
  /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/

/**
 * An e-mail address in its one stored form: lower case, ASCII (an international
 * domain as `xn--…`), a dot in the domain. Letters that only look alike, or
 * that become ASCII when their case changes, are refused and never mapped:
 * otherwise the addresses of two people could become one account.
 * @returns null when the text is not such an address.
 */
export function emailAddress(text: string): string | null {
  const trimmed = text.replace(/^[ \t]+|[ \t]+$/g, '')
  if (trimmed.length > LONGEST_ADDRESS || !/^[\x21-\x7e]+$/.test(trimmed))
    return null
  const address = trimmed.toLowerCase()
  const at = address.lastIndexOf('@')
  const local = address.slice(0, Math.max(at, 0))
  if (local.length > LONGEST_LOCAL_PART || !LOCAL_PART.test(local)) return null
  return DOMAIN.test(address.slice(at + 1)) ? address : null
}

/**
 * The e-mail address that a person typed, in its stored form.
 * @throws ApiError 400 for anything else.
 */
export function requiredEmailAddress(typed: string): string {
  const address = emailAddress(typed)
  if (address !== null) return address
  throw invalidRequest(
    'This email address cannot be used. Enter one like name@example.com, in plain ASCII letters.',
  )
}

/** In this order, because most of them also claim to be those after them. */
const BROWSERS = {
  Edge: /Edg(A|iOS)?\//,
  Opera: /OPR\//,
  Firefox: /Firefox\/|FxiOS\//,
  Chrome: /Chrome\/|CriOS\//,
  Safari: /Safari\//,
}
const SYSTEMS = {
  iPhone: /iPhone/,
  iPad: /iPad/,
  Android: /Android/,
  Windows: /Windows/,
  ChromeOS: /CrOS/,
  macOS: /Mac OS X/,
  Linux: /Linux/,
}

/**
 * A browser in words, such as "Firefox on Linux", so that the User-Agent itself
 * is not stored.
 */
export function browserName(userAgent: string): string {
  const named = (table: Record<string, RegExp>) =>
    Object.entries(table).find(([, pattern]) => pattern.test(userAgent))?.[0]
  const [browser = 'Unknown browser', system] = [
    named(BROWSERS),
    named(SYSTEMS),
  ]
  return system ? `${browser} on ${system}` : browser
}
