import type { RequestHandler } from 'express'
import { type DataKind, DEMO_NOTICE } from '../../infra/postgres/dataVersion.ts'

const BANNER = `<aside class="demo" aria-label="Demo data">${DEMO_NOTICE}</aside>`

/**
 * Puts a banner on top of every page while the data are demo data. Here and not in `layout`, because some pages are rendered
 * once, when the process starts, and the data can become demo data later.
 */
export function demoBanner(data: { kind: DataKind }): RequestHandler {
  return (_req, res, next) => {
    if (data.kind !== 'demo') return next()
    const send = res.send.bind(res)
    res.send = body =>
      send(
        typeof body === 'string' && body.startsWith('<!doctype html>')
          ? body.replace(/<body[^>]*>/, `$&\n${BANNER}`)
          : body,
      )
    next()
  }
}
