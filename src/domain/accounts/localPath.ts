const LONGEST_PATH = 200

/**
 * A path on this service to go on to, or null. Everything that a browser could read as another host is refused: `//host`,
 * `/\host`, a scheme, and the tabs and line ends that browsers drop before they look.
 */
export function localPath(text: string): string | null {
  if (text.length > LONGEST_PATH || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || text.includes('\\'))
    return null
  const home = 'http://home.invalid'
  return URL.canParse(text, home) && new URL(text, home).origin === home ? text : null
}
