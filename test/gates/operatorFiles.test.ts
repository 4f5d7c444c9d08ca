import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { projectFile } from '../../src/contract/projectFile.ts'
import { needs } from '../support/run/needs.ts'
import { serviceFor } from '../support/service/start.ts'

// A unit has no word with a blank in it, which the path of the checkout may have.
const folder = mkdtempSync(join(tmpdir(), 'surplus-unit-'))
afterAll(() => rmSync(folder, { recursive: true }))
const api = serviceFor({ settings: { metricsToken: null, publicUrl: 'http://localhost:8080' } })

const deployed = (name: string) => projectFile('deploy', name)
const read = (name: string) => readFileSync(deployed(name), 'utf8')
const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined

/** Runs a program. @returns its exit code and what it printed. */
function ran(program: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  return { status, printed: stdout + stderr }
}

/** @returns the metrics of the service that a query names, without the endings of a histogram. */
function metricsIn(query: string): string[] {
  return [...query.matchAll(/\b(?:surplus|nodejs|process)_\w+/g)].map(([name]) =>
    name.replace(/_(?:bucket|count|sum)$/, ''),
  )
}

const rules: { alert: string; expr: string }[] = parse(read('alerts.yaml')).groups[0].rules
const panels: { title: string; targets: { expr: string }[] }[] = JSON.parse(
  read('dashboard.json'),
).panels

it('alerts.yaml and dashboard.json name only metrics that the service exports', async () => {
  await api.sql`update sources set last_success_at = now() where source = 'gsa'`
  const metrics = await (await fetch(`${api.address}/metrics`)).text()
  const exported = [...metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name)
  const queries = [...rules, ...panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr)
  expect(queries.length).toBeGreaterThan(15)
  for (const query of queries) {
    expect(metricsIn(query), query).not.toEqual([])
    expect(exported).toEqual(expect.arrayContaining(metricsIn(query)))
  }
})

it('alerts.yaml has a rule for each metric that docs/scaling.md says to watch', () => {
  const [, watch = ''] = /\*\*Watch\*\*:([\s\S]*?)\n## /.exec(
    readFileSync(projectFile('docs', 'scaling.md'), 'utf8'),
  )!
  const watched = new Set(metricsIn(watch))
  expect(watched.size).toBeGreaterThan(4)
  expect(rules.flatMap(({ expr }) => metricsIn(expr))).toEqual(expect.arrayContaining([...watched]))
})

describe(
  'promtool',
  needs(isInstalled('promtool'), 'promtool (apt-get install prometheus)'),
  () => {
    it('takes alerts.yaml, in which each rule fires in one case and stays silent in another', () => {
      expect(ran('promtool', 'check', 'rules', deployed('alerts.yaml'))).toMatchObject({
        status: 0,
      })
      expect(ran('promtool', 'test', 'rules', deployed('alerts.test.yaml'))).toMatchObject({
        status: 0,
      })
      const cases: { name: string }[] = parse(read('alerts.test.yaml')).tests
      const wanted = rules.flatMap(({ alert }) => [`${alert} fires`, `${alert} stays silent`])
      expect(cases.map(({ name }) => name)).toEqual(wanted)
    })
  },
)

describe(
  'systemd-analyze',
  needs(isInstalled('systemd-analyze'), 'systemd-analyze (systemd)'),
  () => {
    const unit = () => {
      const program = join(folder, 'dist', 'src', 'main.js')
      mkdirSync(join(program, '..'), { recursive: true })
      writeFileSync(program, '#!/bin/sh\n')
      chmodSync(program, 0o755)
      const file = join(folder, 'surplus.service')
      writeFileSync(
        file,
        read('surplus.service').replaceAll('/opt/surplus', folder.replaceAll(' ', '\\x20')),
      )
      return file
    }

    it('takes surplus.service, and calls its exposure 2.0 of 10 at most', () => {
      expect(ran('systemd-analyze', 'verify', unit())).toEqual({ status: 0, printed: '' })
      const { status, printed } = ran(
        'systemd-analyze',
        'security',
        '--offline=yes',
        '--threshold=20',
        unit(),
      )
      expect(status, printed).toBe(0)
    })
  },
)
