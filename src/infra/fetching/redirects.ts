import { FetchFailure } from './jsonBody.ts'

/** The address that an answer redirects to, as the source wrote it; null for another answer. */
export function redirectOf({ status, headers }: Response): string | null {
  return status >= 300 && status <= 399 && status !== 304 ? headers.get('location') : null
}

/** The secret headers, and a key that the operator wrote into the address. */
export function secretsOf(address: URL, headers: Record<string, string>): string[] {
  const inAddress = [...address.searchParams].filter(([name]) => /key|token|secret/i.test(name))
  return [...Object.values(headers), ...inAddress.map(([, value]) => value)].filter(secret => secret !== '')
}

/**
 * The address of a redirect. A key that the source repeats in it is not sent to another host: the value of a parameter is
 * removed, and anywhere else the redirect is refused.
 * @throws FetchFailure when the redirect is refused; the reason names only hosts.
 */
export function nextHop(
  from: URL,
  location: string,
  { allowed, secrets }: { allowed: readonly string[]; secrets: readonly string[] },
): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : null
  if (to === null || !mayRedirect(from, to, allowed)) {
    throw new FetchFailure(
      `${from.host} redirects to ${to?.host ?? 'an invalid address'}, which is not among the hosts allowed for it.`,
    )
  }
  if (to.host === from.host) return to
  for (const [name, value] of [...to.searchParams]) {
    if (secrets.includes(value)) to.searchParams.delete(name)
  }
  if (secrets.some(secret => holds(to, secret)))
    throw new FetchFailure(`${from.host} redirects to ${to.host} with our key in the address.`)
  return to
}

/**
 * Whether a redirect is allowed: to the source's own host, or to one that the operator allows. Never from https to http, and never
 * to an address with a password.
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
