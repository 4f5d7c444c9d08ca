import type { Request, RequestHandler, Response } from 'express'
import type { SignedIn } from '../../infra/accounts/sessions.ts'
import { readSession } from '../../usecases/accounts/session.ts'
import type { Deps } from '../../usecases/deps.ts'
import { assertFormOf, type Fields, fieldsOf } from './forms.ts'
import { type SessionCookie, sessionCookie } from './sessionCookie.ts'

/** Who is signed in, in this browser. */
interface Visitor extends SignedIn {
  /** The token of the session. */
  token: string
}

/** The session of a browser, and what needs one. */
export interface SessionDoor {
  cookie: SessionCookie
  visitor(req: Request): Promise<Visitor | null>
  /** A handler of a change: without a session one is sent to sign in; the form must be of the session. */
  change(
    work: (visitor: Visitor, fields: Fields, req: Request, res: Response) => Promise<void>,
  ): RequestHandler
}

export function createSessionDoor(deps: Deps): SessionDoor {
  const cookie = sessionCookie(deps.publicUrl)
  async function visitor(req: Request): Promise<Visitor | null> {
    const token = cookie.read(req)
    const caller = token === null ? null : await readSession(deps, token)
    return caller && token !== null ? { ...caller, token } : null
  }
  return {
    cookie,
    visitor,
    change: work => async (req, res) => {
      const found = await visitor(req)
      if (!found) return res.redirect(303, '/account/sign-in')
      const fields = fieldsOf(req)
      assertFormOf(found.token, fields)
      await work(found, fields, req, res)
    },
  }
}
