import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  AGGREGATE_COLUMNS,
  archiveColumns,
  CC_BY_4,
  type Column,
} from '../contract/archiveColumns.ts'
import type { Contract } from '../contract/document.ts'
import { ApiError } from '../contract/errors.ts'
import {
  aggregateRows,
  dueFeeds,
  monthsWithRows,
  rowsOfMonth,
  rowsOfSearch,
} from '../infra/archives/archiveRows.ts'
import {
  type ArchivedFile,
  fileOf,
  publish,
  readManifest,
  removeUnnamedFiles,
} from '../infra/archives/manifest.ts'
import { type Row, writeParts } from '../infra/archives/partFiles.ts'
import type { ArchiveStore } from '../infra/archives/store.ts'
import { dropMonthsOfChanges } from '../infra/ingestion/changes.ts'
import { unlessLocked } from '../infra/ingestion/locks.ts'
import { clock } from '../infra/postgres/clock.ts'
import type { Sql } from '../infra/postgres/database.ts'
import type { Clock } from '../infra/postgres/sql.ts'
import type { ListingContext } from '../infra/search/columns.ts'
import { filterOf, withDefaults } from './searchLots.ts'

export interface ArchiveSettings {
  store: ArchiveStore
  contract: Contract
  publicUrl: string
  /** Null is the clock of the database. */
  now: Clock
  /**
   * Where the rows of months are read; absent: on the connection that holds the
   * lock.
   */
  rows?: Sql
  /** Called with a sentence about what was not as usual. */
  onWritten(what: string): unknown
}

type Archiving = ListingContext & Omit<ArchiveSettings, 'now' | 'rows'>

const TABLES = ['lots', 'sales', 'changes'] as const
const FORMATS = ['parquet', 'jsonl.gz', 'csv.gz']
/** How long the file of a day is kept; the contract says so. */
const FEED_DAYS = 30

/**
 * Writes the archives of one month, or of each finished month that is not
 * published yet, then the open aggregates and the feeds of the day. One process
 * at a time writes.
 * @param month `2026-10`; null: all that are due.
 * @returns the months that were written; null while another process writes.
 */
export function writeArchives(
  sql: Sql,
  settings: ArchiveSettings,
  month: string | null,
): Promise<string[] | null> {
  const { store, onWritten } = settings
  const { rows = sql, now, ...others } = settings
  const archiving = { ...others, sql: rows, now: clock(now) }
  return unlessLocked(sql, 'archives', async () => {
    // A process that was killed left its files.
    await rm(store.workFolder, { recursive: true, force: true })
    await mkdir(store.workFolder, { recursive: true })
    await removeUnnamedFiles(store)
    const finished = await monthsWithRows(archiving)
    const published = new Set(
      (await readManifest(store, 'v1')).map(file => file.month),
    )
    const due =
      month === null ? finished.filter(each => !published.has(each)) : [month]
    for (const each of due) await writeMonth(archiving, each)
    await writeAggregates(archiving, finished.at(-1) ?? '')
    await writeFeeds({ ...archiving, sql })
    await removeUnnamedFiles(store)
    const unpublished = finished.filter(
      each => !published.has(each) && !due.includes(each),
    )
    const { months, changes } = await dropMonthsOfChanges(sql, unpublished, now)
    if (months > 0)
      onWritten(
        `Old changes were dropped from the log: ${changes} of ${months} months.`,
      )
    await rm(store.workFolder, { recursive: true, force: true })
    return due
  })
}

async function writeMonth(archiving: Archiving, month: string) {
  const { store, contract, publicUrl, onWritten } = archiving
  const published = await readManifest(store, 'v1')
  const written = []
  for (const table of TABLES) {
    const rows = rowsOfMonth(archiving, table, month)
    const path = `v1/{format}/${table}/month=${month}/part-0000`
    const files = await writeFiles(
      store,
      rows,
      archiveColumns(contract, table),
      path,
      {
        table,
        month,
      },
    )
    const before = published.find(
      file => file.month === month && file.table === table,
    )
    // The log loses its old months, and more when a backup is restored; what is
    // published of them is all there is.
    if (table === 'changes' && files[0]!.part.rows < (before?.rows ?? 0))
      onWritten(
        `The log no longer has all changes of ${month}: their published files stay.`,
      )
    else written.push(...files)
  }
  const license = `${publicUrl}/terms`
  const replaced = new Set(written.map(({ file }) => file.table))
  const isKept = (file: ArchivedFile) =>
    file.month !== month || !replaced.has(file.table)
  await publish(store, 'v1', written, { license, isKept })
}

async function writeAggregates(archiving: Archiving, month: string) {
  const { store } = archiving
  const path = 'aggregates/category-state-month'
  const facts = { table: 'aggregates', month } as const
  const rows = aggregateRows(archiving)
  const written = await writeFiles(
    store,
    rows,
    AGGREGATE_COLUMNS,
    path,
    facts,
    ['parquet', 'csv'],
  )
  await publish(store, 'aggregates', written, {
    license: CC_BY_4,
    isKept: () => false,
  })
}

/**
 * Writes the lots that each saved search with a daily file finds now, once a
 * day (UTC), into the folder of its account. A search that cannot be answered
 * is reported, and the others go on.
 */
async function writeFeeds(archiving: Archiving) {
  const { store, contract, publicUrl, onWritten } = archiving
  for (const { id, account_id, query, day, oldest_day } of await dueFeeds(
    archiving,
    FEED_DAYS,
  )) {
    const folder = `feeds/${account_id}`
    const published = await readManifest(store, folder)
    if (published.some(file => file.search_id === id && file.day === day))
      continue
    try {
      const rows = rowsOfSearch(archiving, filterOf(withDefaults(query)))
      const facts = {
        table: 'feed',
        month: day.slice(0, 7),
        day,
        search_id: id,
      } as const
      const columns = archiveColumns(contract, 'feed')
      const written = await writeFiles(
        store,
        rows,
        columns,
        `${folder}/${id}/${day}`,
        facts,
      )
      await publish(store, folder, written, {
        license: `${publicUrl}/terms`,
        isKept: file => (file.day ?? '') > oldest_day,
      })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      onWritten(
        `The daily file of saved search ${id} was not written: ${error.message}`,
      )
    }
  }
}

/** Writes rows to one file for each format, to be published under a path. */
async function writeFiles(
  store: ArchiveStore,
  rows: AsyncIterable<Row[]>,
  columns: Column[],
  path: string,
  facts: Parameters<typeof fileOf>[2],
  formats = FORMATS,
) {
  const parts = await writeParts(
    rows,
    columns,
    join(store.workFolder, facts.table),
    formats,
  )
  return parts.map(part => ({ part, file: fileOf(part, path, facts) }))
}
