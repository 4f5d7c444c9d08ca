// Measures the service against its rivals on the same database, in turns, and writes bench/RESULTS.md. `--lots N` (100,000) and
// `--sales N` (200,000) set the size; `--grow` also measures how it grows to 1,000,000 lots (half an hour).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { projectFile } from '../src/contract/projectFile.ts'
import { startEmbedded } from '../src/infra/embedded/embeddedDatabase.ts'
import { type Contestants, contests } from './contests.ts'
import { CONNECTIONS, type Duel } from './duels.ts'
import { compareExports, type ExportTimes } from './exports.ts'
import { type Growth, measureGrowth } from './growth.ts'
import { startGenerator } from './loading.ts'
import { makeKeys } from './manyKeys.ts'
import { measurePgbench } from './pgbench.ts'
import { createServers, type Server, YOUNG_GENERATION } from './servers.ts'

const { values } = parseArgs({
  options: {
    lots: { type: 'string', default: '100000' },
    sales: { type: 'string', default: '200000' },
    grow: { type: 'boolean', default: false },
  },
})
const MANY_KEYS = 1_000
const dataFolder = mkdtempSync(join(tmpdir(), 'surplus-bench-'))
const database = await startEmbedded({ dataFolder })
const servers = createServers(dataFolder)
const generator = startGenerator()
try {
  process.stderr.write(`Loading ${values.lots} lots and ${values.sales} sales…\n`)
  await servers.surplus('demo', '--lots', values.lots, '--sales', values.sales, '--seed', '1')
  const contestants = await enter()
  const duels = await contests(generator, contestants)
  const exported = await compareExports(contestants.service, database.url)
  const pages = await measurePgbench(database.url)
  await servers.stopAll()
  publish({ duels, exported, pages, growth: null })
  if (values.grow) publish({ duels, exported, pages, growth: await measureGrowth(generator) })
} finally {
  await servers.stopAll()
  await generator.stop()
  await database.stop()
  rmSync(dataFolder, { recursive: true, force: true })
}

/** The service with a key without limits, and everybody it is measured against. */
async function enter(): Promise<Contestants> {
  const limits = ['--plan', 'enterprise', '--monthly', '1000000000', '--per-minute', '1000000000', '--json']
  const headersOf = (key: string) => ({ authorization: `Bearer ${key}` })
  const keys: string[] = []
  for (let n = 0; n < 2; n++) keys.push(JSON.parse(await servers.surplus('keys', 'create', ...limits)).key)
  const headers = headersOf(keys[0]!)
  const rival = (name: string, port: number) =>
    servers.rival(name, port, [
      '--import',
      'tsx',
      projectFile('bench', 'rivals', `${name}.mjs`),
      database.url,
      String(port),
    ])
  const service: Server = { ...(await servers.service()), headers }
  const unmetered = await servers.rival('unmetered', 18084, [
    YOUNG_GENERATION,
    '--import',
    'tsx',
    projectFile('bench', 'unmetered.ts'),
    database.url,
    '18084',
  ])
  const page = await (await fetch(`${service.address}/api/v1/listings?per_page=50`, { headers })).json()
  return {
    service,
    unmetered: { ...unmetered, headers },
    fastify: await rival('fastify', 18081),
    express: await rival('express', 18082),
    platformatic: await rival('platformatic', 18083).catch(() => null),
    ids: (page as { data: { id: string }[] }).data.map(({ id }) => id),
    keys: await makeKeys(database.url, join(dataFolder, 'pepper'), MANY_KEYS),
  }
}

interface Measurements {
  duels: Duel[]
  exported: ExportTimes
  pages: { shape: string; perSecond: number }[] | null
  growth: Growth | null
}

function publish(measurements: Measurements): void {
  const text = report(measurements)
  process.stdout.write(text)
  writeFileSync(projectFile('bench', 'RESULTS.md'), text)
}

function report({ duels, exported, pages, growth }: Measurements): string {
  const number = (value: number, digits = 0) => value.toFixed(digits)
  const lines = [
    '# Results',
    '',
    `Printed by \`make bench\` on ${cpus().length} cores, Node ${process.version}: ${values.lots} live lots, ${values.sales} sales, ${CONNECTIONS} connections,`,
    `five rounds in turns after one to warm up, the load generator in a process of its own. Load average at the end: ${loadavg()[0]!.toFixed(1)}.`,
    'A ratio is ours / theirs, of calls per second: median (lowest to highest). CPU is processor time of the server alone, a call.',
    'The rivals run the statement of the service itself, which writes the JSON, without key, quota, validation or memory.',
    '',
    '| What | Against | Ours, calls/s | Theirs, calls/s | Ratio | p99, ms | Their p99, ms | CPU, ms | Their CPU, ms |',
    '|---|---|---:|---:|---:|---:|---:|---:|---:|',
    ...duels.map(({ what, ours, theirs, ratios }) => {
      const [label, against] = what.split(' / ')
      const ratio = `${number(ratios[Math.floor(ratios.length / 2)]!, 2)} (${number(ratios[0]!, 2)} to ${number(ratios.at(-1)!, 2)})`
      return `| ${label} | ${against} | ${number(ours.rate)} | ${number(theirs.rate)} | ${ratio} | ${number(ours.p99, 1)} | ${number(theirs.p99, 1)} | ${number(ours.cpuMs, 2)} | ${number(theirs.cpuMs, 2)} |`
    }),
    '',
    `Export of ${exported.rows} rows: ${number(exported.exportMs)} ms; \`COPY (…) TO STDOUT CSV\` of the same rows: ${number(exported.copyMs)} ms; ratio ${number(exported.exportMs / exported.copyMs, 2)} (medians of ${exported.rounds}).`,
    '',
    pages
      ? `The statement of a page alone, by pgbench with ${CONNECTIONS} clients, calls/s: ${pages.map(({ shape, perSecond }) => `${shape} ${number(perSecond)}`).join(', ')}.`
      : 'pgbench is not installed here, so the statement alone was not measured.',
    ...(growth ? ['', ...growthLines(growth)] : []),
  ]
  return `${lines.join('\n')}\n`
}

function growthLines({ sizes, shapes, loads }: Growth): string[] {
  return [
    '## Growth',
    '',
    'p95 of a call in ms, the middle one of five rounds of 120 calls by four callers; 1,000,000 / 10,000 in the last column.',
    '',
    `| Shape | ${sizes.map(size => size.toLocaleString('en-US')).join(' | ')} | Growth |`,
    `|---|${sizes.map(() => '---:|').join('')}---:|`,
    ...shapes.map(
      ({ shape, p95 }) =>
        `| ${shape} | ${p95.map(ms => ms.toFixed(1)).join(' | ')} | ×${(p95.at(-1)! / p95[0]!).toFixed(1)} |`,
    ),
    '',
    ...loads.map(
      ({ lots, rowsPerSecond, peakMb }) =>
        `${lots.toLocaleString('en-US')} lots: loaded from a feed file (NDJSON) at ${rowsPerSecond.toLocaleString('en-US')} rows a second until they can be searched; the serving process had at most ${peakMb} MB.`,
    ),
  ]
}
