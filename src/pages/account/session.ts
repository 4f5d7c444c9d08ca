import type { Request, RequestHandler, Response } from 'express'
import { SESSION_DAYS } from '../../domain/accounts/limits.ts'
import { formToken, hashToken } from '../../domain/accounts/secretToken.ts'
import { findSession } from '../../infra/accounts/sessions.ts'
import type { Deps } from '../../usecases/deps.ts'
import type { Viewer } from '../kit/layout.ts'
import { assertFormOf, type Fields, fieldsOf } from '../kit/requests.ts'

const DAY_MS = 24 * 60 * 60 * 1000

type Show = (viewer: Viewer, req: Request, res: Response) => Promise<void>
type Change = (viewer: Viewer, fields: Fields, req: Request, res: Response) => Promise<void>

export type Sessions = ReturnType<typeof createSessions>

/** The sessions of browsers, and the handlers that need one. */
export function createSessions({ primary, now, pepper, publicUrl }: Deps) {
  const cookie = sessionCookie(publicUrl)
  /** Read once a request: its handler and the header of its page need it. */
  const found = new WeakMap<Request, Promise<Viewer | null>>()
  function viewer(req: Request): Promise<Viewer | null> {
    const finding = found.get(req) ?? find(req)
    found.set(req, finding)
    return finding
  }
  async function find(req: Request): Promise<Viewer | null> {
    const token = cookie.read(req)
    if (token === null) return null
    const account = await primary(sql => findSession(sql, hashToken(pepper, 'session', token), now()))
    return account && { ...account, token, formToken: formToken(token) }
  }
  return {
    cookie,
    viewer,
    /** A handler of a page. Without a session it redirects to the sign-in page, which leads back here. */
    page(show: Show): RequestHandler {
      return async (req, res) => {
        const found = await viewer(req)
        if (found) return show(found, req, res)
        res.redirect(303, `/account/sign-in?next=${encodeURIComponent(req.originalUrl)}`)
      }
    },
    /** A handler of a change. Redirects to the sign-in page without a session; refuses a form of another session. */
    change(work: Change): RequestHandler {
      return async (req, res) => {
        const found = await viewer(req)
        if (!found) return res.redirect(303, '/account/sign-in')
        const fields = fieldsOf(req)
        assertFormOf(found.token, fields)
        await work(found, fields, req, res)
      }
    },
  }
}

/**
 * The cookie of a session. Scripts cannot read it, and forms and frames of other sites do not send it. Over HTTPS its name begins
 * with `__Host-`, so that no other host, no subdomain and no plain HTTP can set it (RFC 6265bis).
 */
function sessionCookie(publicUrl: string) {
  const secure = publicUrl.startsWith('https:')
  const name = secure ? '__Host-surplus-session' : 'surplus-session'
  const shape = new RegExp(`(?:^|;)\\s*${name}=([A-Za-z0-9_-]{43})\\s*(?:;|$)`)
  const options = { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const
  return {
    read: (req: Request) => shape.exec(req.headers.cookie ?? '')?.[1] ?? null,
    write: (res: Response, token: string) =>
      void res.cookie(name, token, { ...options, maxAge: SESSION_DAYS * DAY_MS }),
    clear: (res: Response) => void res.clearCookie(name, options),
  }
}
