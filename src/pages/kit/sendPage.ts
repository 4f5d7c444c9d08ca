import type { Request, RequestHandler, Response } from 'express'
import type { DataKind } from '../../infra/postgres/dataVersion.ts'
import { fixedText } from './fixedText.ts'
import { type Page, renderPage, type Viewer } from './layout.ts'

/** What every page is sent with; `createApp` sets it as `app.locals.pageContext`. */
export interface PageContext {
  /** Read for each page: the data can become demo data while the process runs. */
  data: { kind: DataKind; creditsOpenData?: boolean }
  /** Whether mails are kept in the demo mailbox, because there is no mail server. */
  hasMailbox: boolean
  /** The account that is signed in in the browser of a request; null for none. */
  viewerOf(req: Request): Promise<Viewer | null>
}

/** A page that is the same for everybody without a session: written and compressed once for each kind of data. */
export function fixedPage(pageOf: (kind: DataKind) => Page): RequestHandler {
  const written = new Map<string, RequestHandler>()
  return async (req, res, next) => {
    const { data, hasMailbox } = req.app.locals.pageContext as PageContext
    const { kind, creditsOpenData } = data
    const name = `${kind} ${creditsOpenData}`
    if (req.headers.cookie !== undefined) return sendPage(req, res, pageOf(kind))
    const frame = { viewer: null, isDemo: kind === 'demo', creditsOpenData, hasMailbox }
    const send = written.get(name) ?? fixedText('html', renderPage(pageOf(kind), frame))
    written.set(name, send)
    return send(req, res, next)
  }
}

/**
 * Sends a page with its header, banner and footer. The status and headers that are set before stay; without a `Cache-Control`, caches
 * must revalidate (Express answers 304 by the ETag). A page whose viewer cannot be read in time is sent without one.
 */
export async function sendPage(req: Request, res: Response, page: Page) {
  const { data, hasMailbox } = req.app.locals.pageContext as PageContext
  // A page about a failure does not wait for the database.
  const viewer = res.statusCode >= 500 ? null : await viewerOf(req)
  const caching = res.getHeader('Cache-Control') ?? 'no-cache'
  res.setHeader('Cache-Control', viewer && caching !== 'no-store' ? 'private, no-cache' : caching)
  if (viewer) {
    // Under `no-referrer` browsers would send the form of the header with `Origin: null`.
    res.setHeader('Referrer-Policy', 'strict-origin')
    res.removeHeader('Access-Control-Allow-Origin')
  }
  const section = `/${req.originalUrl.split(/[/?]/)[1]}`
  const { kind, creditsOpenData } = data
  const frame = { viewer, isDemo: kind === 'demo', creditsOpenData, hasMailbox }
  res.type('html').send(renderPage({ section, ...page }, frame))
}

/** The account that is signed in; null for none, and where it cannot be read in time. */
export function viewerOf(req: Request) {
  return (req.app.locals.pageContext as PageContext).viewerOf(req).catch(() => null)
}

/** Sends a text that is not a page. Caches must revalidate it. @param type a media type, or the ending of a file. */
export function sendText(res: Response, type: string, text: string) {
  res.type(type).setHeader('Cache-Control', 'no-cache')
  res.send(text)
}
