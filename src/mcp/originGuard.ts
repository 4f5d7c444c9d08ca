import { localhostAllowedOrigins, validateOriginHeader } from '@modelcontextprotocol/server'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { ApiError } from '../domain/errors.ts'

const LONGEST_SHOWN = 80

/**
 * Keeps web pages of other origins out, as the protocol demands (DNS rebinding). Only browsers send `Origin`, and they
 * send it with every POST; any other client is let through. Ports and schemes are not compared.
 * @param hosts that are allowed besides the service's own and this machine; `moz-extension://*` allows a scheme.
 */
export function originGuard(publicUrl: string, hosts: string[]): RequestHandler {
  const allowed = [new URL(publicUrl).hostname, ...localhostAllowedOrigins(), ...hosts]
  return (req: Request, _res: Response, next: NextFunction) => {
    const { origin } = req.headers
    if (!validateOriginHeader(origin, allowed).ok) {
      const shown = String(origin).slice(0, LONGEST_SHOWN)
      throw new ApiError('forbidden', `Web pages of "${shown}" may not call the agent endpoint.`)
    }
    next()
  }
}
