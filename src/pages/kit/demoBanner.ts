import type { RequestHandler } from 'express'
import { type DataKind, DEMO_NOTICE } from '../../infra/postgres/dataVersion.ts'

const MAILBOX = ' <a href="/demo/mailbox">The mails of this service</a>.'

/**
 * Puts a banner on top of every page while the data are demo data. Here and not in `layout`, because some pages are rendered
 * once, when the process starts, and the data can become demo data later.
 * @param hasMailbox whether mails are kept on a page, because there is no mail server.
 */
export function demoBanner(data: { kind: DataKind }, hasMailbox: boolean): RequestHandler {
  const banner = `<aside class="demo" aria-label="Demo data">${DEMO_NOTICE}${hasMailbox ? MAILBOX : ''}</aside>`
  return (_req, res, next) => {
    if (data.kind !== 'demo') return next()
    const send = res.send.bind(res)
    res.send = body =>
      send(
        typeof body === 'string' && body.startsWith('<!DOCTYPE html>')
          ? body.replace(/<body[^>]*>/, `$&\n${banner}`)
          : body,
      )
    next()
  }
}
