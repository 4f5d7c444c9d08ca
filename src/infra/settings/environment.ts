import { distance } from 'fastest-levenshtein'
import { UserError } from '../../contract/errors.ts'

// Settings as they are written in the environment. Each reader throws a
// UserError that names the variable and what it must be.

/** The fewest characters of a secret that nobody guesses. */
export const LEAST_SECRET = 32

const unusable = (name: string, demand: string) =>
  new UserError(`${name} must ${demand}`, 2)

/**
 * Letters to change, add or remove between two names, at most this many in a
 * misspelled setting; one in a name of under eight letters, unless the same
 * letters stand in another order: HOME is not HOST, but PROT is PORT.
 */
const MOST_EDITS = 2
const inOrder = (name: string) => [...name].sort().join()

/** Settings whose names nearly are known ones, each with the known name. */
export function misspelled(
  env: NodeJS.ProcessEnv,
  known: ReadonlySet<string>,
): [string, string][] {
  return Object.keys(env)
    .filter(name => !known.has(name))
    .flatMap(name => {
      const near = [...known].find(
        one =>
          // Names that differ more in length are as far apart.
          Math.abs(name.length - one.length) <= MOST_EDITS &&
          distance(name, one) <=
            (one.length < 8 && inOrder(name) !== inOrder(one) ? 1 : MOST_EDITS),
      )
      return near ? [[name, near] as [string, string]] : []
    })
}

/** A text that may stand in a header. */
export function headerText(
  env: NodeJS.ProcessEnv,
  name: string,
  fallback: string,
): string {
  const text = env[name] || fallback
  if (!/^[\x20-\x7e]{1,200}$/.test(text))
    throw unusable(name, 'be at most 200 printable ASCII characters.')
  return text
}

/**
 * A secret that must be long enough not to be guessed; null where it is not
 * set. The error does not repeat it.
 */
export function secret(env: NodeJS.ProcessEnv, name: string): string | null {
  const text = env[name]
  if (!text) return null
  if (text.length >= LEAST_SECRET) return text
  throw unusable(
    name,
    `have at least ${LEAST_SECRET} characters. Make one with: openssl rand -hex 32`,
  )
}

/** A whole number within bounds. */
export function integer(
  env: NodeJS.ProcessEnv,
  name: string,
  fallback: number,
  least: number,
  most: number,
): number {
  const text = env[name]
  if (!text) return fallback
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw unusable(
    name,
    `be a whole number from ${least} to ${most}, not "${text}".`,
  )
}

/** Words with commas or spaces between them. */
export function list(
  env: NodeJS.ProcessEnv,
  name: string,
  fallback = '',
): string[] {
  return (env[name] ?? fallback).split(/[\s,]+/).filter(one => one !== '')
}

/**
 * Hosts with commas; an origin is taken for its host, and `moz-extension://*`
 * allows the pages of a scheme.
 */
export function hosts(env: NodeJS.ProcessEnv, name: string): string[] {
  return list(env, name).map(one => {
    if (/^[a-z][a-z0-9+.-]*:\/\/\*$/.test(one)) return one
    const origin = one.includes('://') ? one : `https://${one}`
    const isHost =
      URL.canParse(origin) && !/[*/@?#]/.test(one.replace(/^[^/]*:\/\//, ''))
    const host = isHost && new URL(origin).hostname
    if (host) return host
    throw unusable(
      name,
      `be hosts such as app.example.com, with commas, not "${one}".`,
    )
  })
}

/** A URL with one of these protocols; null when it is not set. */
export function url(
  env: NodeJS.ProcessEnv,
  name: string,
  protocols: string[],
): string | null {
  const text = env[name]
  if (!text) return null
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol))
    return text
  throw unusable(name, `be an address that begins with ${protocols[0]}//.`)
}

/**
 * The origin of a URL with one of these protocols, since pages and assets stand
 * at the root of their host; null when it is not set.
 */
export function originOf(
  env: NodeJS.ProcessEnv,
  name: string,
  protocols: string[],
): string | null {
  const text = url(env, name, protocols)
  if (!text) return null
  const { href, origin } = new URL(text)
  // A slash at the end means the same host.
  if (href.replace(/\/+$/, '') === origin) return origin
  throw unusable(name, `be a host without a path, such as ${origin}.`)
}

/** One of a few words. */
export function oneOf(
  env: NodeJS.ProcessEnv,
  name: string,
  fallback: string,
  values: string[],
): string {
  const text = env[name] || fallback
  if (values.includes(text)) return text
  throw unusable(name, `be one of ${values.join(', ')}, not "${text}".`)
}
