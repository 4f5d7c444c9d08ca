// Measures loading and scoring at size on an embedded database of its own, and prints a table: node
// --import tsx bench/scoring.ts [--lots 100000] [--sales 1000000] [--folder DIR, kept, with its
// data]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { demoNeeds, loadDemo } from '../src/commands/demo.ts'
import { textTable } from '../src/commands/terminal.ts'
import { demoLots } from '../src/demo/demoLots.ts'
import type { LotRow } from '../src/domain/feeds/lotRow.ts'
import { startEmbedded } from '../src/infra/embedded/embeddedDatabase.ts'
import { openAdminConnection } from '../src/infra/postgres/database.ts'
import { migrate } from '../src/infra/postgres/migrations.ts'
import { ingestFile } from '../src/usecases/ingestion/ingestFile.ts'
import type { LoadResult } from '../src/usecases/ingestion/performLoad.ts'
import { seedSources } from '../src/usecases/ingestion/trackedSources.ts'
import type { Rescored } from '../src/usecases/valuation/appraiseLots.ts'
import { keepScoresFresh } from '../src/usecases/valuation/refreshDueScores.ts'
import { rescore } from '../src/usecases/valuation/rescore.ts'
import { FEED_PAGES } from './feedLoad.ts'
import { postmasterOf, processorMs } from './processorTime.ts'

const { values } = parseArgs({
  options: {
    lots: { type: 'string', default: '100000' },
    sales: { type: 'string', default: '1000000' },
    folder: { type: 'string' },
  },
})
const lots = Number(values.lots)
const sales = Number(values.sales)
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'surplus-scoring-'))
mkdirSync(folder, { recursive: true })
const database = await startEmbedded({ dataFolder: folder })
const sql = openAdminConnection(database.url)
const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
const databaseSeconds = () => processorMs([postmasterOf(backend!.pid)]) / 1000
const LONG_DESCRIPTION = 400
const measured: Record<string, unknown>[] = []
const onProgress = (message: string) => void process.stderr.write(`${message}\n`)
/** Each step has a later moment; the lots stay open for at least two hours. */
let now = new Date()

try {
  await migrate(sql)
  await seedSources(sql)
  if ((await demoNeeds(sql)).lots)
    await step('load of the demo into an empty database', () =>
      loadDemo(sql, { lots, sales, seed: 1, now, onProgress }),
    )
  const live = await liveRows()
  await step('full run (surplus rescore)', () => rescore(sql, { now, onProgress }))
  await load('1,000 lots as before', live.slice(0, 1000))
  await load(
    '1,000 lots with another bid',
    live
      .slice(0, 1000)
      .map(row => ({ ...row, current_bid_cents: (row.current_bid_cents ?? 0) + 500, num_bids: 9 })),
  )
  await load(
    '1,000 new lots',
    live.slice(0, 1000).map(row => ({ ...row, source_id: `${row.source_id}-again` })),
  )
  await load(
    '10 new lots',
    live.slice(0, 10).map(row => ({ ...row, source_id: `${row.source_id}-once-more` })),
  )
  await load('all lots as before', live)
  await load(
    'all lots with another bid',
    live.map(row => ({
      ...row,
      current_bid_cents: (row.current_bid_cents ?? 0) + 700,
      num_bids: 11,
    })),
  )
  await step('an hour later: scores that time has changed', async () => {
    now = new Date(now.getTime() + 3_600_000)
    const lots_rescored = await keepScoresFresh(sql, now)
    return { mode: 'partial', lots_estimated: 0, lots_rescored }
  })
  await emptyLots()
  await load('all lots into an empty table, without scores', live, { scoreLater: true })
  const longRows = described(live)
  await emptyLots()
  await load('the same with long descriptions', longRows, { scoreLater: true })
  await load(
    'a fifth as many new ones beside them',
    longRows
      .slice(0, live.length / 5)
      .map(row => ({ ...row, source_id: `${row.source_id}-again` })),
    { scoreLater: true },
  )
  process.stdout.write(`${await report()}\n`)
} finally {
  await sql.end()
  await database.stop()
  if (!values.folder) rmSync(folder, { recursive: true, force: true })
}

