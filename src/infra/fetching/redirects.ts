import { escaped } from '../../domain/pattern.ts'
import { FetchFailure } from './jsonBody.ts'

/** A request to a source. */
export interface Request {
  url: URL
  /**
   * Sent to the host of `url` alone: a key in here never follows a redirect.
   */
  secretHeaders?: Record<string, string>
  /** Other hosts that the source may redirect to. */
  redirectHosts: readonly string[]
  /**
   * The answer is all that there is, so that a source can say that it has not
   * changed.
   */
  isWhole?: boolean
  /** How many redirects are followed, one after the other; absent: one. */
  mostRedirects?: number
  /** The answer is a file, not JSON. */
  isFile?: boolean
}

/**
 * The address of a redirect of a request. A key that the source repeats in it
 * is not sent to another host: the value of a parameter is removed, and
 * anywhere else the redirect is refused.
 * @param request its `secretHeaders` are the keys, besides one that the
 * operator wrote into the address.
 * @param at where the redirect was answered.
 * @throws FetchFailure when the redirect is refused; the reason names only
 * hosts.
 */
export function nextHop(
  { url: from, secretHeaders = {}, redirectHosts }: Request,
  location: string,
  at: URL,
) {
  const to = URL.canParse(location, at.href) ? new URL(location, at) : null
  if (to === null || !mayRedirect(at, to, redirectHosts))
    throw new FetchFailure(
      `${at.host} redirects to ${to?.host ?? 'an invalid address'}, which is not among the hosts allowed for it (redirect_hosts of its entry, or its setting …_REDIRECT_HOSTS).`,
    )
  if (to.host === from.host) return to
  const keys = [...from.searchParams].filter(([name]) =>
    /key|token|secret/i.test(name),
  )
  const secrets = [
    ...Object.values(secretHeaders),
    ...keys.map(([, value]) => value),
  ].filter(Boolean)
  for (const [name, value] of [...to.searchParams])
    if (secrets.includes(value)) to.searchParams.delete(name)
  if (secrets.some(secret => holds(to, secret)))
    throw new FetchFailure(
      `${from.host} redirects to ${to.host} with our key in the address.`,
    )
  return to
}

/**
 * Whether a redirect is allowed: to the source's own host, or to one that the
 * operator allows. Never from https to http, and never to an address with a
 * password.
 * @param allowed host names, each with a port where only that one is meant;
 * `*.example.com` is any host below it.
 */
export function mayRedirect(from: URL, to: URL, allowed: readonly string[]) {
  if (
    !/^https?:$/.test(to.protocol) ||
    (from.protocol === 'https:' && to.protocol !== 'https:')
  )
    return false
  if (to.username !== '' || to.password !== '') return false
  return (
    to.host === from.host ||
    allowed.some(pattern => isNamedBy(pattern.toLowerCase(), to))
  )
}

function isNamedBy(pattern: string, { host, hostname }: URL) {
  if (pattern.startsWith('*.')) return hostname.endsWith(pattern.slice(1))
  return pattern === hostname || pattern === host
}

/** As a whole word of the path or the query, plain or percent-encoded. */
function holds({ pathname, search }: URL, secret: string) {
  const word = new RegExp(`(?<![\\w-])${escaped(secret)}(?![\\w-])`)
  const written = pathname + search
  const decoded = written.replace(/%([\da-f]{2})/gi, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  return word.test(written) || word.test(decoded)
}
