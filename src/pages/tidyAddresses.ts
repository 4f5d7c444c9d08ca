import type { RequestHandler } from 'express'
import { type Contract, formOperation } from '../contract/document.ts'
import { OF_SEARCH_PAGE } from './kit/site.ts'

/**
 * The first part of the path of each page without parameters; empty for the
 * front page.
 */
const PLAIN_PAGES = [
  '',
  ...'prices lots pricing accuracy sources status data docs terms privacy'.split(
    ' ',
  ),
]
/** What mails, posts and ads add to an address to tell visits apart. */
const TRACKING =
  /^(?:(?:utm|mtm|pk|hsa|vero|oly)_\w+|\w*clk?id|gbraid|wbraid|igshid?|mc_[ce]id|mkt_tok|_g[al]|_hs(?:enc|mi)|ref(?:_src)?|si)$/i

/**
 * Redirects (302) the address of a page as people share and type it: without
 * the parameters that the page does not have, such as `utm_source` and
 * `fbclid`, in lower case, without a slash at the end. A feed only loses the
 * parameters that track visits, because a mistyped filter must not become a
 * feed of all lots. The target always begins with the name of a page, so no
 * address leads to another host. Addresses of programs stay strict.
 */
export function tidyAddresses(contract: Contract): RequestHandler {
  const filters = formOperation(contract).parameters.map(({ name }) => name)
  const parameters = new Map([
    ...PLAIN_PAGES.map((page): [string, string[]] => [page, []]),
    ['search', [...filters, ...OF_SEARCH_PAGE]],
    ['listings', ['from']],
  ])
  return (req, res, next) => {
    const target =
      req.method === 'GET' || req.method === 'HEAD'
        ? tidied(req.url, parameters)
        : req.url
    if (target === req.url) next()
    else res.redirect(302, target)
  }
}

function tidied(url: string, parameters: Map<string, string[]>): string {
  const [, sentPath = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(url) ?? []
  if (sentPath.startsWith('/feeds/'))
    return withQuery(sentPath, query, name => !TRACKING.test(name))
  const path = sentPath
    .toLowerCase()
    .replace(/\/+/g, '/')
    .replace(/(.)\/$/, '$1')
  const names = parameters.get(path.split('/')[1] ?? '')
  if (!names || !/^[a-z0-9/._-]*$/.test(path)) return url
  return withQuery(path, query, name => names.includes(name))
}

/**
 * A path with those pairs of a query that are kept, written as they were sent.
 */
function withQuery(
  path: string,
  query: string,
  keeps: (name: string) => boolean,
): string {
  const pairs = query
    .split('&')
    .filter(pair => pair === '' || keeps(parameterName(pair)))
  const kept = pairs.join('&')
  return kept === '' ? path : `${path}?${kept}`
}

/** The decoded name of a pair; empty where it is not valid UTF-8. */
function parameterName(pair: string): string {
  try {
    return decodeURIComponent(pair.split('=', 1)[0]!.replaceAll('+', ' '))
  } catch {
    return ''
  }
}
