// A process that delivers from the database of its first argument until it is killed.
import { setTimeout as sleep } from 'node:timers/promises'
import { openServing } from '../../../src/infra/postgres/sql.ts'
import { testDeliverer } from './deliverer.ts'

const deliverer = testDeliverer(
  openServing({ url: process.argv[2]!, connections: 4, timeoutMs: 5_000 }),
)
process.once('disconnect', () => process.exit())
for (;;) {
  await deliverer.tick().catch(() => {})
  await sleep(100)
}
