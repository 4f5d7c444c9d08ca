import compression from 'compression'
import type { RequestHandler } from 'express'
import { BROTLI, MIN_BYTES } from '../../infra/codings.ts'

/** Compresses pages (Brotli and gzip). */
export function compressed(): RequestHandler {
  return compression({ threshold: MIN_BYTES, brotli: BROTLI })
}
