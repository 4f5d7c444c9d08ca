import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'

/** A page as a browser asks for it. */
export interface ReadPage {
  status: number
  headers: Headers
  html: string
  /** What stands on it, a space where its markup was. */
  words: string
}

const BROWSER = {
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Encoding': 'gzip',
}

/**
 * Opens an address with the Accept header of a browser. Not by fetch: beside If-None-Match it asks
 * for a fresh answer.
 */
export async function readPage(
  address: string,
  headers: Record<string, string> = {},
): Promise<ReadPage> {
  const asked = get(address, { headers: { ...BROWSER, ...headers } })
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  const body = await buffer(answer)
  const html = (answer.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString()
  return {
    status: answer.statusCode ?? 0,
    headers: new Headers(answer.headers as Record<string, string>),
    html,
    words: wordsOf(html),
  }
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#x27': "'",
}

/** A text as it was before it was escaped. */
export function unescaped(markup: string): string {
  return markup.replace(/&(amp|lt|gt|quot|#39|#x27);/g, (_, name) => ENTITIES[name]!)
}

/** What stands on a page, a space where its markup was. */
export function wordsOf(html: string): string {
  return unescaped(
    html.replace(/<script[\s\S]*?<\/script>/g, ' ').replace(/<[^>]*>/g, ' '),
  ).replace(/\s+/g, ' ')
}
