import postgres from 'postgres'
import type { ListingFilter } from '../src/domain/search/listingFilter.ts'
import { findListings } from '../src/infra/listings/listings.ts'
import type { Sql } from '../src/infra/postgres/database.ts'
import { median } from './duels.ts'
import type { Server } from './servers.ts'

/** An export beside the fastest way to get the same rows out of PostgreSQL; medians, in milliseconds. */
export interface ExportTimes {
  rows: number
  rounds: number
  exportMs: number
  copyMs: number
}

const NO_FILTER: ListingFilter = {
  words: null,
  category: null,
  state: null,
  source: null,
  center: null,
  price_min: null,
  price_max: null,
  no_bids: false,
  buy_now: false,
}
const ROWS = 5_000
const ROUNDS = 9
/** In turns. What either writes goes nowhere, so that no client slows it down. */
export async function compareExports(service: Server, databaseUrl: string): Promise<ExportTimes> {
  const page = await pageStatement(databaseUrl, 'ending_soon', ROWS)
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  const exports: number[] = []
  const copies: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const exported = await timed(async () => {
      const answer = await fetch(`${service.address}/api/v1/export`, { headers: service.headers })
      if (answer.status !== 200) throw new Error(`The export was answered ${answer.status}.`)
      await answer.body!.pipeTo(new WritableStream())
    })
    const copied = await timed(() => sql.unsafe(`copy (${page}) to program 'cat > /dev/null' csv header`))
    if (round > 0) {
      exports.push(exported)
      copies.push(copied)
    }
  }
  await sql.end({ timeout: 5 })
  return { rows: ROWS, rounds: ROUNDS, exportMs: median(exports), copyMs: median(copies) }
}

/** The statement of a page as the service runs it, without its count, with the values written in. */
export async function pageStatement(
  databaseUrl: string,
  sort: 'ending_soon',
  limit: number,
  filter: Partial<ListingFilter> = {},
): Promise<string> {
  let written = ''
  const debug = (_connection: number, query: string, parameters: unknown[]) => {
    if (query.includes('json_agg(page)')) written = filledIn(query, parameters)
  }
  const sql = postgres(databaseUrl, { max: 1, debug })
  const context = { sql: sql as unknown as Sql, publicUrl: 'http://127.0.0.1:18080', now: null }
  await findListings(context, { ...NO_FILTER, ...filter }, { sort, limit, offset: 0 }, null)
  await sql.end({ timeout: 5 })
  return written.slice(written.indexOf('from (\n') + 'from ('.length, written.lastIndexOf(') as page'))
}

function filledIn(query: string, parameters: unknown[]): string {
  return query.replace(/\$(\d+)/g, (_placeholder, number) => {
    const value = parameters[Number(number) - 1]
    if (value === null || value === undefined) return 'null'
    return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
  })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
