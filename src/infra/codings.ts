import { createHash } from 'node:crypto'
import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import type { Request } from 'express'

/** A content coding, or null for a body that is sent as it is. */
export type Coding = 'zstd' | 'br' | 'gzip' | null

/** Smaller bodies fit into one packet as they are. */
export const MIN_BYTES = 1_000
/** Higher levels take twice to many times as long for a few percent. */
const GZIP = { level: 4, chunkSize: 65_536 }
/** With the default window of 4 MB, a stream takes so much memory that V8 collects garbage for it: an export of 2,000 lots costs 60 % more. */
export const BROTLI = {
  params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4, [zlib.constants.BROTLI_PARAM_LGWIN]: 18 },
}
/** Present from Node 22.15 on. */
const { zstdCompress, createZstdCompress } = zlib as {
  zstdCompress?: typeof zlib.gzip
  createZstdCompress?: () => Transform
}

const brotli = promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)
const gzip = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gzip)
const zstd = zstdCompress && promisify<zlib.InputType, Buffer>(zstdCompress)
/** In the order of preference; clients that list several mostly give all the same weight. */
const CODINGS = [...(zstd ? (['zstd'] as const) : []), 'br', 'gzip'] as const

/** The ETag of a body: weak, because its compressed form has the same one. */
export function etagOf(body: string | Buffer) {
  return `W/"${createHash('sha1').update(body).digest('base64url')}"`
}

/** The coding for a body of this length, which the client accepts. The response varies with Accept-Encoding. */
export function codingFor(req: Request, bytes: number): Coding {
  if (bytes < MIN_BYTES || req.headers['accept-encoding'] === undefined) return null
  return CODINGS.find(coding => req.acceptsEncodings(coding) === coding) ?? null
}

/** Compresses off the event loop. */
export async function encode(text: string | Buffer, coding: NonNullable<Coding>) {
  if (coding === 'br') return brotli(text, BROTLI)
  return coding === 'zstd' && zstd ? zstd(text) : gzip(text, GZIP)
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
) {
  const body = kept.get(name) ?? encode(text, coding)
  kept.set(name, body)
  return body
}

/** A stream that compresses what is written into it. */
export function encoder(coding: NonNullable<Coding>) {
  if (coding === 'br') return zlib.createBrotliCompress(BROTLI)
  return coding === 'zstd' && createZstdCompress ? createZstdCompress() : zlib.createGzip(GZIP)
}
