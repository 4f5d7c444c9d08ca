import { DEMO_PAGE, demoLots } from '../demo/demoLots.ts'
import type { LotRow } from '../domain/feeds/lotRow.ts'
import { formatNumber } from '../domain/format.ts'
import { UserError } from '../domain/userError.ts'
import { readOpenLotAsRow, storeDemoAlerts } from '../infra/alerts/savedSearches.ts'
import { holdsLots, loadsOf } from '../infra/ingestion/loads.ts'
import type { StagedRow } from '../infra/ingestion/stage.ts'
import type { Sql } from '../infra/postgres/database.ts'
import { markAsDemo, readDataKind } from '../infra/postgres/dataVersion.ts'
import { readIndexState } from '../infra/valuation/storedIndex.ts'
import type { LoadResult } from '../usecases/ingestion/loadResult.ts'
import { performLoad } from '../usecases/ingestion/performLoad.ts'
import { stageLot } from '../usecases/ingestion/stageLot.ts'

interface DemoSettings {
  lots: number
  sales: number
  seed: number
  now: Date
  /** Also the demo account and its saved searches: only where its mails are kept on a page. */
  withAlerts?: boolean
  onProgress(message: string): void
}

const FEED = 'demo'
const FIRST_FEED = 'demo, first part'
const FEED_OF_ONE = 'demo, one lot'
/** Of 20,000 live lots and 100,000 sales it holds every category, source and state, and sales of every item. */
const FIRST_SHARE = 0.1
const HOUR_MS = 3_600_000

/** Loads generated lots and sales, the same for the same seed and hour, the way a feed is loaded. */
export async function loadDemo(sql: Sql, settings: DemoSettings): Promise<LoadResult> {
  return load(sql, FEED, settings, settings.now)
}

/**
 * Loads one more lot, with the facts of an open one, so that every search that finds that one finds it too.
 * @throws UserError when the data are not demo data, or there is no such lot.
 */
export async function loadDemoLotLike(
  sql: Sql,
  id: string,
  settings: Pick<DemoSettings, 'now' | 'onProgress'>,
): Promise<LoadResult> {
  if ((await readDataKind(sql)) !== 'demo') throw new UserError('The database does not hold demo data.')
  const like = await readOpenLotAsRow(sql, id)
  if (like === null) throw new UserError(`There is no open lot ${id}.`)
  const row = { ...like, source_id: String(settings.now.getTime()), source_url: DEMO_PAGE }
  return performLoad(sql, {
    feed: FEED_OF_ONE,
    file: null,
    rows: rowsOf([row], settings.now),
    partial: true,
    ...settings,
  })
}

/**
 * What a first start loads into an empty database: a small part, which can be served, then everything. Completes a load
 * that was interrupted, with the data of the hour in which it began.
 * @param settings `onFirstPart` is called when the first part can be served.
 * @returns null when nothing is missing, or when the database holds other lots.
 */
export async function loadDemoIfEmpty(
  sql: Sql,
  settings: Omit<DemoSettings, 'now'> & { clock(): Date; onFirstPart(): void },
): Promise<LoadResult | null> {
  const missing = await missingDemo(sql)
  if (missing === null) return null
  const now = settings.clock()
  const startedAt = missing.startedAt ?? now
  if (!missing.hasFirstPart) {
    const lots = Math.ceil(FIRST_SHARE * settings.lots)
    const sales = Math.ceil(FIRST_SHARE * settings.sales)
    await load(sql, FIRST_FEED, { ...settings, lots, sales, now }, startedAt)
  }
  settings.onFirstPart()
  return load(sql, FEED, { ...settings, now: settings.clock() }, startedAt)
}

/**
 * What a first start still has to load, and when one began to (null: never); null when nothing is missing, or when the database
 * holds other lots.
 */
export async function missingDemo(sql: Sql) {
  const loads = await loadsOf(sql, [FIRST_FEED, FEED])
  const first = loads.find(({ feed }) => feed === FIRST_FEED)
  if (!first) return (await holdsLots(sql)) ? null : { startedAt: null, hasFirstPart: false }
  const good = loads.filter(({ state }) => state === 'done')
  const whole = good.find(({ feed }) => feed === FEED)
  // A load that died between its lots and their scores has no index of its sales.
  const index = whole ? await readIndexState(sql) : null
  if (whole && index && index.as_of >= whole.started_at) return null
  return { startedAt: first.started_at, hasFirstPart: good.some(({ feed }) => feed === FIRST_FEED) }
}

async function load(
  sql: Sql,
  feed: string,
  { lots, sales, seed, now, withAlerts = false, onProgress }: DemoSettings,
  startedAt: Date,
): Promise<LoadResult> {
  const asOf = new Date(Math.floor(startedAt.getTime() / HOUR_MS) * HOUR_MS)
  // First, so that no caller sees a demo lot in an answer that claims to be live.
  await markAsDemo(sql)
  if (withAlerts) await storeDemoAlerts(sql)
  onProgress(`Making ${formatNumber(lots)} live lots and ${formatNumber(sales)} sales.`)
  const rows = rowsOf(demoLots({ lots, sales, seed, asOf }), now)
  return performLoad(sql, { feed, file: null, rows, partial: true, now, onProgress })
}

const CHUNK = 1000

async function* rowsOf(lots: Iterable<LotRow>, now: Date): AsyncGenerator<StagedRow[]> {
  let line = 0
  let chunk: StagedRow[] = []
  for (const lot of lots) {
    line += 1
    chunk.push(Object.assign(stageLot(lot, now), { line }))
    if (chunk.length === CHUNK) {
      yield chunk
      chunk = []
    }
  }
  yield chunk
}
