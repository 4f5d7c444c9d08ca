import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { hashKey } from '../../src/domain/apiKey.ts'
import { giveBack } from '../../src/infra/metering/counters.ts'
import { createMeter, type Meter } from '../../src/infra/metering/meter.ts'
import { CircuitBreaker } from '../../src/infra/overload/circuitBreaker.ts'
import { clock, DATABASE_NOW } from '../../src/infra/postgres/clock.ts'
import { openAdminConnection, type Sql } from '../../src/infra/postgres/database.ts'
import { forOneTest } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import { PEPPER } from '../support/service/testSettings.ts'
import { usageOf } from '../support/service/usage.ts'

const api = serviceFor()
let key: string

beforeEach(async () => {
  key = await api.makeKey('free')
})

const counted = () => usageOf(api.sql, key)

/** Gives the calls that are still to be given back the time for it. */
const settled = () => sleep(150)

describe('a call that is counted', () => {
  it.each([
    ['200', '/api/v1/sources'],
    ['400', '/api/v1/listings?page=0'],
    ['403', '/api/v1/export'],
    ['404', '/api/v1/listings/no-such-lot'],
  ])('%s', async (status, path) => {
    expect((await api.get(path, { key })).status).toBe(Number(status))
    await settled()
    expect(await counted()).toEqual({ month: 1, burst: 1 })
  })

  it('one whose client hangs up before the answer', async () => {
    // The answer waits for this lock, so the client is gone before there is one.
    await api.sql.begin(async lock => {
      await lock`lock table sources in access exclusive mode`
      await sendAndHangUp(key)
      await sleep(300)
    })
    await settled()
    expect(await counted()).toEqual({ month: 1, burst: 1 })
  })
})

describe('a call that is not counted', () => {
  it.each([
    ['401 without a key', 401, () => api.get('/api/v1/sources', { key: null })],
    ['404 of an unknown route', 404, () => api.get('/api/v1/nothing', { key })],
    ['405', 405, () => api.send('post', '/api/v1/sources', { key, body: {} })],
  ])('%s', async (_case, status, call) => {
    expect((await call()).status).toBe(status)
    expect(await counted()).toEqual({ month: null, burst: null })
  })

  it('500: the month and the minute get it back', async () => {
    await api.get('/api/v1/sources', { key })
    await api.sql`alter table lots rename to lots_away`
    const failed = await api.get('/api/v1/listings/any', { key })
    const head = await api.head('/api/v1/listings/any', { key })
    await api.sql`alter table lots_away rename to lots`
    expect([failed.status, failed.body.code, head.status]).toEqual([500, 'internal_error', 500])
    await expect.poll(counted).toEqual({ month: 1, burst: 1 })
  })

  it('503 of a statement that takes too long: the month gets it back, the minute does not', async () => {
    await api.sql.begin(async lock => {
      await lock`lock table lots in access exclusive mode`
      // Not by `api.get`, which repeats a 503.
      const headers = { authorization: `Bearer ${key}` }
      const late = await fetch(`${api.address}/api/v1/listings/any`, { headers })
      expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1'])
    })
    await expect.poll(counted).toEqual({ month: 0, burst: 1 })
  })
})

