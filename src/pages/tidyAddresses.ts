import type { RequestHandler } from 'express'
import { type Contract, formOperation } from '../contract/document.ts'
import { OF_SEARCH_PAGE } from './kit/site.ts'

/** Pages, and the paths at which people look for them. */
const OTHER_PATHS: Record<string, string> = {
  '/': '/index.html /home',
  '/search': '/listings /lots',
  '/pricing': '/plans',
  '/account': '/account /logout /dashboard',
  '/account/sign-in': '/account/sign-in /login /log-in /signin /sign-in /signup /sign-up /register',
  '/docs': '/documentation /guides',
  '/docs/reference': '/api /reference /docs/api',
  '/favicon.svg': '/favicon.ico',
  '/apple-touch-icon.png': '/apple-touch-icon-precomposed.png',
}
const MOVED = new Map(
  Object.entries(OTHER_PATHS).flatMap(([page, paths]) => paths.split(' ').map(path => [path, page])),
)
/** The first part of the path of each page without parameters; empty for the front page. */
const PLAIN_PAGES = ['', ...'prices lots map pricing accuracy sources status data terms privacy'.split(' ')]

/**
 * Redirects (302) the address of a page as people type and share it: without the parameters that the page does not have, such as
 * `utm_source` and `fbclid`, in lower case, without a slash at the end. The target always begins with the name of a page, so no
 * address leads to another host. Addresses of programs, and those with a secret in the path, are in neither table and stay strict.
 */
export function tidyAddresses(contract: Contract): RequestHandler {
  const filters = formOperation(contract).parameters.map(({ name }) => name)
  const parameters = new Map([
    ...PLAIN_PAGES.map((page): [string, string[]] => [page, []]),
    ['search', [...filters, ...OF_SEARCH_PAGE]],
    ['listings', ['from']],
    ['docs', ['q']],
  ])
  return (req, res, next) => {
    const target = req.method === 'GET' || req.method === 'HEAD' ? tidied(req.url, parameters) : req.url
    if (target === req.url) next()
    else res.redirect(302, target)
  }
}

function tidied(url: string, parameters: Map<string, string[]>) {
  const [, sentPath = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(url) ?? []
  const plain = sentPath
    .toLowerCase()
    .replace(/\/+/g, '/')
    .replace(/(.)\/$/, '$1')
  const path = MOVED.get(plain) ?? plain
  const page = path.split('/')[1] ?? ''
  if (!/^[a-z0-9/._-]*$/.test(plain)) return url
  if (!MOVED.has(plain) && !parameters.has(page)) return url
  const names = parameters.get(page)
  const pairs = query.split('&')
  const kept = names ? pairs.filter(pair => pair === '' || names.includes(parameterName(pair))) : pairs
  if (path === sentPath && kept.length === pairs.length) return url
  const rest = kept.filter(pair => pair !== '').join('&')
  return rest === '' ? path : `${path}?${rest}`
}

/** The decoded name of a pair; empty where it is not valid UTF-8. */
function parameterName(pair: string) {
  try {
    return decodeURIComponent(pair.split('=', 1)[0]!.replaceAll('+', ' '))
  } catch {
    return ''
  }
}