/**
 * The live lots of the loaded demo, as feed rows. A feed needs an address, which lots of the demo
 * do not have; they get one here.
 */
async function liveRows(): Promise<LotRow[]> {
  const [first] = await sql<{ started_at: Date }[]>`select min(started_at) as started_at from loads`
  const asOf = new Date(Math.floor(first!.started_at.getTime() / 3_600_000) * 3_600_000)
  await sql`update lots set source_url = ${sql.json(FEED_PAGES)}::jsonb ->> source where is_open`
  return [...demoLots({ lots, sales: 0, seed: 1, asOf })].map(row => ({
    ...row,
    source_url: FEED_PAGES[row.source]!,
  }))
}

async function emptyLots(): Promise<void> {
  await sql`truncate lots, appraisals, scoring_queue, sales_indexes, sales_index_pieces`
}

/**
 * The lots with descriptions as long as those of agencies: put together from their neighbours'
 * titles and descriptions.
 */
function described(rows: LotRow[]): LotRow[] {
  return rows.map((row, n) => {
    const words = [row.description]
    for (let next = n + 1; words.join(' ').length < LONG_DESCRIPTION; next++) {
      const { title, description } = rows[next % rows.length]!
      words.push(title, description)
    }
    return { ...row, description: words.join(' ').trim().slice(0, LONG_DESCRIPTION) }
  })
}

async function load(
  name: string,
  rows: LotRow[],
  settings: { scoreLater?: boolean } = {},
): Promise<void> {
  const file = join(folder, 'rows.ndjson')
  writeFileSync(file, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  await step(name, () =>
    ingestFile(sql, { feed: 'feed', file, partial: true, now, onProgress, ...settings }),
  )
}

async function step(
  name: string,
  work: () => Promise<LoadResult | Partial<Rescored> | null>,
): Promise<void> {
  now = new Date(Math.max(now.getTime() + 1, Date.now()))
  onProgress(`${name}…`)
  const started = performance.now()
  const cpu = process.cpuUsage()
  const databaseCpu = databaseSeconds()
  const result = await work()
  const { user, system } = process.cpuUsage(cpu)
  const seconds = (performance.now() - started) / 1000
  const rescored =
    result && 'rescored' in result ? result.rescored : (result as Partial<Rescored> | null)
  const stored = result && 'rows_read' in result ? result : null
  measured.push({
    step: name,
    seconds: seconds.toFixed(1),
    'cpu here': ((user + system) / 1e6).toFixed(1),
    'cpu database': (databaseSeconds() - databaseCpu).toFixed(1),
    'of it scoring, s': rescored?.seconds?.toFixed(1),
    mode: rescored?.mode,
    estimated: rescored?.lots_estimated,
    rescored: rescored?.lots_rescored,
    'rows/s': stored === null ? null : Math.round(stored.rows_read / stored.seconds_until_stored),
    'peak MB': Math.round(process.resourceUsage().maxRSS / 1024),
    load: loadavg()[0]!.toFixed(1),
  })
  process.stderr.write(`${JSON.stringify(measured.at(-1))}\n`)
}

async function report(): Promise<string> {
  const [size] = await sql<
    { version: string }[]
  >`select current_setting('server_version') as version`
  return [
    `${lots} live lots (descriptions of ${averageDescription(await liveRows())} characters, long ones of ${LONG_DESCRIPTION}), ${sales} sales; ${cpus().length} cores, Node ${process.version}, PostgreSQL ${size!.version}.`,
    'rows/s counts from the start of a load until its rows can be searched: scores and tidying come after. `load` is how many programs wanted a core in the last minute, ours and others.',
    '',
    textTable(measured),
  ].join('\n')
}

function averageDescription(rows: LotRow[]): number {
  return Math.round(
    rows.reduce((sum, row) => sum + (row.description?.length ?? 0), 0) / rows.length,
  )
}
