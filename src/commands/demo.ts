import { type Command, Option } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { UserError } from '../contract/errors.ts'
import { DEMO_PAGE, demoLots } from '../demo/demoLots.ts'
import { DAY_MS, HOUR_MS } from '../domain/durations.ts'
import type { LotRow } from '../domain/feeds/lotRow.ts'
import { count } from '../domain/format.ts'
import { buildModel, estimator } from '../domain/valuation/model.ts'
import { storeDemoAlerts } from '../infra/alerts/savedSearches.ts'
import { withLock } from '../infra/ingestion/locks.ts'
import type { StagedRow } from '../infra/ingestion/stage.ts'
import { DATABASE_NOW } from '../infra/postgres/clock.ts'
import type { Sql } from '../infra/postgres/database.ts'
import {
  markAsDemo,
  readDataKind,
  readHoldings,
} from '../infra/postgres/dataKind.ts'
import { onlyRow } from '../infra/postgres/sql.ts'
import { readOpenLotAsRow } from '../infra/search/byId.ts'
import {
  logEstimates,
  publishFinishedDays,
} from '../infra/valuation/provenLogs.ts'
import { readSales } from '../infra/valuation/salesHistory.ts'
import {
  type LoadResult,
  performLoad,
} from '../usecases/ingestion/performLoad.ts'
import { stageLot } from '../usecases/ingestion/stageLot.ts'
import { scoreAfterLoads } from '../usecases/valuation/rescore.ts'
import { writeDue } from './archive.ts'
import { withDatabase } from './context.ts'
import { inWords } from './ingest.ts'
import { endWithParent } from './processes.ts'
import { answer, answering, progress, wholeNumber } from './terminal.ts'

const LARGEST = 10_000_000

/** What `serve` starts to finish a demo beside its callers. */
export const FINISH_DEMO = ['demo', '--finish']

type DemoOptions = typeof DEMO_SIZE & {
  like?: string
  finish?: boolean
  json?: boolean
}

export function demoCommand(): Command {
  return answering(
    'demo',
    'load generated live lots of all categories and sources, and a year of sales',
  )
    .option(
      '--lots <n>',
      'how many live lots',
      wholeNumber('--lots', LARGEST),
      DEMO_SIZE.lots,
    )
    .option(
      '--sales <n>',
      'how many sales',
      wholeNumber('--sales', LARGEST),
      DEMO_SIZE.sales,
    )
    .option(
      '--seed <n>',
      'the same seed makes the same data',
      wholeNumber('--seed', LARGEST),
      DEMO_SIZE.seed,
    )
    .option(
      '--like <id>',
      'only one lot more, with the facts of this open one; only into demo data',
    )
    .addOption(new Option('--finish').hideHelp())
    .action(demo)
}

async function demo({ lots, sales, seed, like, finish, json }: DemoOptions) {
  const config = readConfig()
  if (finish) {
    endWithParent()
    return withDatabase(config, sql =>
      finishDemo(sql, config, { lots, sales, seed }),
    )
  }
  const moment = { now: new Date(), onProgress: progress }
  const settings = {
    lots,
    sales,
    seed,
    withAlerts: config.mail === null,
    ...moment,
  }
  const result = await withDatabase(config, async sql => {
    await refuseRealLots(sql)
    return like ? loadDemoLotLike(sql, like, moment) : loadDemo(sql, settings)
  })
  answer(json, result, () => inWords(result))
}

/**
 * @throws UserError for a database with real lots alone: nothing would tell
 * demo data from them.
 */
export async function refuseRealLots(sql: Sql) {
  const { kind, hasRealLots } = await readHoldings({ sql, now: DATABASE_NOW })
  if (kind === 'live' && hasRealLots)
    throw new UserError(
      'This database has real lots, which never mix with demo data; give those a folder of their own, such as SURPLUS_DATA_DIR=.surplus-demo.',
    )
}

type DemoSettings = typeof DEMO_SIZE & {
  now: Date
  /**
   * Also the demo account and its saved searches: only where its mails are kept
   * on a page.
   */
  withAlerts?: boolean
  /** `lots` and `sales` leave scores and logged estimates to `finishDemo`. */
  part?: DemoPart
  onProgress(message: string): void
}

/**
 * What the records of the loads are called: everything at once, or the live
 * lots first and the past sales beside the first callers.
 */
const FEEDS = { all: 'demo', lots: 'demo, lots', sales: 'demo, sales' }

type DemoPart = keyof typeof FEEDS

const CHUNK_ROWS = 1000

/**
 * What a first start loads: every category, source and state, and sales of
 * every item, in about 4 s of processor time.
 */
export const DEMO_SIZE = { lots: 2_000, sales: 10_000, seed: 1 }

/**
 * Loads generated lots and sales, the same for the same seed and hour, as a
 * feed is loaded.
 */
