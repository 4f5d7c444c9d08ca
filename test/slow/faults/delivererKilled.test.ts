import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { LEASE_SECONDS } from '../../../src/domain/alerts/schedule.ts'
import { startAlertWorld } from '../../support/alerts/alertWorld.ts'
import { startReceiver } from '../../support/alerts/receiver.ts'
import { builtFile } from '../../support/run/builtFile.ts'
import { shared } from '../../support/run/shared.ts'

const ENDPOINTS = 10
const MESSAGES = 600
const KILLS = 10
/** What two processes have under way at once. */
const UNDER_WAY = 2 * 4 * ENDPOINTS

const world = shared(() => startAlertWorld(new Date(Date.now() - 1_000)))
const receiver = shared(() =>
  startReceiver(response => setTimeout(() => response.writeHead(204).end(), 20)),
)
let children: ChildProcess[]

const startChild = () =>
  fork(builtFile('test/support/alerts/delivererChild.ts'), [world.url], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })

afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

describe('two processes deliver and one after the other is killed (SIGKILL) in the middle of it', () => {
  it('no message is lost, and only those under way come twice, with the same id', async () => {
    const accountId = await world.makeAccount()
    const searchId = await world.makeSearch(accountId)
    const lotId = await world.makeLot()
    const ids: string[] = []
    const endpoints = await Promise.all(
      Array.from({ length: ENDPOINTS }, (_, index) =>
        world.makeEndpoint(accountId, `${receiver.url}/${index}`),
      ),
    )
    for (let count = 0; count < MESSAGES; count++)
      ids.push(await world.makeDelivery(searchId, lotId, endpoints[count % ENDPOINTS]!.id))

    children = [startChild(), startChild()]
    for (let kills = 0; kills < KILLS; kills++) {
      const before = receiver.received.length
      while (receiver.received.length < before + 15) await sleep(5)
      const victim = children.shift()!
      victim.kill('SIGKILL')
      await once(victim, 'exit')
      children.push(startChild())
    }
    const isLeftOver = async () =>
      (await world.sql`select 1 from alert_deliveries where due_at is not null limit 1`).length > 0
    const deadline = Date.now() + (LEASE_SECONDS + 60) * 1_000
    while ((await isLeftOver()) && Date.now() < deadline) await sleep(200)

    const arrivals = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(arrivals)).toEqual(new Set(ids.map(id => `msg_${id.replaceAll('-', '')}`)))
    const twice = arrivals.length - MESSAGES
    console.log(`${KILLS} kills: ${MESSAGES} messages, 0 lost, ${twice} sent twice`)
    expect(twice).toBeLessThanOrEqual(KILLS * (UNDER_WAY / 2))
    const logged = await world.sql`select from alert_attempts where status = 204`
    expect(logged, 'each is settled once').toHaveLength(MESSAGES)
  })
})
