import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { insertLots } from '../support/lots/fixtures.ts'
import { patiently, sampleOf } from '../support/service/load.ts'
import { processFor } from '../support/service/processes.ts'
import { serviceFor } from '../support/service/start.ts'

const UNLIMITED = 1_000_000
const HOUR_MS = 3_600_000
/** The promise: what is revoked or changed is in force everywhere within a second. */
const PROMISED_MS = 1_000

const api = serviceFor()
const services = [api, processFor(api), processFor(api)]

const everywhere = (path: string, key: string) =>
  Promise.all(services.map(({ address }) => patiently(() => sampleOf(address + path, key))))
const statuses = async (path: string, key: string) =>
  (await everywhere(path, key)).map(({ status }) => status)
const live = () => ({
  starts_at: new Date(Date.now() - HOUR_MS),
  ends_at: new Date(Date.now() + HOUR_MS),
})

/**
 * Asks all three again and again from `change` on; when the last call was sent off that was
 * answered as before.
 */
async function lastAsBefore(
  change: () => Promise<unknown>,
  path: string,
  key: string,
  before: number,
) {
  await change()
  const changedAt = performance.now()
  let last = 0
  for (; performance.now() - changedAt < PROMISED_MS + 500; await sleep(25))
    for (const { status, startedAt } of await everywhere(path, key))
      if (status === before) last = Math.max(last, startedAt - changedAt)
  return last
}

describe('three processes on one database', () => {
  it('refuse a revoked key within a second, all of them', async () => {
    const key = await api.makeKey('free', {
      monthly: UNLIMITED,
      perMinute: UNLIMITED,
      owner: 'revoked',
    })
    expect(await statuses('/api/v1/sources', key)).toEqual([200, 200, 200])
    const revoke = () => api.sql`
      update keys set revoked_at = now() where account_id = (select id from accounts where owner = 'revoked')`
    expect(await lastAsBefore(revoke, '/api/v1/sources', key, 200)).toBeLessThan(PROMISED_MS)
  })

  it('hold to a changed plan of the account within a second, all of them', async () => {
    const key = await api.makeKey('free', {
      monthly: UNLIMITED,
      perMinute: UNLIMITED,
      owner: 'changes plan',
    })
    // A key of an account's own has the plan of the account.
    await api.sql`update keys set plan = null where account_id = (select id from accounts where owner = 'changes plan')`
    await insertLots(api.sql, [{ slug: 'exported', ...live() }])
    const setPlan = (plan: string) => () =>
      api.sql`update accounts set plan = ${plan} where owner = 'changes plan'`
    const path = '/api/v1/export'
    expect(await statuses(path, key)).toEqual([403, 403, 403])
    expect(await lastAsBefore(setPlan('pro_plus'), path, key, 403)).toBeLessThan(PROMISED_MS)
    expect(await lastAsBefore(setPlan('free'), path, key, 200)).toBeLessThan(PROMISED_MS)
  })
})
