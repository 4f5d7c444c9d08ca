import { randomUUID } from 'node:crypto'
import type { RequestHandler } from 'express'
import { PLANS } from '../../contract/plans.ts'
import { formToken } from '../../domain/accounts/secretToken.ts'
import { liveKeysOf } from '../../infra/accounts/ownedKeys.ts'
import { readPlan } from '../../infra/accounts/subscriptions.ts'
import { usageThisMonth } from '../../infra/accounts/usage.ts'
import type { Deps } from '../../usecases/deps.ts'
import { type Html, html } from '../layout/html.ts'
import { layout } from '../layout/layout.ts'
import { queryOf } from './forms.ts'
import { keysSection } from './keys.ts'
import { planSection } from './plan.ts'
import type { Sessions } from './session.ts'
import { usageSection } from './usage.ts'

/** The notice after a change, by the query of the address. */
const MESSAGES: Record<string, string> = {
  'done=revoked': 'The key is revoked.',
  'checkout=done':
    'Thank you. The plan changes as soon as Stripe confirms the payment; reload this page in a moment.',
  'checkout=left': 'You did not pay, and your plan has not changed.',
}

/** The page of an account: its keys, its calls of the month, its plan, its sessions. */
export function overview(deps: Deps, sessions: Sessions): RequestHandler {
  return async (req, res) => {
    const visitor = await sessions.visitor(req)
    if (!visitor) return res.redirect(303, '/account/sign-in')
    const query = queryOf(req).toString()
    const message = Object.hasOwn(MESSAGES, query) ? MESSAGES[query] : null
    const { accountId } = visitor
    const [held, keys, usage] = await deps.primary(sql =>
      Promise.all([
        readPlan(sql, accountId),
        liveKeysOf(sql, accountId),
        usageThisMonth(sql, accountId, deps.now()),
      ]),
    )
    const token = formToken(visitor.token)
    res.send(
      layout(
        'Your account',
        html`${message ? html`<p class="notice good" role="status">${message}</p>` : null}
<p>Signed in as <strong>${visitor.address}</strong>.</p>
${keysSection(keys, token)}
${usageSection(usage, PLANS[held.plan])}
${planSection(deps, held, token, randomUUID())}
${sessionsSection(token)}`,
      ),
    )
  }
}

function sessionsSection(formToken: string): Html {
  const button = (action: string, label: string) =>
    html`<form method="post" action="/account/${action}"><input type="hidden" name="form_token" value="${formToken}"><p><button type="submit" class="secondary">${label}</button></p></form>
`
  return html`<section id="sessions">
<h2>Sessions</h2>
${button('sign-out', 'Sign out')}${button('sign-out-everywhere', 'Sign out everywhere')}</section>`
}
