import { invalidRequest, notFound } from '../../contract/errors.ts'
import { PLAN_IDS, PLANS, type Plan } from '../../contract/plans.ts'
import { UUID } from '../../domain/accounts/formFields.ts'
import { accountAttempts } from '../../domain/accounts/limits.ts'
import type { Owned } from '../../domain/alerts/savedSearch.ts'
import { count } from '../../domain/format.ts'
import { assertAttempt } from '../../infra/accounts/attempts.ts'
import type { LoggedDelivery } from '../../infra/alerts/endpoints.ts'
import {
  addEndpoint,
  queueTest,
  readEndpoints,
  readLog,
  removeEndpoint,
  replaceSecret,
  type StoredEndpoint,
  sendFailed,
} from '../../infra/alerts/endpoints.ts'
import type { Deps } from '../deps.ts'

export type { LoggedDelivery }

/** How many messages a page of the log has. */
const LOG_PAGE = 50

/** An endpoint, and whether the plan of its account includes it. */
export interface Endpoint extends StoredEndpoint {
  is_included: boolean
}

/** The endpoints of an account, and how many its plan includes. */
interface EndpointsOfPlan {
  plan: Plan
  most: number
  endpoints: Endpoint[]
}

/**
 * The webhook endpoints of an account, the oldest first, and how many its plan
 * includes.
 */
export async function listEndpoints(
  deps: Deps,
  accountId: number,
): Promise<EndpointsOfPlan> {
  const { plan, endpoints } = await deps.primary(context =>
    readEndpoints(context, accountId),
  )
  const most = PLANS[plan].alerts.endpoints
  return {
    plan,
    most,
    endpoints: endpoints.map(each => ({
      ...each,
      is_included: each.position <= most,
    })),
  }
}

/** One endpoint. @throws ApiError 404: also for one of another account. */
export async function readEndpoint(
  deps: Deps,
  { accountId, id }: Owned,
): Promise<Endpoint> {
  const { endpoints } = await listEndpoints(deps, accountId)
  const found = endpoints.find(each => each.id === id)
  if (!found) throw notFound('This account has no such webhook endpoint.')
  return found
}

/**
 * Makes an endpoint.
 * @returns its id.
 * @throws ApiError 400 for a URL that messages are not sent to, or whose name
 * has a special address, and when the plan includes no more endpoints.
 */
export async function makeEndpoint(
  deps: Deps,
  accountId: number,
  typed: string,
): Promise<number> {
  // As it is stored: the URL parser makes one spelling of many.
  const url = URL.canParse(typed) ? new URL(typed).href : typed
  const refusal = await deps.refuseWebhook(url)
  if (refusal) throw invalidRequest(refusal)
  const { plan, most } = await listEndpoints(deps, accountId)
  const id = await deps.primary(context =>
    addEndpoint(context, accountId, { url, most }),
  )
  if (id === null)
    throw invalidRequest(
      `${includedEndpoints(plan)} Delete one, or choose a larger plan.`,
    )
  return id
}

const CHANGES = { rotate: replaceSecret, delete: removeEndpoint }

/** Makes a new secret, or deletes an endpoint. @throws ApiError 404. */
export async function changeEndpoint(
  deps: Deps,
  owned: Owned,
  change: keyof typeof CHANGES,
): Promise<void> {
  await readEndpoint(deps, owned)
  // A deletion takes 30 days of messages with it, which may take longer than a
  // page does.
  await deps.background(context => CHANGES[change](context, owned))
}

/**
 * Sends a test message.
 * @returns whether there was a lot to send.
 * @throws ApiError 400, 404, 429.
 */
export async function testEndpoint(deps: Deps, owned: Owned): Promise<boolean> {
  const { disabled_at } = await assertSending(deps, owned)
  if (disabled_at !== null)
    throw invalidRequest('This endpoint is disabled. Enable it first.')
  return (await deps.primary(context => queueTest(context, owned))) > 0
}

/**
 * Sends all messages that failed again, and enables a disabled endpoint.
 * @returns whether there was anything to send.
 * @throws ApiError 400, 404, 429.
 */
export async function resumeEndpoint(
  deps: Deps,
  owned: Owned,
): Promise<boolean> {
  await assertSending(deps, owned)
  // Thirty days of messages may take longer than a page does.
  return (await deps.background(context => sendFailed(context, owned))) > 0
}

/** A page of the log of deliveries. */
export interface DeliveryLog {
  deliveries: LoggedDelivery[]
  /** The cursor of the next page; null on the last. */
  next: string | null
}

/**
 * A page of the log of an endpoint, the latest message first.
 * @param before the id of the last message of the page before; null: the first
 * page.
 * @returns `next`: the id to continue with; null on the last page.
 * @throws ApiError 404.
 */
export async function readDeliveryLog(
  deps: Deps,
  owned: Owned,
  before: string | null,
): Promise<DeliveryLog> {
  if (before !== null && !UUID.test(before))
    throw notFound('This account has no such message.')
  const found = await deps.primary(context =>
    readLog(context, owned, { before, most: LOG_PAGE + 1 }),
  )
  const deliveries = found.slice(0, LOG_PAGE)
  return {
    deliveries,
    next: found.length > LOG_PAGE ? deliveries.at(-1)!.id : null,
  }
}

/** The webhooks of a plan, and of larger plans where it has none. */
export function includedEndpoints(plan: Plan): string {
  const { name, alerts } = PLANS[plan]
  if (alerts.endpoints > 0)
    return `The plan ${name} includes ${alerts.endpoints} webhook endpoints.`
  const larger = PLAN_IDS.filter(each => PLANS[each].alerts.endpoints > 0)
  const named = larger.map(
    each =>
      `${PLANS[each].name} (${count(PLANS[each].alerts.endpoints, 'endpoint')})`,
  )
  return `The plan ${name} includes no webhooks. They are part of ${named.join(' and ')}.`
}

/**
 * Refuses to queue messages that would not be sent, and limits those that a
 * stranger who owns the URL may get.
 */
async function assertSending(deps: Deps, owned: Owned) {
  const endpoint = await readEndpoint(deps, owned)
  if (!endpoint.is_included)
    throw invalidRequest(
      'Your plan does not include this endpoint. Delete an older one, or choose a larger plan.',
    )
  await assertAttempt(
    deps,
    accountAttempts('messages by hand', owned.accountId),
  )
  return endpoint
}
