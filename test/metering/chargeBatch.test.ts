import type { TransactionSql } from 'postgres'
import { describe, expect, it } from 'vitest'
import { hashKey, newKey } from '../../src/domain/apiKey.ts'
import { chargeKeys } from '../../src/infra/metering/counters.ts'
import { createMeter } from '../../src/infra/metering/meter.ts'
import { CircuitBreaker } from '../../src/infra/overload/circuitBreaker.ts'
import { DATABASE_NOW } from '../../src/infra/postgres/clock.ts'
import { openAdminConnection, type Sql } from '../../src/infra/postgres/database.ts'
import { shared } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import { PEPPER } from '../support/service/testSettings.ts'
import { usageOf } from '../support/service/usage.ts'

const DEADLINE_MS = 10_000

const api = serviceFor()
const pool = shared(() => openAdminConnection(api.databaseUrl))
const breaker = new CircuitBreaker({ silenceMs: DEADLINE_MS })
const meter = createMeter({
  context: () => ({ sql: pool, now: DATABASE_NOW }),
  breaker,
  deadlineMs: DEADLINE_MS,
})

const charge = (key: string) => meter.charge(hashKey(PEPPER, key))

describe('keys that are charged in one batch', () => {
  it('are each told their own: plain, new, with less room than they ask for, spent, of one account, unknown and revoked', async () => {
    const keyOf = (monthly: number, perMinute = 100, owner?: string) =>
      api.makeKey('enterprise', { monthly, perMinute, ...(owner ? { owner } : {}) })
    const [warm, plain, tight] = [await keyOf(100), await keyOf(100), await keyOf(3)]
    const [spent, revoked, fresh] = [await keyOf(100, 1), await keyOf(100), await keyOf(2)]
    const [first, second] = [await keyOf(50, 100, 'both'), await keyOf(50, 100, 'both')]
    for (const key of [plain, tight, spent, revoked, first, second]) await charge(key)
    await api.sql`update keys set revoked_at = now() where secret_hash = ${hashKey(PEPPER, revoked)}`

    // The first call is on its way alone; those that follow it wait for one another.
    const alone = charge(warm)
    const told = async (key: string, calls: number) => {
      const charges = await Promise.all(Array.from({ length: calls }, () => charge(key)))
      return charges.map(each => each && (each.granted ? each.monthRemaining : each.refusedBy))
    }
    const unknown = newKey()
    const answers = await Promise.all([
      ...[
        told(plain, 3),
        told(fresh, 3),
        told(tight, 4),
        told(spent, 2),
        told(revoked, 1),
        told(unknown, 2),
      ],
      ...[told(first, 2), told(second, 2)],
    ])
    expect((await alone)?.monthRemaining).toBe(99)
    expect(answers.slice(0, 6)).toEqual([
      [98, 97, 96],
      [1, 0, 'month'],
      [1, 0, 'month', 'month'],
      ['burst', 'burst'],
      [null],
      [null, null],
    ])
    expect(answers.slice(6).flat().toSorted()).toEqual([44, 45, 46, 47])
  })

  it('are each told what their minute has left', async () => {
    const key = await api.makeKey('free', { perMinute: 4 })
    const warm = charge(await api.makeKey('free'))
    const charges = await Promise.all(Array.from({ length: 5 }, () => charge(key)))
    expect((await warm)?.burstRemaining).toBe(59)
    expect(charges.map(each => [each?.granted, each?.burstRemaining])).toEqual([
      ...[3, 2, 1, 0].map(left => [true, left]),
      [false, 0],
    ])
  })

  it('of one account are refused by the month only above the limit of their own', async () => {
    const owner = 'different limits'
    const small = await api.makeKey('enterprise', { owner, monthly: 5, perMinute: 100 })
    const large = await api.makeKey('enterprise', { owner, monthly: 8, perMinute: 100 })
    const warm = charge(await api.makeKey('free'))
    const charges = await Promise.all(
      [small, large, small, large, small, large, small].map(key => charge(key)),
    )
    await warm
    expect(charges.map(each => each?.granted)).toEqual([true, true, true, true, false, true, false])
    const after = await Promise.all([large, large, large, large, small].map(key => charge(key)))
    expect(after.map(each => each?.refusedBy)).toEqual([null, null, null, 'month', 'month'])
    expect(await usageOf(api.sql, large)).toMatchObject({ month: 8 })
  })

  it.each(['force_custom_plan', 'force_generic_plan'])(
    'read no more counters than they have keys, with a plan of the time when there was one (%s)',
    async planning => {
      const keys = await Promise.all(
        Array.from({ length: 100 }, () =>
          api.makeKey('enterprise', { monthly: 100, perMinute: 100 }),
        ),
      )
      const chargeAll = async (sql: TransactionSql, some: string[]) => {
        const asked = some.map((key, position) => ({
          position,
          hash: hashKey(PEPPER, key).toString('hex'),
          calls: 1,
          operations: 'listSources',
        }))
        const context = { sql: sql as unknown as Sql, now: DATABASE_NOW }
        return (await chargeKeys(context, asked)).filter(({ granted }) => granted === 1)
      }
      await api.sql
        .begin(async sql => {
          const counters = async () => {
            const [row] = await sql<{ rows: number }[]>`
              select sum(idx_tup_fetch + seq_tup_read)::integer as rows
              from pg_stat_xact_user_tables
              where relname in ('burst_usage', 'monthly_usage')`
            return row!.rows
          }
          await sql`select set_config('plan_cache_mode', ${planning}, true)`
          await sql`delete from burst_usage`
          await sql`delete from monthly_usage`
          await chargeAll(sql, keys.slice(0, 1))
          await sql`analyze burst_usage`
          await sql`analyze monthly_usage`
          await chargeAll(sql, keys.slice(0, 1))
          await chargeAll(sql, keys.slice(1))
          const before = await counters()
          expect(await chargeAll(sql, keys)).toHaveLength(100)
          expect((await counters()) - before).toBeLessThan(1_000)
          throw new Rollback()
        })
        .catch(error => {
          if (!(error instanceof Rollback)) throw error
        })
    },
  )
})

/** Other tests keep their counters. */
class Rollback extends Error {}