export async function loadDemo(
  sql: Sql,
  {
    lots,
    sales,
    seed,
    now,
    withAlerts = false,
    part = 'all',
    onProgress,
  }: DemoSettings,
): Promise<LoadResult> {
  const asOf = wholeHour(now)
  // First, so that no caller sees a demo lot in an answer that claims to be
  // live.
  await markAsDemo(sql)
  if (withAlerts) await storeDemoAlerts(sql)
  const size = {
    lots: part === 'sales' ? 0 : lots,
    sales: part === 'lots' ? 0 : sales,
  }
  const made = [count(size.lots, 'live lot'), count(size.sales, 'sale')]
  onProgress(
    `Making ${made.filter(words => !words.startsWith('0 ')).join(' and ')}.`,
  )
  const rows = stagedRows(demoLots({ ...size, seed, asOf }), now)
  const load = {
    feed: FEEDS[part],
    file: null,
    rows,
    partial: true,
    scoreLater: part !== 'all',
    now,
    onProgress,
  }
  const result = await performLoad(sql, load)
  if (part === 'all') await logPastEstimates(sql, asOf, onProgress)
  return result
}

/** The generator draws for the hour. */
function wholeHour(now: Date) {
  return new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS)
}

/**
 * Does what a demo with lots still lacks: past sales, scores, estimates logged
 * before the prices were known, archives, measured estimates. Killed at any
 * moment, it is done again whole: each step leaves what it finds done.
 */
async function finishDemo(
  sql: Sql,
  config: Config,
  size: typeof DEMO_SIZE,
): Promise<void> {
  const now = new Date()
  const settings = { now, onProgress: progress }
  if ((await demoNeeds(sql)).sales)
    await loadDemo(sql, { ...size, ...settings, part: 'sales' })
  await scoreAfterLoads(sql, settings)
  progress('All lots that can be valued have values and scores now.')
  process.send?.('scored')
  await logPastEstimates(sql, wholeHour(now), progress)
  await writeDue(sql, config, null)
}

/**
 * Logs what was known a week before of the lots that were sold since, as a
 * service that is a week old has done.
 */
async function logPastEstimates(
  sql: Sql,
  asOf: Date,
  onProgress: DemoSettings['onProgress'],
) {
  return withLock(sql, 'loads', onProgress, () => logAsOfLastWeek(sql, asOf))
}

async function logAsOfLastWeek(sql: Sql, asOf: Date) {
  const loggedAt = new Date(asOf.getTime() - 7 * DAY_MS)
  const sales = []
  for await (const some of readSales(sql, asOf)) sales.push(...some)
  const known = sales.filter(
    ({ sold_at_ms }) => sold_at_ms > loggedAt.getTime() - 60 * DAY_MS,
  )
  const appraise = estimator(buildModel(known, loggedAt.getTime()))
  const rows = sales
    .filter(({ sold_at_ms }) => sold_at_ms > loggedAt.getTime())
    .flatMap(sale => {
      const known = appraise(sale)
      if (known?.grade !== 'comparables') return []
      return [
        {
          lot_id: sale.id,
          estimated_value_cents: known.value_cents,
          ...known.band,
        },
      ]
    })
  await logEstimates(sql, rows, loggedAt)
  await publishFinishedDays(sql, asOf)
}

/**
 * Loads one more lot, with the facts of an open one, so that every search that
 * finds that one finds it too.
 * @throws UserError when the data are not demo data, or there is no such lot.
 */
async function loadDemoLotLike(
  sql: Sql,
  id: string,
  { now, onProgress }: Pick<DemoSettings, 'now' | 'onProgress'>,
) {
  if ((await readDataKind(sql)) !== 'demo')
    throw new UserError('The database does not hold demo data.')
  const like = await readOpenLotAsRow(sql, id)
  if (like === null) throw new UserError(`There is no open lot ${id}.`)
  const row = {
    ...like,
    source_id: String(now.getTime()),
    source_url: DEMO_PAGE,
  }
  return performLoad(sql, {
    feed: 'demo, one lot',
    file: null,
    rows: stagedRows([row], now),
    partial: true,
    now,
    onProgress,
  })
}

/** What a demo lacks. */
export interface DemoNeeds {
  /**
   * Its live lots: the database is empty, or the process that loaded them ended
   * before the load did.
   */
  lots: boolean
  /** Its past sales, of which some may be stored. */
  sales: boolean
  /** What `finishDemo` does last: measured estimates. */
  finish: boolean
}

/** What of a demo is still to be done in an empty database or a demo's. */
export async function demoNeeds(sql: Sql): Promise<DemoNeeds> {
  return onlyRow(sql<DemoNeeds[]>`
    select
      is_empty or (is_demo and not (done && ${[FEEDS.all, FEEDS.lots]}::text[])) as lots,
      (is_empty or is_demo) and not (done && ${[FEEDS.all, FEEDS.sales]}::text[]) as sales,
      (is_empty or is_demo)
      and not exists (select from sales_indexes where finished_at is not null and accuracy ? 'money') as finish
    from (
      select
        kind = 'demo' as is_demo, not exists (select from lots) as is_empty,
        array(select feed from loads where state = 'done') as done
      from data_version
    ) as held`)
}

async function* stagedRows(lots: Iterable<LotRow>, now: Date) {
  let chunk: StagedRow[] = []
  let line = 0
  for (const lot of lots) {
    line += 1
    chunk.push(Object.assign(stageLot(lot, now), { line }))
    if (chunk.length === CHUNK_ROWS) {
      yield chunk
      chunk = []
    }
  }
  yield chunk
}
