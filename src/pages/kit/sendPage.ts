import type { Request, RequestHandler, Response } from 'express'
import type { DataKind } from '../../infra/postgres/dataVersion.ts'
import { fixedText } from './fixedText.ts'
import { type Page, type PageContext, renderPage } from './layout.ts'

/** A page that is the same for everybody without a session: written and compressed once for each kind of data. */
export function fixedPage(pageOf: (kind: DataKind) => Page): RequestHandler {
  const written = new Map<string, RequestHandler>()
  return async (req, res, next) => {
    const context = contextOf(req)
    const { kind, creditsOpenData } = context.data
    if (req.headers.cookie !== undefined) return sendPage(req, res, pageOf(kind))
    const name = `${kind} ${creditsOpenData}`
    const send = written.get(name) ?? fixedText('html', renderPage(pageOf(kind), context, null))
    written.set(name, send)
    return send(req, res, next)
  }
}

/**
 * Sends a page with its header, banner and footer. Headers that are set before stay; without a `Cache-Control`, caches
 * must revalidate (Express answers 304 by the ETag). A page whose viewer cannot be read in time is sent without one.
 */
export async function sendPage(req: Request, res: Response, page: Page) {
  if (page.status) res.status(page.status)
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
  res.type('html').send(renderPage({ section, ...page }, contextOf(req), viewer))
}

/** The account that is signed in; null for none, and where it cannot be read in time. */
export function viewerOf(req: Request) {
  return contextOf(req)
    .viewerOf(req)
    .catch(() => null)
}

function contextOf(req: Request) {
  return req.app.locals.pageContext as PageContext
}

/** Sends a text that is not a page. Caches must revalidate it. @param type a media type, or the ending of a file. */
export function sendText(res: Response, type: string, text: string) {
  res.type(type).setHeader('Cache-Control', 'no-cache')
  res.send(text)
}
