/** In this order, because most of them also claim to be those after them. */
const BROWSERS: [string, RegExp][] = [
  ['Edge', /Edg(A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox\/|FxiOS\//],
  ['Chrome', /Chrome\/|CriOS\//],
  ['Safari', /Safari\//],
]
const SYSTEMS: [string, RegExp][] = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['ChromeOS', /CrOS/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
]

/** A browser in words, such as "Firefox on Linux", so that the User-Agent itself is not stored. */
export function browserName(userAgent: string): string {
  const named = (table: [string, RegExp][]) => table.find(([, pattern]) => pattern.test(userAgent))?.[0]
  const [browser = 'Unknown browser', system] = [named(BROWSERS), named(SYSTEMS)]
  return system ? `${browser} on ${system}` : browser
}
