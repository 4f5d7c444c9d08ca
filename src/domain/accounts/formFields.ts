/** How addresses of pages name a key or a message. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const LONGEST_NAME = 60
/** A search of 200 characters that are none of ASCII, as the query of an address. */
const LONGEST_PATH = 3_000

/**
 * The name that an account gives to something: one line of visible characters. Control and bidirectional characters are refused,
 * because they can make one name look like another.
 * @param longest in characters.
 * @returns null when the text is not such a name.
 */
export function ownName(text: string, longest: number): string | null {
  const name = text.trim().normalize('NFC')
  const length = [...name].length
  return length >= 1 && length <= longest && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name) ? name : null
}

/** The name of a key, of 1 to 60 characters; null when the text is not such a name. */
export function keyName(text: string): string | null {
  return ownName(text, LONGEST_NAME)
}

/**
 * A path on this service to continue to, or null. Refuses everything that a browser could read as another host: `//host`,
 * `/\host`, a scheme, and the tabs and line ends that browsers drop before they parse.
 */
export function localPath(text: string): string | null {
  if (text.length > LONGEST_PATH || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || text.includes('\\'))
    return null
  const home = 'http://home.invalid'
  return URL.canParse(text, home) && new URL(text, home).origin === home ? text : null
}
