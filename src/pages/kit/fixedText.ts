import type { RequestHandler } from 'express'
import {
  codingFor,
  type Encoded,
  encodeOnce,
  etagOf,
} from '../../infra/codings.ts'

/** What is compressed already. */
const PACKED = /gzip|image\/png/

/**
 * Sends what never changes while the process runs: its ETag is made once, and
 * its bytes are compressed once for each coding, unless they are already.
 * Express answers HEAD.
 * @param type a media type, or the ending of a file.
 * @param caching caches must revalidate unless it says otherwise.
 */
// Why: callers beside a stranger who reads the longest texts again and again; npx vitest run test/hostile/entrance.test.ts
export function fixedText(
  type: string,
  content: string | Buffer,
  caching = 'no-cache',
): RequestHandler {
  const isText = typeof content === 'string'
  // A file of 4 MB is not held twice.
  const bytes = isText ? Buffer.from(content) : content
  const etag = etagOf(bytes)
  const encoded: Encoded = new Map()
  return async (req, res) => {
    res.type(type).set({ 'Cache-Control': caching, ETag: etag })
    // Express adds it to a text, but not to bytes.
    const sentType = String(res.get('Content-Type'))
    if (isText && !sentType.includes('charset'))
      res.set('Content-Type', `${sentType}; charset=utf-8`)
    res.vary('Accept-Encoding')
    if (req.fresh) return void res.status(304).end()
    const coding = PACKED.test(sentType) ? null : codingFor(req, bytes.length)
    if (!coding) return void res.send(bytes)
    res.setHeader('Content-Encoding', coding)
    res.send(await encodeOnce(encoded, bytes, coding))
  }
}
