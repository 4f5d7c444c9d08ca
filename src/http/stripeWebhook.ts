import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import { ApiError } from '../domain/errors.ts'
import { applyStripeEvent } from '../usecases/accounts/applyStripeEvent.ts'
import type { Deps } from '../usecases/deps.ts'

const LARGEST_EVENT = '256kb'

/**
 * Where Stripe tells what has happened: the only door through which a plan changes. The signature is over the bytes as they came,
 * so nothing parses them before. An answer above 299 makes Stripe send the event again.
 */
export function stripeWebhook(deps: Deps): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  if (!deps.billing) return router
  const body = express.raw({ type: 'application/json', limit: LARGEST_EVENT, inflate: false })
  const route = router.route('/webhooks/stripe')
  route.post(asJson, body, async (req: Request, res: Response) => {
    const signature = req.headers['stripe-signature']
    const bytes = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0)
    const { event, outcome, seen } = await applyStripeEvent(deps, bytes, String(signature ?? ''))
    const unknownPrices = seen?.unknownPrices ?? []
    req.log.info({ event: event.id, type: event.type, outcome, plan: seen?.plan }, 'Stripe told something')
    if (unknownPrices.length > 0)
      req.log.warn({ unknownPrices }, 'a subscription has a price of no plan here')
    res.setHeader('Cache-Control', 'no-store')
    res.json({ received: true })
  })
  route.all(() => {
    throw new ApiError('invalid_request', 'This address takes POST only.', { status: 405, allow: 'POST' })
  })
  return router
}

function asJson(req: Request, _res: Response, next: NextFunction): void {
  if (!req.is('application/json')) {
    throw new ApiError('invalid_request', 'This address takes application/json only.', { status: 415 })
  }
  next()
}
