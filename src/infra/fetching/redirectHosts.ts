import { FetchFailure } from './fetchFailure.ts'

/**
 * The address that a source sends us on to. A key that the source repeats in there is not carried to another host: as the
 * value of a parameter it is left out, and anywhere else it is refused.
 * @throws FetchFailure when we do not go there; it names hosts alone.
 */
export function nextHop(
  from: URL,
  location: string,
  { allowed, secrets }: { allowed: readonly string[]; secrets: readonly string[] },
): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : null
  if (to === null || !mayRedirect(from, to, allowed)) {
    throw new FetchFailure(
      `${from.host} sends us on to ${to?.host ?? 'an address that is none'}, which is not among the hosts allowed for it.`,
    )
  }
  if (to.host === from.host) return to
  for (const [name, value] of [...to.searchParams]) {
    if (secrets.includes(value)) to.searchParams.delete(name)
  }
  if (secrets.some(secret => holds(to, secret)))
    throw new FetchFailure(`${from.host} sends us on to ${to.host} with our key in the address.`)
  return to
}

/**
 * Whether a source may send us from one address to another: to its own host, or to one that the operator allows. Never
 * from https to http, and never to an address that holds a password.
 * @param allowed host names, each with a port where only that one is meant; `*.example.com` is any host below it.
 */
export function mayRedirect(from: URL, to: URL, allowed: readonly string[]): boolean {
  if (!/^https?:$/.test(to.protocol) || (from.protocol === 'https:' && to.protocol !== 'https:')) return false
  if (to.username !== '' || to.password !== '') return false
  return to.host === from.host || allowed.some(pattern => isNamedBy(pattern.toLowerCase(), to))
}

function isNamedBy(pattern: string, { host, hostname }: URL): boolean {
  if (pattern.startsWith('*.')) return hostname.endsWith(pattern.slice(1))
  return pattern === hostname || pattern === host
}

/** As a whole word of the path or the query, plain or percent-encoded. */
function holds({ pathname, search }: URL, secret: string): boolean {
  const word = new RegExp(`(?<![\\w-])${secret.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`)
  return [pathname + search, decoded(pathname + search)].some(text => word.test(text))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
