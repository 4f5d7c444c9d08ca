import { randomBytes } from 'node:crypto'
import { expect, inject, it } from 'vitest'
import { openWorkbench } from '../../src/infra/postgres/database.ts'
import { runSurplus } from '../support/run/commandLine.ts'

it('surplus migrate, started three times at once and once more, applies each migration once', async () => {
  const name = `surplus_test_${randomBytes(6).toString('hex')}`
  const url = new URL(inject('clusterUrl'))
  url.pathname = `/${name}`
  const admin = openWorkbench(inject('clusterUrl'))
  await admin.unsafe(`create database ${name}`)
  try {
    const migrate = () => runSurplus(['migrate', '--json'], { DATABASE_URL: url.href })
    const ran = await Promise.all([migrate(), migrate(), migrate()])
    expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual(Array(3).fill([0, '']))
    const applied = ran.map(({ stdout }) => JSON.parse(stdout).applied as string[])
    expect(applied.filter(names => names.length === 0)).toHaveLength(2)
    expect(applied.flat()).toContain('0001_sources_and_lots.sql')
    expect(JSON.parse((await migrate()).stdout)).toEqual({ applied: [] })
  } finally {
    await admin.unsafe(`drop database ${name} with (force)`)
    await admin.end()
  }
}, 60_000)
