import type { Request, RequestHandler, Response } from 'express'
import { LRUCache } from 'lru-cache'
import { etagOf } from '../../infra/codings.ts'
import type { DataKind } from '../../infra/postgres/dataKind.ts'
import { fixedText } from './fixedText.ts'
import {
  type Page,
  type PageContext,
  renderPage,
  type Viewer,
} from './layout.ts'

/**
 * A page that is the same for everybody without a session: written and
 * compressed once for each kind of data.
 */
export function fixedPage(pageOf: (kind: DataKind) => Page): RequestHandler {
  const written = new Map<string, RequestHandler>()
  return async (req, res, next) => {
    const context = contextOf(req)
    const { kind, creditsOpenData } = context.data
    if (req.headers.cookie !== undefined)
      return sendPage(req, res, pageOf(kind))
    const name = `${kind} ${creditsOpenData}`
    const send =
      written.get(name) ??
      fixedText('html', renderPage(pageOf(kind), context, null))
    written.set(name, send)
    return send(req, res, next)
  }
}

/**
 * Sends a page with its header, banner and footer. Headers that are set before
 * stay; without a `Cache-Control`, caches must revalidate (Express answers 304
 * by the ETag). A page whose viewer cannot be read in time is sent without one.
 */
export async function sendPage(
  req: Request,
  res: Response,
  page: Page,
): Promise<void> {
  if (page.status) res.status(page.status)
  // A page about a failure does not wait for the database.
  const viewer = res.statusCode >= 500 ? null : await viewerOf(req)
  const caching = res.getHeader('Cache-Control') ?? 'no-cache'
  res.setHeader(
    'Cache-Control',
    viewer && caching !== 'no-store' ? 'private, no-cache' : caching,
  )
  if (viewer) {
    // Under `no-referrer` browsers would send the form of the header with
    // `Origin: null`.
    res.setHeader('Referrer-Policy', 'strict-origin')
    res.removeHeader('Access-Control-Allow-Origin')
  }
  const section = `/${req.originalUrl.split(/[/?]/)[1]}`
  res
    .type('html')
    .send(renderPage({ section, ...page }, contextOf(req), viewer))
}

/**
 * The account that is signed in; null for none, and where it cannot be read in
 * time.
 */
export function viewerOf(req: Request): Promise<Viewer | null> {
  return contextOf(req)
    .viewerOf(req)
    .catch(() => null)
}

function contextOf(req: Request) {
  return req.app.locals.pageContext as PageContext
}

/**
 * Since when the text at an address is as it is, in milliseconds since 1970, by
 * its ETag. Why: feed readers that know If-Modified-Since alone, once in 15 to
 * 60 minutes; npx vitest run test/pages/feeds.test.ts -t since
 */
const textsSince = new LRUCache<string, { etag: string; sinceMs: number }>({
  max: 5_000,
})

/**
 * Sends a text that is not a page. Caches must revalidate it, by its ETag or by
 * when it was first sent as it is: rows say when they changed, but not when
 * another one left, or entered again.
 * @param type a media type, or the ending of a file.
 */
export function sendText(res: Response, type: string, text: string): void {
  const { originalUrl } = res.req
  const etag = etagOf(text)
  const before = textsSince.get(originalUrl)
  // The header has whole seconds: another text never has the one of the text
  // before.
  const sinceMs =
    before?.etag === etag
      ? before.sinceMs
      : Math.max(Date.now(), (before?.sinceMs ?? 0) + 1_000)
  textsSince.set(originalUrl, { etag, sinceMs })
  const lastModified = new Date(sinceMs).toUTCString()
  res.type(type).set({
    'Cache-Control': 'no-cache',
    ETag: etag,
    'Last-Modified': lastModified,
  })
  res.send(text)
}
