import { queueMails, queueQuotaMails } from '../../../src/infra/alerts/mails.ts'
import { createWebhookClient } from '../../../src/infra/alerts/webhookClient.ts'
import { createLog } from '../../../src/infra/log.ts'
import { clock, DATABASE_NOW } from '../../../src/infra/postgres/clock.ts'
import type { Sql } from '../../../src/infra/postgres/sql.ts'
import { createDeliverer } from '../../../src/usecases/alerts/deliverDue.ts'
import type { DeliverySettings } from '../../../src/usecases/alerts/sendDelivery.ts'
import { PEPPER, PUBLIC_URL } from '../service/testSettings.ts'

/** A clock that stands. */
export function fixedAt(moment: Date) {
  return { now: clock(moment), time: () => moment }
}

/** How a test delivers: to receivers of this machine, and no mail leaves. */
export function deliverySettings(sql: Sql, more: Partial<DeliverySettings> = {}): DeliverySettings {
  return {
    sql,
    client: createWebhookClient({ allowedHosts: ['127.0.0.1'], proxy: null }, undefined, 2_000),
    mailer: { hasServer: true, send: async () => 'sent' },
    pepper: PEPPER,
    publicUrl: PUBLIC_URL,
    now: DATABASE_NOW,
    time: () => new Date(),
    ...more,
  }
}

export function testDeliverer(sql: Sql, more: Partial<DeliverySettings> = {}) {
  return createDeliverer({ ...deliverySettings(sql, more), log: createLog('silent') })
}

/** Sends everything that is due at a moment; resolves with the answers. */
export async function deliverAt(
  sql: Sql,
  moment: Date,
  more: Partial<DeliverySettings> = {},
): Promise<void> {
  const deliverer = testDeliverer(sql, { ...fixedAt(moment), ...more })
  await deliverer.tick()
  await deliverer.idle()
}

/** Queues the mails that are due, as `surplus deliver` does every second. */
export async function queueDueMails(sql: Sql, now: Date): Promise<void> {
  const context = { sql, now: clock(now) }
  await queueMails(context)
  await queueQuotaMails(context)
}
