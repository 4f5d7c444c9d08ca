import type { RequestHandler } from 'express'
import { formToken } from '../../domain/accounts/secretToken.ts'
import { html } from '../kit/html.ts'
import type { Sessions, Visitor } from './session.ts'

/**
 * Puts the signed-in address and "Sign out" into the header of every page. Only where a session cookie is sent: all others get the same
 * page, which shared caches may keep. A page that cannot find the session in time is sent without it.
 */
export function signedInHeader(sessions: Sessions): RequestHandler {
  return (req, res, next) => {
    if (sessions.cookie.read(req) === null) return next()
    const send = res.send.bind(res)
    res.send = body => {
      if (typeof body !== 'string' || !body.startsWith('<!DOCTYPE html>')) return send(body)
      const add = (visitor: Visitor | null) => {
        if (!visitor) return send(body)
        if (res.getHeader('Cache-Control') !== 'no-store') res.setHeader('Cache-Control', 'private, no-cache')
        // Under `no-referrer` browsers would send the form with `Origin: null`.
        res.setHeader('Referrer-Policy', 'strict-origin')
        res.removeHeader('Access-Control-Allow-Origin')
        return send(body.replace('</header>', () => `${menuOf(visitor)}</header>`))
      }
      sessions.visitor(req).then(add, () => send(body))
      return res
    }
    next()
  }
}

function menuOf({ address, token }: Visitor): string {
  return html`<div class="signed-in"><a href="/account">${address}</a>
<form method="post" action="/account/sign-out"><input type="hidden" name="form_token" value="${formToken(token)}"><button type="submit">Sign out</button></form></div>
`.markup
}