describe('giving back', () => {
  const clock = { now: new Date('2026-05-31T23:59:50Z') }
  const meter = () => meterOn(api.sql, 2_000, () => clock.now)

  it('goes to the month that paid, though the next one has begun', async () => {
    clock.now = new Date('2026-05-31T23:59:50Z')
    const charge = await meter().charge(hashKey(PEPPER, key))
    clock.now = new Date('2026-06-01T00:00:05Z')
    await meter().charge(hashKey(PEPPER, key))
    meter().giveBack(charge!, { minute: true })
    await expect.poll(monthsOfKey).toEqual({ '2026-05-01': 0, '2026-06-01': 1 })
  })

  it('leaves a minute alone that began since', async () => {
    clock.now = new Date('2026-05-10T10:00:00Z')
    const charge = await meter().charge(hashKey(PEPPER, key))
    clock.now = new Date('2026-05-10T10:01:00Z')
    await meter().charge(hashKey(PEPPER, key))
    meter().giveBack(charge!, { minute: true })
    await expect.poll(counted).toEqual({ month: 1, burst: 1 })
  })

  it('opens a minute again whose only call is given back', async () => {
    key = await api.makeKey('free', { perMinute: 1 })
    clock.now = new Date('2026-05-10T10:00:00Z')
    const charge = await meter().charge(hashKey(PEPPER, key))
    meter().giveBack(charge!, { minute: true })
    await expect.poll(counted).toEqual({ month: 0, burst: 0 })
    clock.now = new Date('2026-05-10T10:00:50Z')
    expect(await meter().charge(hashKey(PEPPER, key))).toMatchObject({ granted: true })
    clock.now = new Date('2026-05-10T10:01:00Z')
    const refused = { granted: false, refusedBy: 'burst', burstResetsInSeconds: 50 }
    expect(await meter().charge(hashKey(PEPPER, key))).toMatchObject(refused)
  })

  it('is done by itself, to the month, when the counters answer after the deadline of the call', async () => {
    const sql = await forOneTest(openAdminConnection(api.databaseUrl))
    const impatient = meterOn(sql, 2_000, () => null)
    await impatient.charge(hashKey(PEPPER, key))
    await api.sql.begin(async lock => {
      await lock`select from monthly_usage for update`
      await expect(impatient.charge(hashKey(PEPPER, key))).rejects.toMatchObject({ status: 503 })
    })
    await expect.poll(counted).toEqual({ month: 1, burst: 2 })
    expect(await impatient.charge(hashKey(PEPPER, key))).toMatchObject({ granted: true })
    await expect.poll(counted).toEqual({ month: 2, burst: 3 })
  })

  it('happens once, though its answer is lost and it is repeated', async () => {
    const sql = await forOneTest(openAdminConnection(api.databaseUrl))
    const charges = [
      await meter().charge(hashKey(PEPPER, key)),
      await meter().charge(hashKey(PEPPER, key)),
    ]
    await meter().charge(hashKey(PEPPER, key))
    let lost = 0
    const losesTwoAnswers = new Proxy(sql, {
      apply: async (query, _, args: Parameters<Sql>) => {
        const answer = await query(...args)
        if (lost === 2) return answer
        lost++
        throw new Error('The connection was lost after the commit.')
      },
    })
    await giveBack(() => ({ sql: losesTwoAnswers, now: DATABASE_NOW }), [charges[0]!], {
      minute: true,
    })
    expect(lost).toBe(2)
    expect(await counted()).toEqual({ month: 2, burst: 2 })
    await giveBack(() => ({ sql, now: DATABASE_NOW }), [charges[1]!], { minute: false })
    expect(await counted()).toEqual({ month: 1, burst: 2 })
  })

  async function monthsOfKey(): Promise<Record<string, number>> {
    const rows = await api.sql<{ month: string; used: number }[]>`
      select u.month::text, u.used
      from monthly_usage u
      join keys k on u.meter = 'account:' || k.account_id
      where k.secret_hash = ${hashKey(PEPPER, key)}`
    return Object.fromEntries(rows.map(({ month, used }) => [month, used]))
  }
})

function meterOn(sql: Sql, deadlineMs: number, now: () => Date | null): Meter {
  const breaker = new CircuitBreaker({ silenceMs: deadlineMs })
  return createMeter({ context: () => ({ sql, now: clock(now()) }), breaker, deadlineMs })
}

async function sendAndHangUp(sent: string): Promise<void> {
  const { port, hostname } = new URL(api.address)
  const socket = connect(Number(port), hostname)
  socket.write(
    `GET /api/v1/sources HTTP/1.1\r\nHost: surplus.test\r\nAuthorization: Bearer ${sent}\r\n\r\n`,
  )
  await sleep(100)
  socket.destroy()
}
