// A process that delivers from the database of its first argument until it is killed.
import { setTimeout as sleep } from 'node:timers/promises'
import { createWebhookClient } from '../../../src/infra/alerts/webhookClient.ts'
import { createLog } from '../../../src/infra/log.ts'
import { openServing } from '../../../src/infra/postgres/sql.ts'
import { createDeliverer } from '../../../src/usecases/alerts/deliverDue.ts'

const deliverer = createDeliverer({
  sql: openServing({ url: process.argv[2]!, connections: 4, timeoutMs: 5_000 }),
  log: createLog('silent'),
  client: createWebhookClient({ allowedHosts: ['127.0.0.1'], proxy: null }, undefined, 2_000),
  sendMail: async () => 'sent',
  publicUrl: 'https://surplus.example',
  now: () => null,
})
process.once('disconnect', () => process.exit())
for (;;) {
  await deliverer.tick().catch(() => {})
  await sleep(100)
}
