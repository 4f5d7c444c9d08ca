import { beforeAll, describe, expect, it } from 'vitest'
import {
  startReplication,
  type TestServer,
  WITH_SERVERS,
} from '../../support/database/replication.ts'
import { runSurplus } from '../../support/run/commandLine.ts'
import { shared } from '../../support/run/shared.ts'
import { PEPPER } from '../../support/service/testSettings.ts'

describe('a database whose autovacuum is off', WITH_SERVERS, () => {
  const replication = shared(() => startReplication(0))
  let server: TestServer
  beforeAll(async () => {
    server = replication.primary
    await server.sql`alter system set autovacuum = off`
    await server.sql`select pg_reload_conf()`
  })

  const surplus = async (...args: string[]) => {
    const { code, stderr } = await runSurplus(args, {
      DATABASE_URL: server.url,
      KEY_PEPPER: PEPPER,
    })
    expect(code, stderr).toBe(0)
  }
  const scored = async () => {
    const [counted] = await server.sql<{ lots: number }[]>`
      select count(*) as lots from lots where is_open and ends_at > now() and flip_score is not null`
    return counted!.lots
  }

  it('is loaded, valued and scored from empty, and again after its statistics are gone as after a restore', async () => {
    await surplus('demo', '--lots', '6000', '--sales', '4000', '--seed', '1')
    const first = await scored()
    expect(first).toBeGreaterThan(3_000)
    // What a dump leaves out (pg_dump, PostgreSQL 17).
    await server.sql`delete from pg_statistic`
    await server.sql`update pg_class set reltuples = -1, relpages = 0, relallvisible = 0 where relkind in ('r', 'i')`
    await surplus('demo', '--lots', '9000', '--sales', '6000', '--seed', '2')
    expect(await scored()).toBeGreaterThan(first + 1_000)
  })
})
