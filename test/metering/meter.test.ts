import { describe, expect, it } from 'vitest'
import { KEYLESS } from '../../src/contract/plans.ts'
import { hashIpBlock, hashKey } from '../../src/domain/apiKey.ts'
import { serviceCaller } from '../../src/domain/caller.ts'
import { dropStaleIpBlocks, sumOperationCalls } from '../../src/infra/metering/counters.ts'
import { createMeter } from '../../src/infra/metering/meter.ts'
import { CircuitBreaker } from '../../src/infra/overload/circuitBreaker.ts'
import { DATABASE_NOW } from '../../src/infra/postgres/clock.ts'
import { openAdminConnection } from '../../src/infra/postgres/database.ts'
import { chargeIpBlock, chargeKey } from '../../src/usecases/admit.ts'
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
  const breaker = new CircuitBreaker({ silenceMs: DEADLINE_MS })
  const context = () => {
    if (database.isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
    return { sql: pool, now: DATABASE_NOW }
  }
  const meter = createMeter({ context, breaker, deadlineMs })
  return {
    ...meter,
    database,
    breaker,
    charge: (key: string, startedAt?: number, operation = '') =>
      meter.charge(hashKey(PEPPER, key), operation, startedAt),
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
    [
      'says that the database is away to a call that gave it all its time',
      'cannot be reached',
      undefined,
    ],
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
    // Time enough for a busy machine to begin the batch.
    const meter = newMeter(3_000)
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

describe('the counters', () => {
  const background = () => ({ sql: api.sql, now: DATABASE_NOW })

  it('count the calls of one batch by their operations, and add them to those of before', async () => {
    const meter = newMeter()
    const [key, other] = [
      await api.makeKey('enterprise', { owner: 'operations' }),
      await api.makeKey('free'),
    ]
    const chargeAll = async () => {
      // The first is on its way alone; the others are one batch.
      const first = meter.charge(other)
      await Promise.all(
        ['listSources', 'getListing', 'listSources'].map(operation =>
          meter.charge(key, undefined, operation),
        ),
      )
      await first
      await sumOperationCalls(background())
    }
    await chargeAll()
    await chargeAll()
    const counted = await api.sql`
      select u.operation, u.calls::integer as calls
      from operation_usage u
      join keys k on k.id = u.key_id
      where k.secret_hash = ${hashKey(PEPPER, key)}
      order by u.operation`
    expect([...counted]).toEqual([
      { operation: 'getListing', calls: 2 },
      { operation: 'listSources', calls: 4 },
    ])
  })

  it('keep for an hour what was given back', async () => {
    const ages = ['59 minutes', '61 minutes']
    const given = await api.sql<{ id: string }[]>`
      insert into given_back (id, given_at)
      select gen_random_uuid(), now() - age::interval from unnest(${ages}::text[]) as age
      returning id`
    await dropStaleIpBlocks(background())
    const left = await api.sql`
      select count(*)::integer as ids from given_back where id = any(${given.map(({ id }) => id)})`
    expect([...left]).toEqual([{ ids: 1 }])
  })

  it('give a /56 four times the allowance of a /64, whose minute is given back where the /56 is refused', async () => {
    const { deps } = api
    const address = '2001:db8:77::1'
    const wide = () => deps.wideBlockMeter.charge(hashIpBlock(PEPPER, address, 56))
    expect(await wide()).toMatchObject({
      monthLimit: 4 * KEYLESS.calls_per_month,
      burstLimit: 4 * KEYLESS.calls_per_minute,
    })
    for (let call = 1; call < 4 * KEYLESS.calls_per_minute; call++) await wide()
    expect(await chargeIpBlock(deps, address, serviceCaller())).toMatchObject([
      { refusedBy: 'burst' },
    ])
    const narrow = `ip_block:${hashIpBlock(PEPPER, address).toString('hex')}`
    const used = async () => {
      const [row] = await api.sql`
        select
          (select used from monthly_usage where meter = ${narrow}) as month,
          (select used from burst_usage where meter = ${narrow}) as burst`
      return row
    }
    await expect.poll(used).toEqual({ month: 0, burst: 0 })
  })

  it('are not asked about a text that is no key', async () => {
    const meter = { ...newMeter(), charge: () => Promise.reject(new Error('asked')) }
    await expect(
      chargeKey({ ...api.deps, meter }, 'no key', 'listSources', serviceCaller()),
    ).rejects.toMatchObject({
      code: 'invalid_api_key',
    })
  })
})
