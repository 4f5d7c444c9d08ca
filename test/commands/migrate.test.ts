import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { freePort } from '../../src/infra/embedded/ports.ts'
import { openWorkbench, type Sql } from '../../src/infra/postgres/database.ts'
import { runSurplus } from '../support/run/commandLine.ts'
import { startSurplus } from '../support/run/longCommand.ts'
import { PEPPER } from '../support/service/pepper.ts'

let admin: Sql
let sql: Sql
let name: string
let url: string

beforeEach(async () => {
  name = `surplus_test_${randomBytes(6).toString('hex')}`
  const address = new URL(inject('clusterUrl'))
  admin = openWorkbench(address.href)
  await admin.unsafe(`create database ${name}`)
  address.pathname = `/${name}`
  url = address.href
  sql = openWorkbench(url)
})
afterEach(async () => {
  await sql.end()
  await admin.unsafe(`drop database ${name} with (force)`)
  await admin.end()
})

/** What a database made by one migration alone has: the names of its migrations, relations, functions and sources. */
async function inventory(of: Sql): Promise<unknown> {
  return {
    migrations: (await of`select name from migrations order by name`).map(row => row.name),
    relations: (
      await of`
        select concat(c.relkind, ' ', c.relname) as name
        from pg_class c
        join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
        order by 1`
    ).map(row => row.name),
    functions: (
      await of`
        select p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' as name
        from pg_proc p
        join pg_namespace n on n.oid = p.pronamespace and n.nspname = 'public'
        order by 1`
    ).map(row => row.name),
    sources: (await of`select source from sources order by source`).map(row => row.source),
  }
}

async function expected(): Promise<unknown> {
  const template = new URL(url)
  template.pathname = `/${inject('templateName')}`
  const copy = openWorkbench(template.href)
  try {
    return await inventory(copy)
  } finally {
    await copy.end()
  }
}

describe('migrations started at once on an empty database', () => {
  it('by two `surplus migrate`: both succeed, one does the work, and the schema is there once', async () => {
    const env = { DATABASE_URL: url, KEY_PEPPER: PEPPER }
    const ran = await Promise.all([1, 2].map(() => runSurplus(['migrate', '--json'], env)))
    expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    const applied = ran.map(({ stdout }) => (JSON.parse(stdout) as { applied: string[] }).applied.length)
    expect(Math.min(...applied)).toBe(0)
    expect(Math.max(...applied)).toBeGreaterThan(5)
    expect(await inventory(sql)).toEqual(await expected())
  })

  it('by two `surplus serve`: both get ready, and the schema is there once', async () => {
    const ports = await Promise.all([freePort(), freePort()])
    const serving = ports.map(port =>
      startSurplus(['serve'], { DATABASE_URL: url, KEY_PEPPER: PEPPER, PORT: String(port) }),
    )
    try {
      for (const port of ports) {
        const status = () => fetch(`http://127.0.0.1:${port}/readyz`).then(answer => answer.status, String)
        await expect.poll(status, { timeout: 60_000 }).toBe(200)
      }
    } finally {
      const codes = await Promise.all(serving.map(each => each.end('SIGTERM')))
      expect(codes).toEqual([0, 0])
    }
    expect(await inventory(sql)).toEqual(await expected())
  }, 120_000)
})
