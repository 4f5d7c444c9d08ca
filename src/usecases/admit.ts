import { ApiError } from '../contract/errors.ts'
import { canUpgrade, includes, PLANS, type Plan } from '../contract/plans.ts'
import { hashIpBlock, hashKey, looksLikeKey } from '../domain/apiKey.ts'
import type { Caller } from '../domain/caller.ts'
import { count, formatNumber } from '../domain/format.ts'
import type { Charge, KeyCharge } from '../infra/metering/counters.ts'
import type { Deps } from './deps.ts'

const HOW_TO_SEND = 'Send your API key as "Authorization: Bearer <API_KEY>".'
/**
 * What programs send whose key was never filled in; no part of it may be a key.
 */
const PLACEHOLDER =
  /^(?!.*bp_(live|agent)_\w{9})(undefined|null|none|nan|\[object.*|.*[<>{}$%].*|.*(api|access|your|my|secret)[-_ ]?(key|token).*|.*(\.{3}|â\x80¦|x{4}|\*{3}).*)$/i
const NO_KEY_YET =
  'stands where the key belongs: the setting of your program was not filled in. A key is bp_live_ and 36 letters and digits.'
const UNKNOWN_KEY = 'This API key is unknown or was revoked.'

/**
 * Charges one call to a key.
 * @param key the bearer token; null when none was sent.
 * @param operation the operationId that the call is counted for.
 * @returns the charge. It may be a refusal (`granted` false), which carries the
 * limits for the headers too.
 * @throws ApiError missing_api_key, invalid_api_key; internal_error (503) when
 * the counters cannot be reached.
 */
export async function chargeKey(
  { meter, pepper, data }: Deps,
  key: string | null,
  operation: string,
  { startedAt }: Caller,
): Promise<KeyCharge> {
  if (key === null) throw new ApiError('missing_api_key', HOW_TO_SEND)
  if (!looksLikeKey(key))
    throw new ApiError(
      'invalid_api_key',
      PLACEHOLDER.test(key) ? `"${key}" ${NO_KEY_YET}` : UNKNOWN_KEY,
    )
  const charge = await meter.charge(hashKey(pepper, key), operation, startedAt)
  if (!charge) throw new ApiError('invalid_api_key', UNKNOWN_KEY)
  data.kind = charge.dataKind
  return charge
}

/**
 * @throws ApiError monthly_quota_exceeded or burst_rate_exceeded when the
 * charge was refused.
 */
export function assertGranted(charge: KeyCharge): void {
  if (charge.refusedBy === null) return
  const {
    refusedBy,
    monthLimit,
    monthResetsInSeconds,
    burstLimit,
    burstResetsInSeconds,
    plan,
  } = charge
  const messages = {
    month: `This account made its ${count(monthLimit, 'call')} of the month. The next month (UTC) begins in ${count(monthResetsInSeconds, 'second')}.`,
    burst: `This key made its ${count(burstLimit, 'call')} of the minute. Try again in ${count(burstResetsInSeconds, 'second')}.`,
  }
  throw overLimit(charge, canUpgrade(plan), messages[refusedBy])
}

function overLimit(charge: Charge, upgrade: boolean, message: string) {
  const { refusedBy, monthResetsInSeconds, burstResetsInSeconds } = charge
  const isMonth = refusedBy === 'month'
  const retryAfterSeconds = isMonth
    ? monthResetsInSeconds
    : burstResetsInSeconds
  const code = isMonth ? 'monthly_quota_exceeded' : 'burst_rate_exceeded'
  return new ApiError(code, message, { upgrade, retryAfterSeconds })
}

/**
 * Charges one call without a key to the address it came from, an IPv6 one to
 * its /64 and its /56. Only a keyed hash of the address is stored.
 * @returns the charges, of which the first limits the call, as that of
 * `chargeKey` does.
 * @throws ApiError internal_error (503) when the counters cannot be reached.
 */
export async function chargeIpBlock(
  deps: Deps,
  address: string,
  { startedAt }: Caller,
): Promise<Charge[]> {
  const { ipBlockMeter, wideBlockMeter, pepper, data } = deps
  const hash = hashIpBlock(pepper, address)
  const charge = await ipBlockMeter.charge(hash, '', startedAt)
  if (!charge) throw new Error('The allowance of an address was not counted.')
  const wideHash = hashIpBlock(pepper, address, 56)
  const wide =
    charge.refusedBy || wideHash.equals(hash)
      ? null
      : await wideBlockMeter.charge(wideHash, '', startedAt)
  if (wide?.refusedBy) {
    ipBlockMeter.giveBack(charge, { minute: true })
    return [wide]
  }
  data.kind = charge.dataKind
  return wide ? [charge, wide] : [charge]
}

/**
 * @throws ApiError monthly_quota_exceeded or burst_rate_exceeded when the
 * charge to an address was refused.
 */
export function assertIpBlockGranted(charge: Charge): void {
  if (charge.refusedBy === null) return
  const aFreeKey = `A free key has ${formatNumber(PLANS.free.calls_per_month)} calls a month and ${PLANS.free.calls_per_minute} a minute.`
  const messages = {
    month: `This address made its ${count(charge.monthLimit, 'call')} of the month without a key. ${aFreeKey}`,
    burst: `This address made its ${count(charge.burstLimit, 'call')} of the minute without a key. Try again in ${count(charge.burstResetsInSeconds, 'second')}. ${aFreeKey}`,
  }
  throw overLimit(charge, true, messages[charge.refusedBy])
}

/**
 * @param held the plan of the key; null where none was sent.
 * @param needed the least plan, and the parameter that needs it (null: the
 * operation itself).
 * @throws ApiError forbidden when the plan of the key is too small;
 * missing_api_key without a key.
 */
export function assertPlan(
  held: Plan | null,
  needed: { plan: Plan | null; parameter: string | null },
): void {
  if (!needed.plan || (held && includes(held, needed.plan))) return
  const subject = needed.parameter
    ? `The parameter "${needed.parameter}"`
    : 'This operation'
  const { name } = PLANS[needed.plan]
  const need = `${subject} needs ${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name} key`
  if (!held)
    throw new ApiError('missing_api_key', `${need}. ${HOW_TO_SEND}`, {
      upgrade: true,
    })
  throw new ApiError(
    'forbidden',
    `${need}; this key is on the ${PLANS[held].name} plan.`,
    {
      upgrade: true,
    },
  )
}
