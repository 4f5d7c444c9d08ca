import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Request, RequestHandler, Response } from 'express'

type Coding = 'br' | 'gzip'

const LEAST_BYTES = 1_000
/** One more level takes the renderer of the reference (4.4 MB) twice as long, for a few percent. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** Compresses off the event loop. */
const COMPRESS: Record<Coding, (bytes: Buffer) => Promise<Buffer>> = {
  br: bytes => promisify<Buffer, object, Buffer>(brotliCompress)(bytes, BROTLI),
  gzip: promisify<Buffer, Buffer>(gzip),
}

/**
 * Sends a text that never changes while the process runs: its ETag is made once, and its bytes are compressed once for each coding.
 * Express answers HEAD.
 * @param type a media type, or the ending of a file.
 * @param caching caches must revalidate unless it says otherwise.
 */
// Earns: callers beside a stranger who reads the longest texts again and again; npx vitest run test/hostile/entrance.test.ts
export function fixedText(type: string, content: string | Buffer, caching = 'no-cache'): RequestHandler {
  const bytes = Buffer.from(content)
  const etag = `W/"${createHash('sha1').update(bytes).digest('base64url')}"`
  const encoded = new Map<Coding, Promise<Buffer>>()
  return async (req: Request, res: Response) => {
    res.type(type).set({ 'Cache-Control': caching, ETag: etag })
    // Express adds it to a text, but not to bytes.
    const sentType = String(res.get('Content-Type'))
    if (typeof content === 'string' && !sentType.includes('charset'))
      res.set('Content-Type', `${sentType}; charset=utf-8`)
    res.vary('Accept-Encoding')
    if (req.fresh) return void res.status(304).end()
    const coding = bytes.length < LEAST_BYTES ? undefined : codingOf(req)
    if (!coding) return void res.send(bytes)
    const body = encoded.get(coding) ?? COMPRESS[coding](bytes)
    encoded.set(coding, body)
    res.setHeader('Content-Encoding', coding)
    res.send(await body)
  }
}

/** Clients that list both mostly give them the same weight. */
function codingOf(req: Request): Coding | undefined {
  return (['br', 'gzip'] as const).find(coding => req.acceptsEncodings(coding) === coding)
}
