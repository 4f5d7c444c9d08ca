import { describe, expect, it } from 'vitest'
import { hashKey } from '../../src/domain/apiKey.ts'
import { createMeter } from '../../src/infra/metering/meter.ts'
import { createCircuitBreaker } from '../../src/infra/overload/circuitBreaker.ts'
import { openAdminConnection } from '../../src/infra/postgres/database.ts'
import { DATABASE_NOW } from '../../src/infra/postgres/dataVersion.ts'
import { shared } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import { PEPPER } from '../support/service/testSettings.ts'
import { usageOf } from '../support/service/usage.ts'

const DEADLINE_MS = 10_000
/** Longer ago than any deadline. */
const LONG_AGO = -60_000

const api = serviceFor()
const pool = shared(() => openAdminConnection(api.databaseUrl))

/** A meter, its circuit breaker, and a switch for its database. */
function newMeter(deadlineMs = DEADLINE_MS) {
  const database = { isAway: false }
  const breaker = createCircuitBreaker({ silenceMs: DEADLINE_MS })
  const context = () => {
    if (database.isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
    return { sql: pool, now: DATABASE_NOW }
  }
  const meter = createMeter({ context, breaker, deadlineMs })
  return {
    ...meter,
    database,
    breaker,
    charge: (key: string, startedAt?: number) => meter.charge(hashKey(PEPPER, key), '', startedAt),
  }
}

describe('a meter', () => {
  it('is up again once a charge is stored', async () => {
    const meter = newMeter()
    const key = await api.makeKey('free')
    expect(meter.isUp()).toBe(true)
    meter.database.isAway = true
    await expect(meter.charge(key)).rejects.toThrow('cannot be reached')
    expect(meter.isUp()).toBe(false)
    meter.database.isAway = false
    await meter.charge(key)
    await expect.poll(() => meter.isUp()).toBe(true)
  })

  it('refuses at once while one call tries whether the database is back', async () => {
    const meter = newMeter()
    const key = await api.makeKey('free')
    meter.breaker.refusal = () => new Error('one call tries') as never
    await expect(meter.charge(key)).rejects.toThrow('one call tries')
    expect(await usageOf(api.sql, key)).toEqual({ month: null, burst: null })
  })

  it.each([
    ['says that the database is away to a call that gave it all its time', 'cannot be reached', undefined],
    ['blames no database for a call whose time was over before', 'took too long', LONG_AGO],
  ])('%s', async (_title, sentence, startedAt) => {
    const meter = newMeter(300)
    const key = await api.makeKey('free')
    await api.sql.begin(async sql => {
      await sql`lock table monthly_usage in exclusive mode`
      await expect(meter.charge(key, startedAt)).rejects.toThrow(sentence)
    })
  })

  it('gives the month back what it granted to calls that no longer waited, and nothing for those it refused', async () => {
    const meter = newMeter(300)
    const [key, other] = [
      await api.makeKey('enterprise', { monthly: 3, perMinute: 100, owner: 'late' }),
      await api.makeKey('free'),
    ]
    expect((await meter.charge(key))?.monthRemaining).toBe(2)
    await api.sql.begin(async sql => {
      await sql`
        select from monthly_usage
        where meter = (select 'account:' || id from accounts where owner = 'late')
        for update`
      // The first is on its way alone; the others are one batch, of which two are granted.
      const first = meter.charge(other)
      await Promise.allSettled(Array.from({ length: 3 }, () => meter.charge(key)))
      expect((await first)?.granted).toBe(true)
    })
    await expect.poll(() => usageOf(api.sql, key)).toEqual({ month: 1, burst: 3 })
  })

  it('tells a key whose limits were lowered that nothing remains, not less', async () => {
    const meter = newMeter()
    const key = await api.makeKey('enterprise', { monthly: 100, perMinute: 100 })
    for (let call = 1; call <= 3; call++) await meter.charge(key)
    await api.sql`
      update keys
      set calls_per_month = 2, calls_per_minute = 1
      where secret_hash = ${hashKey(PEPPER, key)}`
    expect(await meter.charge(key)).toMatchObject({
      granted: false,
      refusedBy: 'month',
      monthRemaining: 0,
      burstRemaining: 0,
    })
  })
})
