import type { Request, RequestHandler, Response } from 'express'
import helmet from 'helmet'
import { PHOTO_HOSTS } from '../../domain/photos.ts'
import type { DataKind } from '../../infra/postgres/dataKind.ts'
import { headersOfData } from '../middleware/headersOfData.ts'
import { CATALOG } from './downloads.ts'
import type { Readiness } from './health.ts'

interface CommonHeadersOptions {
  publicUrl: string
  /**
   * Origins that a form may lead to besides this service: browsers apply the
   * policy to redirects after a form too.
   */
  formTargets: string[]
  readiness: Readiness
  data: { kind: DataKind }
}

/** Where programs that know only the name of the service begin (RFC 9727). */
const LEADS_TO_CATALOG = /^\/(docs|\.well-known\/api-catalog)?$/

/** Readable by scripts of any origin; clients steer by them. */
const EXPOSED_HEADERS = [
  ...[
    'RateLimit',
    'RateLimit-Policy',
    'RateLimit-Limit',
    'RateLimit-Remaining',
    'RateLimit-Reset',
  ],
  ...[
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'Retry-After',
  ],
  ...[
    'ETag',
    'Link',
    'Deprecation',
    'Sunset',
    'Content-Disposition',
    'X-Total-Count',
  ],
  ...['X-Request-Id', 'X-Data', 'WWW-Authenticate'],
].join(', ')

/**
 * Sets the headers of every response: the request id, what the data are, CORS
 * for any origin without credentials, and security headers. API responses get
 * only those that apply to JSON; pages get the full set of helmet, which it
 * computes per request.
 */
export function commonHeaders({
  publicUrl,
  formTargets,
  readiness,
  data,
}: CommonHeadersOptions): RequestHandler {
  const overHttps = publicUrl.startsWith('https:')
  const setPageHeaders = pageHeaders(overHttps, formTargets)
  const onApi = Object.entries(headersOfData(overHttps))
  return (req, res, next) => {
    res.setHeader('X-Request-Id', req.id)
    res.setHeader('X-Data', data.kind)
    res.setHeader('Access-Control-Allow-Origin', '*')
    res.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS)
    // Each client comes back on a new connection, which the load balancer gives
    // to another process.
    if (readiness.stopping) res.setHeader('Connection', 'close')
    if (req.method === 'OPTIONS') setPreflightHeaders(req, res)
    if (LEADS_TO_CATALOG.test(req.path))
      res.setHeader('Link', `<${publicUrl}${CATALOG}>; rel="api-catalog"`)
    if (!req.url.startsWith('/api/')) return setPageHeaders(req, res, next)
    for (const [name, value] of onApi) res.setHeader(name, value)
    next()
  }
}

/** The route answers the preflight itself, with 204 and `Allow`. */
function setPreflightHeaders(req: Request, res: Response) {
  res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST')
  res.setHeader('Access-Control-Max-Age', 86_400)
  res.vary('Access-Control-Request-Headers')
  const requested = req.headers['access-control-request-headers']
  if (requested) res.setHeader('Access-Control-Allow-Headers', requested)
}

function pageHeaders(overHttps: boolean, formTargets: string[]) {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        // Pages are text, one style sheet, one script, drawings, and photos at
        // their sources. The API reference sets its own policy.
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        scriptSrc: ["'self'"],
        imgSrc: [
          "'self'",
          'data:',
          ...PHOTO_HOSTS.map(host => `https://${host}`),
        ],
        baseUri: ["'none'"],
        formAction: ["'self'", ...formTargets],
        frameAncestors: ["'none'"],
      },
    },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    strictTransportSecurity: overHttps,
  })
}
