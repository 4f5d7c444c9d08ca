import { setTimeout as wait } from 'node:timers/promises'
import { PLANS } from '../../contract/plans.ts'
import { nextWait } from '../../domain/alerts/schedule.ts'
import { type LotMatched, messageBody, signedHeaders } from '../../domain/alerts/webhooks.ts'
import {
  claimDue,
  type DueDelivery,
  dropDelivery,
  forgetOldDeliveries,
  type Settlement,
  settle,
} from '../../infra/alerts/deliveries.ts'
import type { Answer, WebhookClient } from '../../infra/alerts/webhookClient.ts'
import type { Logger } from '../../infra/log.ts'
import type { Sql } from '../../infra/postgres/sql.ts'
import type { MailResult } from './sendDelivery.ts'

export interface DelivererSettings {
  /** Single statements only, so any connections do. */
  sql: Sql
  log: Logger
  client: WebhookClient
  /**
   * Sends one mail, with a Message-ID from the id of the delivery. @returns 'dropped' where it is not wanted any more, and
   * 'refused' where no later attempt would arrive.
   * @throws Error when the mail server does not take it.
   */
  sendMail(delivery: DueDelivery): Promise<MailResult>
  /** Without a slash at its end. */
  publicUrl: string
  /** A fixed clock for tests; null is the clock of the database. */
  now(): Date | null
}

/** How many messages a process sends at once: to one endpoint, by mail, and in all (each webhook is an open connection). */
const SLOTS = { lane: 4, mails: 10, all: 1_000 }
const FORGET_INTERVAL_MS = 3_600_000
const GONE = 410
/** What a mail server answers for a mailbox that is not there (RFC 5321). */
const REFUSED_MAIL = 550
/** A claim looks at the lanes of all endpoints: 20 claims of 20 messages took 520 ms of PostgreSQL, one of 1,000 took 60. */
const CLAIM_PAUSE_MS = 50

/**
 * Sends what is due: webhooks and mails. Any number of processes may do so on one database. A message arrives at least once, each time
 * with the same id: a process that dies between sending and settling leaves it due again after its lease.
 */
export function createDeliverer(settings: DelivererSettings) {
  const { sql, log, publicUrl } = settings
  const underWay = new Map<Promise<void>, number>()
  let round: Promise<void> | null = null
  let isAnotherDue = false
  let isStopped = false
  let forgottenAt = Number.NEGATIVE_INFINITY

  /**
   * Begins to send what is due, as far as there are slots, and does not wait for the answers. A slot that becomes free is filled soon,
   * without the next tick.
   * @throws Error when the database is away.
   */
  async function tick(): Promise<void> {
    isAnotherDue = true
    round ??= rounds()
    return round
  }

  async function rounds(): Promise<void> {
    try {
      while (isAnotherDue && !isStopped) {
        isAnotherDue = false
        const busy: Record<number, number> = {}
        for (const lane of underWay.values()) busy[lane] = (busy[lane] ?? 0) + 1
        const free = { ...SLOTS, all: SLOTS.all - underWay.size }
        const due = await claimDue({ sql, publicUrl, now: settings.now() }, free, busy)
        for (const delivery of due) begin(delivery)
        if (performance.now() - forgottenAt > FORGET_INTERVAL_MS) {
          const areLeft = await forgetOldDeliveries(sql, settings.now())
          if (!areLeft) forgottenAt = performance.now()
        }
        await wait(CLAIM_PAUSE_MS)
      }
    } finally {
      round = null
    }
  }

  function begin(delivery: DueDelivery): void {
    const done = deliver(settings, delivery)
      // Without a result it is due again when its lease ends.
      .catch(error => log.warn({ err: error, delivery: delivery.id }, 'a delivery could not be settled'))
      .then(() => {
        underWay.delete(done)
        // The next tick reports a database that is away.
        if (!isStopped) tick().catch(() => {})
      })
    underWay.set(done, delivery.lane)
  }

  /** Resolves when nothing is under way and no more was due. */
  async function idle(): Promise<void> {
    while (round || underWay.size > 0) await Promise.all([round?.catch(() => {}), ...underWay.keys()])
  }

  return {
    tick,
    idle,
    /** Takes nothing more, and resolves when what is under way is settled: at most 15 s for webhooks. */
    stop: (): Promise<void> => {
      isStopped = true
      return idle()
    },
  }
}

