import { createHash } from 'node:crypto'
import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import type { Request } from 'express'

/** A content coding, or null for a body that is sent as it is. */
export type Coding = 'br' | 'gzip' | null

/** Smaller bodies fit into one packet as they are. */
export const MIN_BYTES = 1_000
/** Higher levels take twice to many times as long for a few percent. */
const GZIP = { level: 4, chunkSize: 65_536 }
/**
 * With the default window of 4 MB, a stream takes so much memory that V8
 * collects garbage for it: an export of 2,000 lots costs 60 % more.
 */
export const BROTLI = {
  params: {
    [zlib.constants.BROTLI_PARAM_QUALITY]: 4,
    [zlib.constants.BROTLI_PARAM_LGWIN]: 18,
  },
}

const brotli = promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(
  zlib.brotliCompress,
)
const gzip = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gzip)
/**
 * In the order of preference; clients that list several mostly give all the
 * same weight.
 */
const CODINGS = ['br', 'gzip'] as const
/** Of a coding that is accepted (RFC 9110, 12.4.2). */
const LEAST_WEIGHT = 0.001

/** The ETag of a body: weak, because its compressed form has the same one. */
export function etagOf(body: string | Buffer): string {
  return `W/"${createHash('sha1').update(body).digest('base64url')}"`
}

/**
 * The coding for a body of this length, which the client accepts. The response
 * varies with Accept-Encoding.
 */
export function codingFor(req: Request, bytes: number): Coding {
  const sent = req.headers['accept-encoding']?.toLowerCase()
  if (bytes < MIN_BYTES || !sent) return null
  // A weight of its own, or that of `*` (RFC 9110, 12.4.2).
  const weights = CODINGS.map(coding => {
    if (req.acceptsEncodings(coding, 'identity') !== coding) return 0
    const name = sent.includes(coding) ? coding : '[*]'
    return Number(
      new RegExp(`${name}\\s*;\\s*q=([\\d.]+)`).exec(sent)?.[1] ?? 1,
    )
  })
  return CODINGS[weights.indexOf(Math.max(...weights, LEAST_WEIGHT))] ?? null
}

/** Compresses off the event loop. */
export async function encode(
  text: string | Buffer,
  coding: NonNullable<Coding>,
): Promise<Buffer> {
  return coding === 'br' ? brotli(text, BROTLI) : gzip(text, GZIP)
}

/** Compressed bodies by name: a map, or a cache that forgets. */
export interface Encoded {
  get(name: string): Promise<Buffer> | undefined
  set(name: string, body: Promise<Buffer>): unknown
}

/** The same for what is sent again and again: it is compressed once. */
export function encodeOnce(
  kept: Encoded,
  text: string | Buffer,
  coding: NonNullable<Coding>,
  name: string = coding,
): Promise<Buffer> {
  const body = kept.get(name) ?? encode(text, coding)
  kept.set(name, body)
  return body
}

/** A stream that compresses what is written into it. */
export function encoder(coding: NonNullable<Coding>): Transform {
  return coding === 'br'
    ? zlib.createBrotliCompress(BROTLI)
    : zlib.createGzip(GZIP)
}
