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
