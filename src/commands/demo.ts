import { readConfig } from '../config.ts'
import { DEMO_PAGE, demoLots } from '../demo/demoLots.ts'
import { DAY_MS, HOUR_MS } from '../domain/durations.ts'
import { UserError } from '../domain/errors.ts'
import type { LotRow } from '../domain/feeds/lotRow.ts'
import { formatNumber } from '../domain/format.ts'
import { buildModel, estimator } from '../domain/valuation/model.ts'
import { storeDemoAlerts } from '../infra/alerts/savedSearches.ts'
import { withLock } from '../infra/ingestion/locks.ts'
import type { StagedRow } from '../infra/ingestion/stage.ts'
import { readOpenLotAsRow } from '../infra/listings/byId.ts'
import type { Sql } from '../infra/postgres/database.ts'
import { DATABASE_NOW, markAsDemo, readDataKind, readHoldings } from '../infra/postgres/dataVersion.ts'
import { firstValue } from '../infra/postgres/sql.ts'
import { logEstimates, publishFinishedDays } from '../infra/valuation/provenLogs.ts'
import { readSales } from '../infra/valuation/salesHistory.ts'
import type { LoadResult } from '../usecases/ingestion/performLoad.ts'
import { performLoad } from '../usecases/ingestion/performLoad.ts'
import { stageLot } from '../usecases/ingestion/stageLot.ts'
import { withDatabase } from './context.ts'
import { inWords } from './ingest.ts'
import { answer, answering, progress, wholeNumber } from './terminal.ts'

const LARGEST = 10_000_000

type DemoOptions = typeof DEMO_SIZE & { like?: string; json?: boolean }

export function demoCommand() {
  return answering('demo', 'load generated live lots of all categories and sources, and a year of sales')
    .option('--lots <n>', 'how many live lots', wholeNumber('--lots', LARGEST), DEMO_SIZE.lots)
    .option('--sales <n>', 'how many sales', wholeNumber('--sales', LARGEST), DEMO_SIZE.sales)
    .option('--seed <n>', 'the same seed makes the same data', wholeNumber('--seed', LARGEST), DEMO_SIZE.seed)
    .option('--like <id>', 'only one lot more, with the facts of this open one; only into demo data')
    .action(demo)
}

async function demo({ lots, sales, seed, like, json }: DemoOptions) {
  const config = readConfig()
  const moment = { now: new Date(), onProgress: progress }
  const settings = { lots, sales, seed, withAlerts: config.mail === null, ...moment }
  const result = await withDatabase(config, async sql => {
    await refuseRealLots(sql)
    return like ? loadDemoLotLike(sql, like, moment) : loadDemo(sql, settings)
  })
  answer(json, result, () => inWords(result))
}

/** @throws UserError for a database with real lots alone: nothing would tell demo data from them. */
export async function refuseRealLots(sql: Sql) {
  const { kind, hasRealLots } = await readHoldings({ sql, now: DATABASE_NOW })
  if (kind === 'live' && hasRealLots)
    throw new UserError(
      'This database has real lots, which never mix with demo data; give those a folder of their own, such as SURPLUS_DATA_DIR=.surplus-demo.',
    )
}

type DemoSettings = typeof DEMO_SIZE & {
  now: Date
  /** Also the demo account and its saved searches: only where its mails are kept on a page. */
  withAlerts?: boolean
  onProgress(message: string): void
}

const CHUNK_ROWS = 1000

/** What a first start loads: every category, source and state, and sales of every item, in about 4 s of processor time. */
export const DEMO_SIZE = { lots: 2_000, sales: 10_000, seed: 1 }

/** Loads generated lots and sales, the same for the same seed and hour, as a feed is loaded. */
export async function loadDemo(
  sql: Sql,
  { lots, sales, seed, now, withAlerts = false, onProgress }: DemoSettings,
): Promise<LoadResult> {
  const asOf = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS)
  // First, so that no caller sees a demo lot in an answer that claims to be live.
  await markAsDemo(sql)
  if (withAlerts) await storeDemoAlerts(sql)
  onProgress(`Making ${formatNumber(lots)} live lots and ${formatNumber(sales)} sales.`)
  const rows = stagedRows(demoLots({ lots, sales, seed, asOf }), now)
  const result = await performLoad(sql, { feed: 'demo', file: null, rows, partial: true, now, onProgress })
  await withLock(sql, 'loads', onProgress, () => logPastEstimates(sql, asOf))
  return result
}

/** Logs what was known a week before of the lots that were sold since, as a service that is a week old has done. */
async function logPastEstimates(sql: Sql, asOf: Date) {
  const loggedAt = new Date(asOf.getTime() - 7 * DAY_MS)
  const sales = []
  for await (const some of readSales(sql, asOf)) sales.push(...some)
  const known = sales.filter(({ sold_at_ms }) => sold_at_ms > loggedAt.getTime() - 60 * DAY_MS)
  const appraise = estimator(buildModel(known, loggedAt.getTime()))
  const rows = sales
    .filter(({ sold_at_ms }) => sold_at_ms > loggedAt.getTime())
    .flatMap(sale => {
      const known = appraise(sale)
      if (known?.grade !== 'comparables') return []
      return [{ lot_id: sale.id, estimated_value_cents: known.value_cents, ...known.band }]
    })
  await logEstimates(sql, rows, loggedAt)
  await publishFinishedDays(sql, asOf)
}

/**
 * Loads one more lot, with the facts of an open one, so that every search that finds that one finds it too.
 * @throws UserError when the data are not demo data, or there is no such lot.
 */
async function loadDemoLotLike(
  sql: Sql,
  id: string,
  { now, onProgress }: Pick<DemoSettings, 'now' | 'onProgress'>,
) {
  if ((await readDataKind(sql)) !== 'demo') throw new UserError('The database does not hold demo data.')
  const like = await readOpenLotAsRow(sql, id)
  if (like === null) throw new UserError(`There is no open lot ${id}.`)
  const row = { ...like, source_id: String(now.getTime()), source_url: DEMO_PAGE }
  return performLoad(sql, {
    feed: 'demo, one lot',
    file: null,
    rows: stagedRows([row], now),
    partial: true,
    now,
    onProgress,
  })
}

/** Whether the database is empty, or holds a demo whose load ended before its lots had scores. */
export async function needsDemo(sql: Sql) {
  const isNeeded = await firstValue<boolean>(sql`
    select
      not exists (select from lots)
      or (
        kind = 'demo'
        and not exists (select from sales_indexes where finished_at is not null)
      )
    from data_version`)
  return isNeeded!
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
