import type { RequestHandler } from 'express'
import type { Contract } from '../contract/document.ts'

/** Paths that people try, and the page that each means. */
const MOVED = new Map([
  ['/index.html', '/'],
  ['/home', '/'],
  ['/listings', '/search'],
  ['/lots', '/search'],
  ['/plans', '/pricing'],
  ['/account', '/account'],
  ['/account/sign-in', '/account/sign-in'],
  ['/login', '/account/sign-in'],
  ['/log-in', '/account/sign-in'],
  ['/signin', '/account/sign-in'],
  ['/sign-in', '/account/sign-in'],
  ['/signup', '/account/sign-in'],
  ['/sign-up', '/account/sign-in'],
  ['/register', '/account/sign-in'],
  ['/logout', '/account'],
  ['/dashboard', '/account'],
  ['/api', '/docs/reference'],
  ['/reference', '/docs/reference'],
  ['/docs/api', '/docs/reference'],
  ['/documentation', '/docs'],
  ['/guides', '/docs'],
  ['/favicon.ico', '/favicon.svg'],
  ['/apple-touch-icon-precomposed.png', '/apple-touch-icon.png'],
])
/** The first part of the path of each page without parameters. */
const PLAIN_PAGES = [
  '',
  'prices',
  'lots',
  'map',
  'pricing',
  'accuracy',
  'sources',
  'status',
  'data',
  'terms',
  'privacy',
]

/**
 * Redirects (302) the address of a page as people type and share it: without the parameters that the page does not have, such as
 * `utm_source` and `fbclid`, in lower case, without a slash at the end. The target always begins with the name of a page, so no
 * address leads to another host. Addresses of programs, and those with a secret in the path, are in neither table and stay strict.
 */
export function tidyAddresses(contract: Contract): RequestHandler {
  const search = contract.operations.find(({ operationId }) => operationId === 'searchListings')
  const filters = (search?.parameters ?? []).map(({ name }) => name)
  const parameters = new Map([
    ...PLAIN_PAGES.map((page): [string, Set<string>] => [page, new Set()]),
    ['search', new Set(filters)],
    ['listings', new Set(['from'])],
    ['docs', new Set(['q'])],
  ])
  return (req, res, next) => {
    const target = req.method === 'GET' || req.method === 'HEAD' ? tidied(req.url, parameters) : req.url
    if (target === req.url) next()
    else res.redirect(302, target)
  }
}

function tidied(url: string, parameters: Map<string, Set<string>>): string {
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
  const kept = names ? pairs.filter(pair => pair === '' || names.has(parameterName(pair))) : pairs
  if (path === sentPath && kept.length === pairs.length) return url
  const rest = kept.filter(pair => pair !== '').join('&')
  return rest === '' ? path : `${path}?${rest}`
}

/** The decoded name of a pair; empty where it is not valid UTF-8. */
function parameterName(pair: string): string {
  try {
    return decodeURIComponent(pair.split('=', 1)[0]!.replaceAll('+', ' '))
  } catch {
    return ''
  }
}
