import type { Response } from 'supertest'

/** The addresses in the Link header (RFC 8288) by their relation, in the order of the header. */
export function linksOf({ headers }: Response): Record<string, string> {
  const links = [...String(headers.link).matchAll(/<([^>]*)>; rel="([^"]*)"/g)]
  return Object.fromEntries(links.map(([, address = '', relation = '']) => [relation, address]))
}
