import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import { freePort } from '../../src/infra/embedded/launch.ts'
import { openAdminConnection, type Sql } from '../../src/infra/postgres/database.ts'
import { migrate, pendingMigrations } from '../../src/infra/postgres/migrations.ts'
import { freshDatabase } from '../support/database/database.ts'
import { runSurplus, runSurplusHere, startSurplus } from '../support/run/commandLine.ts'
import { forOneTest } from '../support/run/shared.ts'
import { PEPPER } from '../support/service/testSettings.ts'

let admin: Sql
let sql: Sql
let name: string
let url: string

beforeEach(async () => {
  name = `surplus_test_${randomBytes(6).toString('hex')}`
  const address = new URL(inject('clusterUrl'))
  admin = openAdminConnection(address.href)
  await admin.unsafe(`create database ${name}`)
  address.pathname = `/${name}`
  url = address.href
  sql = openAdminConnection(url)
})
afterEach(async () => {
  await sql.end()
  await admin.unsafe(`drop database ${name} with (force)`)
  await admin.end()
})

/** What a migrated database has: the names of its migrations, relations, functions and sources. */
async function inventory(of: Sql): Promise<unknown> {
  const rows = await of`
    select 'migration ' || name as name from migrations
    union all
    select concat(relkind, ' ', relname) from pg_class where relnamespace = 'public'::regnamespace
    union all
    select proname || '(' || pg_get_function_identity_arguments(oid) || ')'
    from pg_proc
    where pronamespace = 'public'::regnamespace
    union all
    select 'source ' || source from sources
    order by 1`
  return rows.map(({ name }) => name)
}

async function expected(): Promise<unknown> {
  const template = new URL(url)
  template.pathname = `/${inject('templateName')}`
  const copy = await forOneTest(openAdminConnection(template.href))
  return await inventory(copy)
}

describe('migrations started at once on an empty database', () => {
  it('by two `surplus migrate`, and once more: each migration is applied once', async () => {
    const migrate = () =>
      runSurplus(['migrate', '--json'], { DATABASE_URL: url, KEY_PEPPER: PEPPER })
    const ran = await Promise.all([migrate(), migrate()])
    expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual(Array(2).fill([0, '']))
    const applied = ran.map(({ stdout }) => (JSON.parse(stdout) as { applied: string[] }).applied)
    expect(applied.filter(names => names.length === 0)).toHaveLength(1)
    expect(applied.flat()).toEqual((await readdir(projectFile('migrations'))).sort())
    const again = await runSurplusHere(['migrate', '--json'], {
      DATABASE_URL: url,
      KEY_PEPPER: PEPPER,
    })
    expect(JSON.parse(again.stdout)).toEqual({ applied: [] })
    expect(await inventory(sql)).toEqual(await expected())
  })

  it('by a `surplus serve` beside a `surplus migrate`: it gets ready, and the schema is there once', async () => {
    const port = String(await freePort())
    const env = { DATABASE_URL: url, KEY_PEPPER: PEPPER, ALERTS: 'off' }
    const serving = startSurplus(['serve'], { ...env, PORT: port })
    try {
      expect(await runSurplusHere(['migrate'], env)).toMatchObject({ code: 0 })
      const status = () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(answer => answer.status, String)
      await expect.poll(status).toBe(200)
    } finally {
      expect(await serving.end('SIGTERM')).toBe(0)
    }
    expect(await inventory(sql)).toEqual(await expected())
  })
})

describe('a database that no released version has made', () => {
  const refusalOf = (file: string) =>
    `This database was made by no released version (its ${file} is another), and was not changed. Back it up, then see how to keep its accounts and keys: docs/operating.md#a-database-from-before-100`

  it.each(['migrate', 'serve'])(
    'is refused by `surplus %s`, and not touched',
    async command => {
      await sql`create table migrations (name text primary key, applied_at timestamptz not null default now())`
      await sql`insert into migrations (name) values ('0001_sources_and_lots.sql')`
      const { code, stdout, stderr } = await runSurplusHere([command], {
        DATABASE_URL: url,
        KEY_PEPPER: PEPPER,
        PORT: '0',
      })
      expect([code, stdout, stderr]).toEqual([1, '', `${refusalOf('0001_lots.sql')}\n`])
      expect((await inventory(sql).catch(String)) as string).toContain(
        'relation "sources" does not exist',
      )
    },
    60_000,
  )

  it.each([
    [
      'a file was changed',
      (of: Sql) => of`update migrations set checksum = 'another' where name like '0004%'`,
    ],
    [
      'a name is another',
      (of: Sql) => of`update migrations set name = '0004_keys.sql' where name like '0004%'`,
    ],
  ])('is refused where %s', async (_, change) => {
    const { sql } = await forOneTest(freshDatabase())
    await change(sql)
    const refusal = refusalOf('0004_keys_and_metering.sql')
    await expect(migrate(sql)).rejects.toThrow(refusal)
    await expect(pendingMigrations(sql)).rejects.toThrow(refusal)
  })

  it('gets a migration that it lacks although it has a later one', async () => {
    const { sql } = await forOneTest(freshDatabase())
    const [last] = await sql<{ name: string }[]>`
      delete from migrations where name like '0010%' returning name`
    await sql`drop table account_calls`
    expect(await migrate(sql)).toEqual([last!.name])
  })

  it('is served where a newer version has only added to it', async () => {
    const { sql } = await forOneTest(freshDatabase())
    await sql`insert into migrations (name, checksum) values ('9999_more.sql', 'of the newer version')`
    expect(await pendingMigrations(sql)).toEqual({ names: [], isNew: false })
  })
})
