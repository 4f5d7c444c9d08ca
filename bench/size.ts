// Measures searches, counts and memory of the built program with many lots, and prints a table; the data are stored first (300,000 lots and
// as many sales: half an hour, unless the folder has them):
// node --import tsx bench/size.ts [--lots 300000] [--sales 300000] [--folder DIR, kept, with its data]
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { textTable } from '../src/commands/terminal.ts'
import { startEmbedded } from '../src/infra/embedded/embeddedDatabase.ts'
import { timeShapes } from './growth.ts'
import { startLoadGenerator } from './loadGenerator.ts'
import { median } from './rounds.ts'
import { createServers, mbOf, NO_LIMITS } from './servers.ts'

/** Each counts all lots or sales. */
const COUNTS = ['/api/v1/items', '/api/v1/sources', '/', '/status', '/prices', '/map']
const TIMES = 4
const MOST_INDEXING_S = 120

const { values } = parseArgs({
  options: {
    lots: { type: 'string', default: '300000' },
    sales: { type: 'string', default: '300000' },
    folder: { type: 'string' },
  },
})
const { lots, sales } = values
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'surplus-size-'))
mkdirSync(folder, { recursive: true })
/** Says that the folder has all data. */
const mark = join(folder, 'stored')
const generator = startLoadGenerator()
const database = await startEmbedded({ dataFolder: folder })
const servers = createServers(folder)
try {
  if (!existsSync(mark)) {
    process.stderr.write(`Storing ${lots} lots and ${sales} sales…\n`)
    await servers.surplus('demo', '--lots', lots, '--sales', sales, '--seed', '1')
    writeFileSync(mark, '')
  }
  const { key } = JSON.parse(await servers.surplus('keys', 'create', ...NO_LIMITS))
  const startedAt = performance.now()
  const service = await servers.service()
  const started = `started in ${Math.round(performance.now() - startedAt)} ms`
  const counts = []
  for (const path of COUNTS) counts.push({ path, ...(await timesOf(service.address + path, key)) })
  await indexed(service.address)
  const shapes = await timeShapes(generator, service, key)
  const rows = shapes.map(({ shape, p95, failures }) => ({
    shape,
    'p95 ms': Math.round(median(p95)),
    lowest: Math.round(Math.min(...p95)),
    highest: Math.round(Math.max(...p95)),
    failures,
  }))
  process.stdout.write(
    `${lots} lots, ${sales} sales: ${started}, ${mbOf(service.pid, 'VmRSS')} MB after all of this, at most ${mbOf(service.pid, 'VmHWM')} MB.\n\n`,
  )
  process.stdout.write(`${textTable(rows)}\n\n${textTable(counts)}\n`)
} finally {
  await servers.stopAll()
  await generator.stop()
  await database.stop()
  if (!values.folder) rmSync(folder, { recursive: true, force: true })
}

/** The first answer, and the slowest of the next ones. */
async function timesOf(url: string, key: string) {
  const milliseconds: number[] = []
  const statuses = new Set<number>()
  for (let time = 0; time < TIMES; time++) {
    const startedAt = performance.now()
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
    await answer.text()
    milliseconds.push(Math.round(performance.now() - startedAt))
    statuses.add(answer.status)
  }
  const [first, ...next] = milliseconds
  return { statuses: [...statuses].join(' '), 'first ms': first, 'next ms': Math.max(...next) }
}

/** Waits until the process has indexed its lots. */
async function indexed(address: string) {
  const url = `${address}/search?state=TX&per_page=`
  for (let second = 1; second <= MOST_INDEXING_S; second++) {
    await fetch(url + second)
    const metrics = await (await fetch(`${address}/metrics`)).text()
    if (/^surplus_open_lots_indexed [1-9]/m.test(metrics)) return
    await new Promise(done => setTimeout(done, 1_000))
  }
}
