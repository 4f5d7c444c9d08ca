import { PLANS } from '../../contract/plans.ts'
import type { Schemas } from '../../contract/types.ts'
import { emailAddress } from '../../domain/accounts/formFields.ts'
import { unsubscribeToken } from '../../domain/alerts/savedSearch.ts'
import { nextWait } from '../../domain/alerts/schedule.ts'
import { signedHeaders } from '../../domain/alerts/webhooks.ts'
import {
  type DueDelivery,
  dropDelivery,
  type Settlement,
  settle,
} from '../../infra/alerts/deliveries.ts'
import { readMail } from '../../infra/alerts/mails.ts'
import type { Answer, WebhookClient } from '../../infra/alerts/webhookClient.ts'
import type { Mailer } from '../../infra/mail/mailer.ts'
import type { ListingContext } from '../../infra/search/columns.ts'
import { alertMail } from '../../words/alertMail.ts'
import {
  type EndpointTrouble,
  endpointMail,
  type QuotaUse,
  quotaMail,
} from '../../words/mailTexts.ts'
import { findAppraisalsShown } from '../valuation/readAppraisal.ts'

/** Single statements only, so any connections do. */
export interface DeliverySettings extends ListingContext {
  client: WebhookClient
  mailer: Mailer
  /** The secret of the links to unsubscribe. */
  pepper: string
  /** The clock of this process, or a fixed one for tests. */
  time(): Date
}

type MailDelivery = Pick<DueDelivery, 'id' | 'kind' | 'owner' | 'content'>

const NOT_SENT = {
  result: 'refused',
  status: null,
  milliseconds: 0,
  waitSeconds: null,
  disabledBecause: null,
} as const

const GONE = 410
/** The status of SMTP for a mailbox that does not exist (RFC 5321). */
const REFUSED_MAIL = 550
/** The outcomes of the mailer, as the status of SMTP. */
const MAIL_ANSWERS = {
  sent: { status: 250, text: 'The mail server took it.' },
  refused: {
    status: REFUSED_MAIL,
    text: 'The mail server takes no mail for this address.',
  },
  deferred: {
    status: null,
    text: 'The mail server refused the recipient for now.',
  },
}

/**
 * Makes one attempt and stores its result.
 * @throws Error when the database is away.
 */
export async function sendDelivery(
  settings: DeliverySettings,
  delivery: DueDelivery,
) {
  const { id, change, listing, endpoint } = delivery
  const refusal = refusalOf(delivery)
  if (refusal) return settle(settings, id, { ...NOT_SENT, text: refusal })
  if (change && !listing) return dropDelivery(settings, id)
  const answer = endpoint
    ? await post(settings, delivery, endpoint)
    : await sendMail(settings, delivery)
  if (answer === null) return dropDelivery(settings, id)
  await settle(settings, id, settlementOf(delivery, answer))
}

/**
 * Why a webhook is not sent at all; null where it is. Mails are queued by plan,
 * so those that are due were in it.
 */
function refusalOf({ plan, kind, endpoint, listing }: DueDelivery) {
  if (!endpoint) return null
  const { alerts, name } = PLANS[plan]
  if (!alerts.isInstant || endpoint.position > alerts.endpoints)
    return `Not sent: the plan ${name} does not include it.`
  if (endpoint.is_disabled) return 'Not sent: the endpoint is disabled.'
  if (kind === 'test' && !listing)
    return 'Not sent: there is no lot to send as a test.'
  return null
}

function settlementOf(
  { attempts, endpoint }: DueDelivery,
  answer: Answer,
): Settlement {
  const { status, retryAfter } = answer
  const isDelivered = status !== null && status >= 200 && status < 300
  const isGone = status === (endpoint ? GONE : REFUSED_MAIL)
  return {
    ...answer,
    result: isDelivered ? 'delivered' : 'failed',
    waitSeconds:
      isDelivered || isGone
        ? null
        : nextWait(attempts + 1, retryAfter, Math.random()),
    disabledBecause:
      endpoint && isGone ? 'The endpoint answered 410 (gone).' : null,
  }
}

function post(
  { client, time, publicUrl }: DeliverySettings,
  delivery: DueDelivery,
  { url, secrets }: NonNullable<DueDelivery['endpoint']>,
): Promise<Answer> {
  const body = JSON.stringify(messageOf(delivery, delivery.listing!, publicUrl))
  return client.post(
    url,
    signedHeaders(secrets, delivery.id, time(), body),
    body,
  )
}

/** The body of the contract. A test looks like the match of a new lot. */
function messageOf(
  { kind, found_at, search, change }: DueDelivery,
  listing: Schemas['Listing'],
  publicUrl: string,
): Schemas['LotMatched'] {
  const { observed_at, current_bid_cents, num_bids, end_date } = listing
  return {
    type: kind === 'test' ? 'test' : 'lot.matched',
    timestamp: found_at,
    data: {
      search: {
        ...(search ?? { id: '0', name: 'Test' }),
        url: `${publicUrl}/account/alerts${search ? `/${search.id}` : ''}`,
      },
      change: change ?? {
        kind: 'new',
        observed_at,
        current_bid_cents,
        former_price_cents: null,
        num_bids,
        end_date,
      },
      listing,
    },
  }
}

/**
 * Sends one mail, with a Message-ID from the id of the delivery, so that a mail
 * program shows one that was sent twice only once.
 * @returns null where there is nothing to send: the search was deleted or wants
 * no mail, or the account has no email address.
 */
export async function sendMail(
  settings: DeliverySettings,
  delivery: MailDelivery,
): Promise<Answer | null> {
  const to = delivery.owner === null ? null : emailAddress(delivery.owner)
  const mail = to === null ? null : await mailOf(settings, delivery)
  if (to === null || mail === null) return null
  const startedAt = performance.now()
  const outcome = await settings.mailer
    .send({ to, ...mail, id: delivery.id })
    .then(
      result => MAIL_ANSWERS[result],
      error => ({ status: null, text: String(error.message) }),
    )
  return {
    ...outcome,
    retryAfter: null,
    milliseconds: Math.round(performance.now() - startedAt),
  }
}

async function mailOf(
  settings: DeliverySettings,
  { id, kind, content }: MailDelivery,
) {
  const { publicUrl, pepper } = settings
  if (kind === 'quota')
    return quotaMail(content as unknown as QuotaUse, publicUrl)
  if (kind === 'endpoint')
    return endpointMail(content as unknown as EndpointTrouble, publicUrl)
  const mail = await readMail(settings, id)
  if (mail === null) return null
  const appraisals = await findAppraisalsShown(
    settings,
    mail.matches.map(({ listing }) => listing),
  )
  const matches = mail.matches.map(match => ({
    ...match,
    value: appraisals.get(match.listing.id) ?? null,
  }))
  const search = {
    ...mail.search,
    unsubscribeToken: unsubscribeToken(pepper, mail.search.id),
  }
  return alertMail(matches, mail.lots, {
    publicUrl,
    search,
    now: settings.time(),
  })
}
