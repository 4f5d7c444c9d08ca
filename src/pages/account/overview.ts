import { randomUUID } from 'node:crypto'
import type { RequestHandler } from 'express'
import { formToken } from '../../domain/accounts/secretToken.ts'
import { readAccount } from '../../usecases/accounts/readAccount.ts'
import type { Deps } from '../../usecases/deps.ts'
import { overviewPage } from './overviewPage.ts'
import { queryOf } from './privatePages.ts'
import type { SessionDoor } from './sessionDoor.ts'

/** What the page says after something was done, by the name in its address. */
const MESSAGES: Record<string, string> = {
  'done=revoked': 'The key is revoked.',
  'checkout=done':
    'Thank you. The plan changes as soon as Stripe confirms the payment; reload this page in a moment.',
  'checkout=left': 'Nothing was paid, and nothing has changed.',
}

export function overview(deps: Deps, door: SessionDoor): RequestHandler {
  return async (req, res) => {
    const visitor = await door.visitor(req)
    if (!visitor) return res.redirect(303, '/account/sign-in')
    const query = queryOf(req).toString()
    res.send(
      overviewPage({
        ...(await readAccount(deps, visitor.accountId)),
        address: visitor.address,
        formToken: formToken(visitor.token),
        attempt: randomUUID(),
        selling: { byStripe: deps.billing !== null, contactEmail: deps.contactEmail },
        message: Object.hasOwn(MESSAGES, query) ? (MESSAGES[query] ?? null) : null,
      }),
    )
  }
}
