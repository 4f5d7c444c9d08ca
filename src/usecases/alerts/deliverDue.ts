import { setTimeout as wait } from 'node:timers/promises'
import {
  claimDue,
  type DueDelivery,
  forgetOldDeliveries,
} from '../../infra/alerts/deliveries.ts'
import type { Logger } from '../../infra/log.ts'
import { type DeliverySettings, sendDelivery } from './sendDelivery.ts'

/**
 * How many messages a process sends at once: to one endpoint, by mail, and in
 * all (each webhook is an open connection).
 */
const SLOTS = { lane: 4, mails: 10, all: 1_000 }
const FORGET_INTERVAL_MS = 3_600_000
/**
 * A claim looks at the lanes of all endpoints: 20 claims of 20 messages took
 * 520 ms of PostgreSQL, one of 1,000 took 60.
 */
const CLAIM_PAUSE_MS = 50

/** What `createDeliverer` starts. */
export interface Deliverer {
  /** Sends what is due now. */
  tick(): Promise<void>
  /** Resolves when the queue is empty. */
  idle(): Promise<void>
  /**
   * Claims nothing more, and resolves when every delivery in progress is
   * settled: at most 15 s for webhooks.
   */
  stop(): Promise<void>
}

/**
 * Sends what is due: webhooks and mails. Any number of processes may do so on
 * one database. A message arrives at least once, each time with the same id: a
 * process that dies between sending and settling leaves it due again after its
 * lease.
 */
// Why: receivers, whose messages no silent endpoint delays: npx vitest run --project tests test/alerts/deliverDue.test.ts -t lanes
export function createDeliverer(
  settings: DeliverySettings & { log: Logger },
): Deliverer {
  const { log } = settings
  const inProgress = new Map<Promise<void>, number>()
  let round: Promise<void> | null = null
  let isAnotherDue = false
  let isStopped = false
  let forgottenAt = Number.NEGATIVE_INFINITY

  /**
   * Starts to send what is due, as far as there are slots, and does not wait
   * for the answers. A slot that becomes free is filled soon, without the next
   * tick.
   * @throws Error when the database is away.
   */
  async function tick() {
    isAnotherDue = true
    round ??= claimWhileDue().finally(() => {
      round = null
    })
    return round
  }

  async function claimWhileDue() {
    while (isAnotherDue && !isStopped) {
      isAnotherDue = false
      const busy: Record<number, number> = {}
      for (const lane of inProgress.values()) busy[lane] = (busy[lane] ?? 0) + 1
      const free = { ...SLOTS, all: SLOTS.all - inProgress.size }
      for (const delivery of await claimDue(settings, free, busy))
        begin(delivery)
      if (performance.now() - forgottenAt > FORGET_INTERVAL_MS) {
        const areLeft = await forgetOldDeliveries(settings)
        if (!areLeft) forgottenAt = performance.now()
      }
      await wait(CLAIM_PAUSE_MS)
    }
  }

  function begin(delivery: DueDelivery) {
    const done = sendDelivery(settings, delivery)
      // Without a result it is due again when its lease ends.
      .catch(error =>
        log.warn(
          { err: error, delivery: delivery.id },
          'a delivery could not be settled',
        ),
      )
      .then(() => {
        inProgress.delete(done)
        // The next tick reports a database that is away.
        if (!isStopped) tick().catch(() => {})
      })
    inProgress.set(done, delivery.lane)
  }

  async function idle() {
    while (round || inProgress.size > 0)
      await Promise.all([round?.catch(() => {}), ...inProgress.keys()])
  }

  return {
    tick,
    idle,
    stop: () => {
      isStopped = true
      return idle()
    },
  }
}
