import { beforeAll, describe, expect, it } from 'vitest'
import { refuseLostStatements } from '../../../src/infra/postgres/sql.ts'
import { startPgBouncer, WITH_PGBOUNCER } from '../../support/database/pgBouncer.ts'
import { insertLots } from '../../support/lots/fixtures.ts'
import { shared } from '../../support/run/shared.ts'
import { manyCalls, patiently, sampleOf } from '../../support/service/load.ts'
import { startServiceProcess } from '../../support/service/processes.ts'
import { serviceFor } from '../../support/service/start.ts'
import { usageOf } from '../../support/service/usage.ts'

const CONNECTIONS = 4
const HOUR_MS = 3_600_000

describe('three processes behind a PgBouncer in transaction mode', WITH_PGBOUNCER, () => {
  const api = serviceFor()
  beforeAll(async () => {
    // PgBouncer passes none of the session's settings on (docs/scaling.md): they are the role's, or
    // here the database's.
    await api.sql`
      do $$ begin
        execute format('alter database %I set client_connection_check_interval = 500', current_database());
        execute format('alter database %I set statement_timeout = ''10s''', current_database());
      end $$`
  })
  const pooler = shared(() => startPgBouncer(api.databaseUrl, CONNECTIONS))
  const startOne = () => startServiceProcess(pooler.url)
  const services = [1, 2, 3].map(() => shared(startOne))

  it('count to the call and answer right over four connections to the database', async () => {
    const key = await api.makeKey('enterprise', { monthly: 200, perMinute: 1_000_000 })
    const ends_at = new Date(Date.now() + HOUR_MS)
    await insertLots(api.sql, [
      {
        slug: 'one',
        category: 'vehicles',
        starts_at: new Date(0),
        ends_at,
        current_bid_cents: 100_00,
      },
    ])
    const paths = [
      '/api/v1/sources',
      '/api/v1/export',
      '/api/v1/listings?q=lot&zip=60601',
      '/api/v1/listings',
    ]
    const answers = await manyCalls(400, 48, index =>
      patiently(() => sampleOf(`${services[index % 3]!.address}${paths[index % 4]}`, key)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(200)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(200)
    expect(await usageOf(api.sql, key)).toMatchObject({ month: 200 })
    const [held] = await api.sql<{ connections: number }[]>`
      select count(*) as connections
      from pg_stat_activity
      where datname = current_database() and application_name = 'surplus serve' and state is not null`
    // Those of the test's own service come on top; it has seven at most.
    expect(held!.connections).toBeLessThanOrEqual(CONNECTIONS + 7)
  })

  it('is refused before a PgBouncer in transaction mode without prepare=false', async () => {
    const careless = pooler.url.replace('?prepare=false', '')
    await expect(refuseLostStatements(careless)).rejects.toThrow('Add ?prepare=false to it')
    await expect(refuseLostStatements(pooler.url)).resolves.toBeUndefined()
  })

  it('end the statements of clients that left at their timeout, and go on for the others', async () => {
    const key = await api.makeKey('enterprise', { monthly: 1_000_000, perMinute: 1_000_000 })
    const slow = '/api/v1/comps?listing_id=0b1f3c9e-5d0a-3f6b-8c1d-2f6a7b8c9d0e'
    const asked = () => services.map(({ address }) => address + slow)
    await Promise.all(asked().map(address => sampleOf(address, key)))
    await api.sql.begin(async lock => {
      await lock`lock table appraisals in access exclusive mode`
      const waiting = async () => {
        const [row] = await lock<{ waiting: number }[]>`
          select count(*) as waiting
          from pg_locks
          where relation = 'appraisals'::regclass and not granted`
        return row!.waiting
      }
      const headers = { authorization: `Bearer ${key}` }
      const leaving = new AbortController()
      const left = asked().map(address =>
        fetch(address, { headers, signal: leaving.signal }).catch(() => null),
      )
      // Each call makes two reads at once, which is more than the pooler has connections.
      await expect.poll(waiting, { interval: 20 }).toBe(CONNECTIONS)
      leaving.abort()
      await Promise.all(left)
      await expect.poll(waiting, { timeout: 20_000, interval: 20 }).toBe(0)
      const others = await manyCalls(60, 12, index =>
        sampleOf(
          `${services[index % 3]!.address}/api/v1/listings?per_page=${(index % 20) + 1}`,
          key,
        ),
      )
      expect(others.filter(({ status }) => status !== 200)).toEqual([])
    })
    const after = await Promise.all(asked().map(address => sampleOf(address, key)))
    expect(after.map(({ status }) => status)).toEqual([404, 404, 404])
  })
})
