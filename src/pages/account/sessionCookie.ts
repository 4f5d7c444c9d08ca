import type { Request, Response } from 'express'
import { SESSION_DAYS } from '../../domain/accounts/limits.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** The cookie of a session: out of reach of scripts, and of forms and frames of other sites. */
export interface SessionCookie {
  read(req: Request): string | null
  write(res: Response, token: string): void
  clear(res: Response): void
}

/** Over HTTPS it bears the prefix `__Host-`: then no other host, no subdomain and no plain HTTP can have set it (RFC 6265bis). */
export function sessionCookie(publicUrl: string): SessionCookie {
  const secure = publicUrl.startsWith('https:')
  const name = secure ? '__Host-surplus-session' : 'surplus-session'
  const shape = new RegExp(`(?:^|;)\\s*${name}=([A-Za-z0-9_-]{43})\\s*(?:;|$)`)
  const options = { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const
  return {
    read: req => shape.exec(req.headers.cookie ?? '')?.[1] ?? null,
    write: (res, token) => void res.cookie(name, token, { ...options, maxAge: SESSION_DAYS * DAY_MS }),
    clear: res => void res.clearCookie(name, options),
  }
}
