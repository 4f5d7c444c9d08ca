// Measures the service against bench/rival.ts on the same database, in turns, and writes bench/RESULTS.md.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import { projectFile } from '../src/contract/projectFile.ts'
import { startEmbedded } from '../src/infra/embedded/embeddedDatabase.ts'

const ROUNDS = 5
const SECONDS = 4
const CONNECTIONS = 16
const LOTS = 20_000
const SALES = 100_000
const OURS = 'http://127.0.0.1:18080'
const RIVAL = 'http://127.0.0.1:18081'
const SHAPES = [
  { name: 'search', path: () => '/api/v1/listings?category=vehicles&state=TX' },
  { name: 'listing', path: (id: string) => `/api/v1/listings/${id}` },
  { name: 'export', path: () => '/api/v1/export' },
]

interface Measured {
  /** Calls per second. */
  rate: number
  p99: number
}

const dataFolder = mkdtempSync(join(tmpdir(), 'surplus-bench-'))
const env = {
  ...process.env,
  DATABASE_URL: '',
  SURPLUS_DATA_DIR: dataFolder,
  PORT: '18080',
  PUBLIC_URL: OURS,
  LOG_LEVEL: 'warn',
}
const database = await startEmbedded({ dataFolder })
const children: ChildProcess[] = []
try {
  process.stderr.write(`Loading ${LOTS} lots and ${SALES} sales…\n`)
  await surplus('demo', '--lots', String(LOTS), '--sales', String(SALES), '--seed', '1')
  const { key } = JSON.parse(
    await surplus(
      'keys',
      'create',
      '--plan',
      'enterprise',
      '--monthly',
      '1000000000',
      '--per-minute',
      '1000000000',
      '--json',
    ),
  )
  await start(process.execPath, [projectFile('dist', 'src', 'main.js'), 'serve'])
  await start(process.execPath, ['--import', 'tsx', projectFile('bench', 'rival.ts'), database.url, '18081'])
  const headers = { authorization: `Bearer ${key}` }
  const id = await anyListing(headers)
  writeFileSync(projectFile('bench', 'RESULTS.md'), await report(id, headers))
} finally {
  for (const child of children) child.kill('SIGTERM')
  await Promise.all(children.map(child => child.exitCode ?? once(child, 'exit')))
  await database.stop()
  rmSync(dataFolder, { recursive: true, force: true })
}

async function report(id: string, headers: Record<string, string>): Promise<string> {
  const lines = [
    '# Results',
    '',
    `Printed by \`make bench\` on ${cpus().length} cores, Node ${process.version}: ${LOTS} live lots, ${SALES} sales,`,
    `${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s each, the two in turns. The rival is a bare Express handler of the same`,
    'SQL (`bench/rival.ts`): no key, no quota, no validation. A ratio is ours / rival, of calls per second; median (lowest to highest).',
    '',
    '| what | ours, calls/s | rival, calls/s | ratio | our p99, ms | rival p99, ms |',
    '|---|---|---|---|---|---|',
  ]
  for (const { name, path } of SHAPES) {
    const rounds: { ours: Measured; rival: Measured }[] = []
    await load(OURS + path(id), headers)
    await load(RIVAL + path(id), {})
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({ ours: await load(OURS + path(id), headers), rival: await load(RIVAL + path(id), {}) })
      process.stderr.write(`${name}: round ${round + 1} of ${ROUNDS}\n`)
    }
    const ratios = rounds.map(({ ours, rival }) => ours.rate / rival.rate).sort((a, b) => a - b)
    const middle = (pick: (round: { ours: Measured; rival: Measured }) => number) =>
      median(rounds.map(pick)).toFixed(0)
    lines.push(
      `| ${name} | ${middle(r => r.ours.rate)} | ${middle(r => r.rival.rate)} | ${median(ratios).toFixed(2)} (${ratios[0]?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)}) | ${middle(r => r.ours.p99)} | ${middle(r => r.rival.p99)} |`,
    )
  }
  const text = `${lines.join('\n')}\n`
  process.stdout.write(text)
  return text
}

async function load(url: string, headers: Record<string, string>): Promise<Measured> {
  const result = await autocannon({ url, headers, connections: CONNECTIONS, duration: SECONDS })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`)
  return { rate: result.requests.average, p99: result.latency.p99 }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

async function anyListing(headers: Record<string, string>): Promise<string> {
  const answer = (await (await fetch(`${OURS}/api/v1/listings?per_page=1`, { headers })).json()) as {
    data: { id: string }[]
  }
  return answer.data[0]?.id ?? ''
}

async function surplus(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [projectFile('dist', 'src', 'main.js'), ...args],
    { env },
  )
  return stdout
}

/** Starts a server and waits for its first line. */
async function start(command: string, args: string[]): Promise<void> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  await once(child.stdout, 'data')
}