/** One attempt and its result. @throws Error when the database is away. */
async function deliver(settings: DelivererSettings, delivery: DueDelivery): Promise<void> {
  const { sql, now, publicUrl } = settings
  const { id, endpoint, listing } = delivery
  const refusal = refusalOf(delivery)
  if (refusal) return settle(sql, now(), id, { ...NOT_SENT, text: refusal })
  if (delivery.change && !listing) return dropDelivery(sql, id)
  if (!endpoint) {
    const answer = await mail(settings, delivery)
    return answer === 'dropped'
      ? dropDelivery(sql, id)
      : settle(sql, now(), id, settlementOf(delivery, answer))
  }
  const body = messageBody(endpoint.format, messageOf(delivery, listing!, publicUrl))
  const headers = signedHeaders(endpoint.secrets, id, now() ?? new Date(), body)
  const answer = await settings.client.post(endpoint.url, headers, body)
  await settle(sql, now(), id, settlementOf(delivery, answer))
}

const NOT_SENT = {
  result: 'refused',
  status: null,
  milliseconds: 0,
  waitSeconds: null,
  disabledBecause: null,
} as const

/** Why a webhook is not sent at all; null where it is. Mails are made by plan, so those that are due were in it. */
function refusalOf({ plan, kind, endpoint, listing }: DueDelivery): string | null {
  if (!endpoint) return null
  const { alerts, name } = PLANS[plan]
  if (!alerts.isInstant || endpoint.place > alerts.endpoints)
    return `Not sent: the plan ${name} does not include it.`
  if (endpoint.is_disabled) return 'Not sent: the endpoint is disabled.'
  if (kind === 'test' && !listing) return 'Not sent: there is no lot to send as a test.'
  return null
}

function settlementOf({ attempts, endpoint }: DueDelivery, answer: Answer): Settlement {
  const { status, retryAfter } = answer
  const isDelivered = status !== null && status >= 200 && status < 300
  const isGone = status === (endpoint ? GONE : REFUSED_MAIL)
  return {
    ...answer,
    result: isDelivered ? 'delivered' : 'failed',
    waitSeconds: isDelivered || isGone ? null : nextWait(attempts + 1, retryAfter, Math.random()),
    disabledBecause: endpoint && isGone ? 'The endpoint answered 410 (gone).' : null,
  }
}

/** The body of the contract. A test looks like the match of a new lot. */
function messageOf(
  { kind, found_at, search, change, listing }: DueDelivery,
  lot: NonNullable<typeof listing>,
  publicUrl: string,
): LotMatched {
  const { observed_at, current_bid_cents, num_bids, end_date } = lot
  return {
    type: kind === 'test' ? 'test' : 'lot.matched',
    timestamp: found_at,
    data: {
      search: {
        ...(search ?? { id: '0', name: 'Test' }),
        url: `${publicUrl}/account/alerts${search ? `/${search.id}` : ''}`,
      },
      change: change ?? { kind: 'new', observed_at, current_bid_cents, num_bids, end_date },
      listing: lot,
    },
  }
}

/** As an answer with the status that mail servers give. */
async function mail({ sendMail }: DelivererSettings, delivery: DueDelivery): Promise<Answer | 'dropped'> {
  const startedAt = performance.now()
  const answered = (status: number | null, text: string): Answer => ({
    status,
    text,
    retryAfter: null,
    milliseconds: Math.round(performance.now() - startedAt),
  })
  return sendMail(delivery).then(
    outcome => {
      if (outcome === 'dropped') return outcome
      return outcome === 'sent'
        ? answered(250, 'The mail server took it.')
        : answered(REFUSED_MAIL, 'The mail server takes no mail for this address.')
    },
    error => answered(null, error.message),
  )
}
