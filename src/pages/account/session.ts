import type { Request, RequestHandler, Response } from 'express'
import { SESSION_DAYS } from '../../domain/accounts/limits.ts'
import { formToken, hashToken } from '../../domain/accounts/secretToken.ts'
import type { Owned } from '../../domain/alerts/savedSearch.ts'
import { DAY_MS } from '../../domain/durations.ts'
import { callOf } from '../../http/call.ts'
import { findSession } from '../../infra/accounts/sessions.ts'
import { ACCOUNT_PATH } from '../../usecases/accounts/signIn.ts'
import type { Deps } from '../../usecases/deps.ts'
import type { Page, Viewer } from '../kit/layout.ts'
import { assertFormOf, type Fields, formFields, idOf } from '../kit/requests.ts'
import { sendPage } from '../kit/sendPage.ts'
import type { Site } from '../kit/site.ts'

/**
 * What answers at an address under /account: the request, and the fields of its
 * checked form.
 */
export interface Visit {
  site: Site
  deps: Deps
  sessions: Sessions
  fields: Fields
  req: Request
  res: Response
}

/** A visit of someone who is signed in. */
export interface AccountVisit extends Visit {
  viewer: Viewer
}

/**
 * What a visit is answered with: a page, the address to go on to, or what it
 * has sent itself.
 */
type Outcome = Promise<Page | string | Response>

export interface Sessions {
  cookie: {
    read: (req: Request) => string | null
    write: (res: Response, token: string) => undefined
    clear: (res: Response) => undefined
  }
  viewer: (req: Request) => Promise<Viewer | null>
  isSignedIn: (req: Request) => boolean
}
export interface AccountHandlers {
  anyone: (answer: (visit: Visit) => Outcome) => RequestHandler
  page: (answer: (visit: AccountVisit) => Outcome) => RequestHandler
  change: (answer: (visit: AccountVisit) => Outcome) => RequestHandler
}

/** The sessions of browsers. */
export function createSessions({ primary, pepper, publicUrl }: Deps): Sessions {
  const cookie = sessionCookie(publicUrl)
  /** Read once a request: its handler and the header of its page need it. */
  const found = new WeakMap<Request, Promise<Viewer | null>>()
  function viewer(req: Request) {
    const finding = found.get(req) ?? find(req)
    found.set(req, finding)
    return finding
  }
  async function find(req: Request) {
    const token = cookie.read(req)
    if (token === null) return null
    const account = await primary(
      context => findSession(context, hashToken(pepper, 'session', token)),
      callOf(req.res!).caller,
    )
    return account && { ...account, token, formToken: formToken(token) }
  }
  /** Whether a request has the cookie of a session, which may have ended. */
  const isSignedIn = (req: Request) => cookie.read(req) !== null
  return { cookie, viewer, isSignedIn }
}

/**
 * The handlers of pages under /account. Without a session, `page` and `change`
 * redirect to the sign-in page, from which a page leads back; `change` refuses
 * a form of another session. `anyone` needs no session.
 */
export function accountHandlers(
  site: Site,
  sessions: Sessions,
): AccountHandlers {
  const anyone =
    (answer: (visit: Visit) => Outcome): RequestHandler =>
    async (req, res) => {
      const deps = depsOf(site.deps, res)
      const outcome = await answer({
        site,
        deps,
        sessions,
        fields: formFields(req),
        req,
        res,
      })
      if (typeof outcome === 'string') res.redirect(303, outcome)
      else if ('content' in outcome) await sendPage(req, res, outcome)
    }
  const signedIn = (
    answer: (visit: AccountVisit) => Outcome,
    nextOf: (req: Request) => string,
  ) =>
    anyone(async visit => {
      const viewer = await sessions.viewer(visit.req)
      return viewer
        ? answer({ ...visit, viewer })
        : `/account/sign-in${nextOf(visit.req)}`
    })
  return {
    anyone,
    page: (answer: (visit: AccountVisit) => Outcome) =>
      signedIn(answer, ({ originalUrl }) =>
        // A browser does not send the part after "#".
        originalUrl === ACCOUNT_PATH
          ? ''
          : `?next=${encodeURIComponent(originalUrl)}${originalUrl.includes('?plan=') ? '%23plan' : ''}`,
      ),
    change: (answer: (visit: AccountVisit) => Outcome) =>
      signedIn(
        visit => {
          assertFormOf(visit.viewer.token, visit.fields)
          return answer(visit)
        },
        () => '',
      ),
  }
}

/**
 * The alert or the endpoint in the address of a visit, which its account must
 * own.
 */
export function ownedBy({ viewer, req }: AccountVisit): Owned {
  return { accountId: viewer.accountId, id: idOf(req) }
}

/**
 * Statements of a visitor wait with those of the same network address, not with
 * the ones of the service itself.
 */
export function depsOf(deps: Deps, res: Response): Deps {
  return { ...deps, primary: work => deps.primary(work, callOf(res).caller) }
}

/**
 * The cookie of a session. Scripts cannot read it, and forms and frames of
 * other sites do not send it. Over HTTPS its name begins with `__Host-`, so
 * that no other host, no subdomain and no plain HTTP can set it (RFC 6265bis).
 */
function sessionCookie(publicUrl: string) {
  const secure = publicUrl.startsWith('https:')
  const name = secure ? '__Host-surplus-session' : 'surplus-session'
  const shape = new RegExp(`(?:^|;)\\s*${name}=([A-Za-z0-9_-]{43})\\s*(?:;|$)`)
  const options = {
    httpOnly: true,
    sameSite: 'lax',
    secure,
    path: '/',
  } as const
  return {
    read: (req: Request) => shape.exec(req.headers.cookie ?? '')?.[1] ?? null,
    write: (res: Response, token: string) =>
      void res.cookie(name, token, {
        ...options,
        maxAge: SESSION_DAYS * DAY_MS,
      }),
    clear: (res: Response) => void res.clearCookie(name, options),
  }
}
