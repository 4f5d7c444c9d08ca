import { hashKey, looksLikeKey } from '../domain/apiKey.ts'
import { ApiError } from '../domain/errors.ts'
import { canUpgrade, includes, PLANS, type Plan } from '../domain/plans.ts'
import type { Charge } from '../infra/counters.ts'
import type { Deps } from './deps.ts'

const HOW_TO_SEND = 'Send your API key as "Authorization: Bearer <API_KEY>".'
const UNKNOWN_KEY = 'This API key is unknown or was revoked.'

/**
 * Charges one call to a key.
 * @param key what was sent as bearer token; null when no key was sent.
 * @returns the charge; it may be a refusal (`granted` false), whose limits the caller is told all the same.
 * @throws ApiError missing_api_key, invalid_api_key; internal_error (503) when the counters cannot be reached.
 */
export async function chargeKey({ meter, pepper }: Deps, key: string | null): Promise<Charge> {
  if (key === null) throw new ApiError('missing_api_key', HOW_TO_SEND)
  if (!looksLikeKey(key)) throw new ApiError('invalid_api_key', UNKNOWN_KEY)
  const charge = await meter.charge(hashKey(pepper, key))
  if (!charge) throw new ApiError('invalid_api_key', UNKNOWN_KEY)
  return charge
}

/** @throws ApiError monthly_quota_exceeded or burst_rate_exceeded when the charge was refused. */
export function assertGranted(charge: Charge): void {
  const upgrade = canUpgrade(charge.plan)
  if (charge.refusedBy === 'month') {
    throw new ApiError(
      'monthly_quota_exceeded',
      `This account made its ${count(charge.monthLimit)} calls of the month. The next month (UTC) begins in ${charge.monthResetsInSeconds} seconds.`,
      { upgrade, retryAfterSeconds: charge.monthResetsInSeconds },
    )
  }
  if (charge.refusedBy === 'burst') {
    throw new ApiError(
      'burst_rate_exceeded',
      `This key made its ${count(charge.burstLimit)} calls of the minute. Try again in ${charge.burstResetsInSeconds} seconds.`,
      { upgrade, retryAfterSeconds: charge.burstResetsInSeconds },
    )
  }
}

/**
 * @param needed the least plan, and the parameter that asks for it (null: the operation itself does).
 * @throws ApiError forbidden when the plan of the key does not include what is asked.
 */
export function assertPlan(held: Plan, needed: { plan: Plan | null; parameter: string | null }): void {
  if (!needed.plan || includes(held, needed.plan)) return
  const subject = needed.parameter ? `The parameter "${needed.parameter}"` : 'This operation'
  throw new ApiError(
    'forbidden',
    `${subject} needs a ${PLANS[needed.plan].name} key; this key is on the ${PLANS[held].name} plan.`,
    { upgrade: true },
  )
}

function count(calls: number): string {
  return calls.toLocaleString('en-US')
}
