import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll } from 'vitest'
import sources from '../../../data/sources.json' with { type: 'json' }
import type { Sql } from '../../../src/infra/postgres/database.ts'
import { type Feed, ingestFile } from '../../../src/usecases/ingestion/ingestFile.ts'
import type { LoadResult, LoadSettings } from '../../../src/usecases/ingestion/performLoad.ts'
import { freshDatabase } from '../database/database.ts'
import { shared } from '../run/shared.ts'
import { NOW } from './ingestionClock.ts'

export function hoursFromNow(hours: number): string {
  return new Date(NOW.getTime() + hours * 3_600_000).toISOString()
}

export type FeedCells = Record<string, unknown>

/** An address on the host of the source. */
export function pageAt(source: unknown, path: string): string {
  const known = sources.find(({ key }) => key === source)
  return new URL(path, known?.lot_url ?? known?.homepage ?? 'https://lots.example').href
}

/** A live lot of GSA that ends in two days. */
export function liveRow(id: string, changes: FeedCells = {}): FeedCells {
  return {
    source: 'gsa',
    source_id: id,
    title: `Steel desk ${id}`,
    category: 'office-furniture',
    current_bid_cents: 12_500,
    num_bids: 3,
    end_date: hoursFromNow(48),
    source_url: pageAt(changes.source ?? 'gsa', `/auctions/preview/${encodeURIComponent(id)}`),
    ...changes,
  }
}

export function liveRows(count: number, changes: FeedCells = {}): FeedCells[] {
  return Array.from({ length: count }, (_, n) => liveRow(`lot-${n + 1}`, changes))
}

export function ndjson(rows: FeedCells[]): string {
  return rows.map(row => `${JSON.stringify(row)}\n`).join('')
}

/** A CSV of the columns that any row has. */
export function csv(rows: FeedCells[]): string {
  const columns = [...new Set(rows.flatMap(row => Object.keys(row)))]
  const cell = (value: unknown) => `"${String(value ?? '').replaceAll('"', '""')}"`
  return [columns.join(','), ...rows.map(row => columns.map(column => cell(row[column])).join(','))]
    .map(line => `${line}\r\n`)
    .join('')
}

export interface Ingestion {
  url: string
  sql: Sql
  /** Writes a file and returns its path. */
  file(content: string | Buffer, name?: string): string
  /** Loads rows as NDJSON, or a text as it is; scores are left for later, unless a test asks. */
  load(content: FeedCells[] | string | Buffer, options?: Options): Promise<LoadResult>
  /** Everything that a load can change, in a fixed order, without what names the load. */
  everything(): Promise<unknown>
  end(): Promise<void>
}

interface Options extends Partial<LoadSettings> {
  feed?: Feed
  name?: string
}

/** A database and a folder to load into and from. */
export async function startIngestion(): Promise<Ingestion> {
  const database = await freshDatabase()
  const { sql } = database
  const folder = mkdtempSync(join(tmpdir(), 'surplus-ingest-'))
  const file = (content: string | Buffer, name = 'feed.ndjson') => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
  return {
    url: database.url,
    sql,
    file,
    load: (content, { feed = 'feed', name, now = NOW, scoreLater = true, ...settings } = {}) =>
      ingestFile(sql, {
        feed,
        now,
        scoreLater,
        file: file(Array.isArray(content) ? ndjson(content) : content, name),
        ...settings,
      }),
    everything: () => everything(sql),
    end: async () => {
      await database.drop()
      rmSync(folder, { recursive: true })
    },
  }
}

/**
 * One database for the file or the `describe` that calls this: as it was at first before each test,
 * or kept for all tests.
 * @param prepare what comes before the first test; absent: nothing, so the database is as it was
 * migrated.
 */
export function ingestionFor(
  scope: 'each test' | 'all tests',
  prepare: (ingestion: Ingestion) => Promise<void> = async () => {},
): Ingestion {
  const ingestion = shared(startIngestion)
  beforeAll(() => prepare(ingestion))
  if (scope === 'each test') {
    beforeAll(() => ingestion.sql.unsafe(REMEMBER))
    afterEach(() => ingestion.sql.unsafe(RESTORE))
  }
  return ingestion
}

const EACH_TABLE = `
  for name in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop`

/** Keeps a copy of each table that has rows. */
const REMEMBER = `
  create schema remembered;
  do $$ declare name text; has_rows boolean; begin ${EACH_TABLE}
    execute format('select exists (select from %I)', name) into has_rows;
    if has_rows then execute format('create table remembered.%1$I as table %1$I', name); end if;
  end loop; end $$`

/**
 * Costs a tenth of another database. Without triggers: nothing is logged, and the order of tables
 * does not matter.
 */
const RESTORE = `
  begin;
  set local session_replication_role = replica;
  do $$ declare name text; columns text; differs boolean; begin ${EACH_TABLE}
    if to_regclass(format('remembered.%I', name)) is null then
      execute format('delete from %I', name);
    else
      execute format(
        'with one as (select each::text from %1$I as each), other as (select each::text from remembered.%1$I as each)
        select exists ((table one except table other) union all (table other except table one))', name)
        into differs;
      select string_agg(quote_ident(attname), ', ') into columns
      from pg_attribute
      where attrelid = name::regclass and attnum > 0 and not attisdropped and attgenerated = '';
      if differs then
        execute format('delete from %1$I; insert into %1$I (%2$s) overriding system value select %2$s from remembered.%1$I', name, columns);
      end if;
    end if;
  end loop; end $$;
  commit`

async function everything(sql: Sql): Promise<unknown> {
  return {
    lots: await sql`select to_jsonb(lots) - 'search' as lot from lots order by id`,
    appraisals: await sql`select to_jsonb(appraisals) as appraisal from appraisals order by lot_id`,
    sources: await sql`select source, name, access, last_success_at from sources order by source`,
    set_aside: await sql`
      select line, reason, raw
      from set_aside_rows
      where load_id = (select max(id) from loads)
      order by line`,
  }
}
