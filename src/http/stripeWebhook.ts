import type { Router } from 'express'
import express, {
  type NextFunction,
  type Request,
  type Response,
} from 'express'
import { ApiError, methodNotAllowed } from '../contract/errors.ts'
import { createRouter } from '../infra/createRouter.ts'
import { applyStripeEvent } from '../usecases/accounts/payments.ts'
import type { Deps } from '../usecases/deps.ts'

const LARGEST_EVENT = '256kb'

/**
 * Receives events from Stripe: the only way a plan changes. The signature
 * covers the received bytes, so nothing parses them before. After a status
 * above 299 Stripe repeats the event.
 */
export function stripeWebhook(deps: Deps): Router {
  const router = createRouter()
  if (!deps.billing) return router
  const body = express.raw({
    type: 'application/json',
    limit: LARGEST_EVENT,
    inflate: false,
  })
  const route = router.route('/webhooks/stripe')
  route.post(asJson, body, async (req, res) => {
    const { event, outcome, seen } = await applyStripeEvent(
      deps,
      Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0),
      String(req.headers['stripe-signature'] ?? ''),
    )
    const unknownPrices = seen?.unknownPrices ?? []
    req.log.info(
      { event: event.id, type: event.type, outcome, plan: seen?.plan },
      'received an event from Stripe',
    )
    if (unknownPrices.length > 0)
      req.log.warn(
        { unknownPrices },
        'a subscription has a price that is not in the settings',
      )
    res.setHeader('Cache-Control', 'no-store')
    res.json({ received: true })
  })
  route.all(() => {
    throw methodNotAllowed('POST')
  })
  return router
}

function asJson(req: Request, _res: Response, next: NextFunction) {
  if (!req.is('application/json')) {
    throw new ApiError(
      'invalid_request',
      'This address accepts application/json only.',
      {
        status: 415,
      },
    )
  }
  next()
}
