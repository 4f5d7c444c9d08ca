// Measures the service against a hand-written endpoint on the same PostgreSQL, in turns, and writes bench/RESULTS.md. `--lots N`
// (100,000) and `--sales N` (200,000) set the size, `--only WORDS` picks comparisons and writes no file; `--grow` also measures
// how the service grows from 10,000 lots and 100,000 sales to ten times as many (minutes more).
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { createKey } from '../src/commands/createKey.ts'
import { projectFile } from '../src/contract/projectFile.ts'
import { newKey } from '../src/domain/apiKey.ts'
import { startEmbedded } from '../src/infra/embedded/embeddedDatabase.ts'
import { openAdminConnection } from '../src/infra/postgres/database.ts'
import { type Contestants, contestsOf } from './comparisons.ts'
import { timeExports } from './exportTimes.ts'
import { timeLoads } from './feedLoad.ts'
import { measureGrowth } from './growth.ts'
import { measureHostileCaller, measureStrangers } from './hostileCaller.ts'
import { startLoadGenerator } from './loadGenerator.ts'
import { type Profile, profile } from './profile.ts'
import { type Measurements, report } from './report.ts'
import { searches } from './requests.ts'
import { type Comparison, compare, median } from './rounds.ts'
import { createServers, mbOf, NO_LIMITS } from './servers.ts'

const { values } = parseArgs({
  options: {
    lots: { type: 'string', default: '100000' },
    sales: { type: 'string', default: '200000' },
    only: { type: 'string' },
    grow: { type: 'boolean', default: false },
  },
})
const MANY_KEYS = 1_000
const HOSTILE_KEYS = 8
const PLENTY = { callsPerMonth: 1_000_000_000, callsPerMinute: 1_000_000_000 }

const dataFolder = mkdtempSync(join(tmpdir(), 'surplus-bench-'))
const built = projectFile('node_modules', '.cache', `surplus-bench-${process.pid}`)
const database = await startEmbedded({ dataFolder })
const servers = createServers(dataFolder)
const generator = startLoadGenerator()
try {
  mkdirSync(built, { recursive: true })
  execFileSync(process.execPath, [projectFile('tools', 'build.mjs'), built, 'bench'])
  process.stderr.write(`Loading ${values.lots} lots and ${values.sales} sales…\n`)
  await servers.surplus('demo', '--lots', values.lots, '--sales', values.sales, '--seed', '1')
  const contestants = await startAll()
  const { service } = contestants
  const only = values.only === undefined ? undefined : new RegExp(values.only)
  const { comparisons, profiles } = await runComparisons(contestants, only)
  if (only) process.stdout.write(report({ ...nothing(), comparisons, profiles }))
  else {
    const exported = await timeExports(service, database.url)
    const hostile = await measureHostileCaller(service, contestants.keys[0]!, await makeHostileKeys())
    const strangers = await measureStrangers(service, contestants.keys[0]!)
    // As many different searches as fill every cache.
    const filling = searches(4_000, 11).map(path => ({ path }))
    await generator.run(
      { address: service.address, headers: service.headers, calls: filling, connections: 64 },
      service.pid,
    )
    const peakMb = mbOf(service.pid, 'VmHWM')
    await servers.stopAll()
    const loads = await timeLoads(Number(values.lots))
    const measured = { ...nothing(), comparisons, profiles, exported, hostile, strangers, peakMb, loads }
    publish(measured)
    if (values.grow) publish({ ...measured, growth: await measureGrowth(generator) })
  }
} finally {
  await servers.stopAll()
  await generator.stop()
  await database.stop()
  for (const folder of [dataFolder, built]) rmSync(folder, { recursive: true, force: true })
}

/** Compares in turns, and profiles the service under the calls of each comparison that is below its bar. */
async function runComparisons(contestants: Contestants, only = /./) {
  const comparisons: Comparison[] = []
  const profiles: Profile[] = []
  const command = [...nodeOfTheService(), projectFile('dist', 'src', 'main.js'), 'serve']
  for (const contest of contestsOf(contestants).filter(({ what }) => only.test(what))) {
    const comparison = await compare(generator, contest)
    comparisons.push(comparison)
    if (median(comparison.ratios) < contest.bar)
      profiles.push(await profile(generator, servers, command, contest))
  }
  return { comparisons, profiles }
}

/** The service with a key without limits, and the servers it is measured against. */
async function startAll(): Promise<Contestants> {
  const rivals = (name: string) => projectFile('bench', 'rivals', name)
  const fastify = (port: string, ...key: string[]) => [
    process.execPath,
    rivals('fastify.mjs'),
    database.url,
    port,
    ...key,
  ]
  process.stderr.write('Filling the table of the rivals…\n')
  execFileSync(process.execPath, [rivals('ownTable.mjs'), database.url])
  const service = await servers.service()
  const { key } = JSON.parse(await servers.surplus('keys', 'create', ...NO_LIMITS))
  const headers = { authorization: `Bearer ${key}` }
  const unmetered = await servers.start('unmetered', 18084, [
    ...nodeOfTheService(),
    join(built, 'bench', 'unmetered.js'),
    database.url,
  ])
  return {
    service: { ...service, headers },
    unmetered: { ...unmetered, headers },
    fastify: await servers.start('fastify', 18081, fastify('18081')),
    // It knows no key, so it has a table of its own with the same.
    metered: { ...(await servers.start('metered', 18082, fastify('18082', key))), headers },
    ids: await someIds(),
    keys: await makeKeys(MANY_KEYS, 'bench'),
  }
}

/** Node with the flags of the first line of the built program. */
function nodeOfTheService(): string[] {
  const [line = ''] = readFileSync(join(built, 'src', 'main.js'), 'utf8').split('\n')
  return [process.execPath, ...line.split(' ').filter(word => word.startsWith('--'))]
}

/** Lots that end last come first, so that none ends while it is called. */
async function someIds(): Promise<string[]> {
  const sql = postgres(database.url, { max: 1 })
  const rows = await sql<{ id: string }[]>`select id from rival.lots order by end_date desc, id`
  await sql.end({ timeout: 5 })
  return rows.map(({ id }) => id)
}

/** Keys without limits, each of an account of its own. */
async function makeKeys(count: number, owner: string): Promise<string[]> {
  return storeKeys(
    Array.from({ length: count }, (_, n) => ({ plan: 'enterprise', owner: `${owner} ${n}`, ...PLENTY })),
  )
}

/** Keys of one free account; their limits are lifted, so that only the fair share of the database holds them back. */
async function makeHostileKeys(): Promise<string[]> {
  return storeKeys(
    Array.from({ length: HOSTILE_KEYS }, () => ({ plan: 'free', owner: 'hostile', ...PLENTY })),
  )
}

async function storeKeys(options: Parameters<typeof createKey>[3][]): Promise<string[]> {
  const pepper = readFileSync(join(dataFolder, 'pepper'), 'utf8').trim()
  const sql = openAdminConnection(database.url)
  const keys: string[] = []
  for (const option of options) {
    const key = newKey()
    await createKey(sql, pepper, key, option)
    keys.push(key)
  }
  await sql.end({ timeout: 5 })
  return keys
}

function nothing(): Measurements {
  return {
    lots: values.lots,
    sales: values.sales,
    comparisons: [],
    profiles: [],
    exported: null,
    hostile: null,
    strangers: [],
    peakMb: null,
    loads: null,
    growth: null,
  }
}

function publish(measurements: Measurements): void {
  const text = report(measurements)
  process.stdout.write(text)
  writeFileSync(projectFile('bench', 'RESULTS.md'), text)
}
