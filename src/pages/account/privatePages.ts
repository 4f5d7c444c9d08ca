import type { NextFunction, Request, Response } from 'express'

/** Before every page of an account: nobody else's script may read it, nothing keeps it, no search engine lists it. */
export function keepPrivate(_req: Request, res: Response, next: NextFunction): void {
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('X-Robots-Tag', 'noindex')
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
  // Under `no-referrer` browsers send forms with `Origin: null` (Fetch, 3.2); this names the origin, and never a link's token.
  res.setHeader('Referrer-Policy', 'strict-origin')
  // The API is open to any origin; these pages are not.
  res.removeHeader('Access-Control-Allow-Origin')
  res.removeHeader('Access-Control-Expose-Headers')
  next()
}

/** The query of an address, by name; of a repeated name the first. */
export function queryOf(req: Request): URLSearchParams {
  const start = req.url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : req.url.slice(start + 1))
}
