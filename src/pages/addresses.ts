import type { RequestHandler } from 'express'
import addresses from '../../data/page-addresses.json' with { type: 'json' }
import type { Contract } from '../contract/document.ts'

/** Addresses that people try, and the page that each means. */
const MOVED: Record<string, string> = addresses.moved
/** The parameters of pages, by the first part of the path; "*" means those of a search. */
const PARAMETERS: Record<string, string[]> = addresses.parameters

/**
 * Redirects (302) the address of a page as people type and share it: without the parameters that the page does not have, such as
 * `utm_source` and `fbclid`, in lower case, without a slash at the end. The target always begins with the name of a page, so no
 * address leads to another host. Addresses of programs, and those with a secret in the path, are in neither table and stay strict.
 */
export function tidyAddresses(contract: Contract): RequestHandler {
  const search = contract.operations.find(({ operationId }) => operationId === 'searchListings')
  const filters = (search?.parameters ?? []).map(({ name }) => name)
  const known = Object.entries(PARAMETERS).map(([page, names]): [string, Set<string>] => [
    page,
    new Set(names.flatMap(name => (name === '*' ? filters : name))),
  ])
  const parameters = new Map(known)
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
  const path = Object.hasOwn(MOVED, plain) ? MOVED[plain]! : plain
  const page = path.split('/')[1] ?? ''
  if (!/^[a-z0-9/._-]*$/.test(plain)) return url
  if (!Object.hasOwn(MOVED, plain) && !parameters.has(page)) return url
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
