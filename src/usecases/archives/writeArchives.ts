import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AGGREGATE_COLUMNS, archiveColumns, CC_BY_4 } from '../../contract/archiveColumns.ts'
import type { Contract } from '../../contract/document.ts'
import { ApiError } from '../../domain/errors.ts'
import {
  aggregateRows,
  dueFeeds,
  monthsWithRows,
  rowsOfMonth,
  rowsOfSearch,
} from '../../infra/archives/archiveRows.ts'
import { fileOf, publish, readManifest } from '../../infra/archives/manifest.ts'
import { writeParts } from '../../infra/archives/partFiles.ts'
import type { ArchiveStore } from '../../infra/archives/store.ts'
import { unlessLocked } from '../../infra/ingestion/locks.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { inputOf } from '../alerts/savedSearches.ts'
import { filterOf } from '../lotSearch.ts'

export interface ArchiveSettings {
  store: ArchiveStore
  contract: Contract
  publicUrl: string
  /** Null is the clock of the database. */
  now: Date | null
  /** Called with a sentence after each step. */
  onWritten(what: string): unknown
}

const TABLES = ['lots', 'sales', 'changes'] as const
const FORMATS = ['parquet', 'jsonl.gz', 'csv.gz']
/** How long the file of a day is kept; the contract says so. */
const FEED_DAYS = 30

/**
 * Writes the archives of one month, or of each finished month that is not published yet, then the open aggregates and the feeds of the
 * day. One process at a time writes.
 * @param month `2026-10`; null: all that are due.
 * @returns the months that were written; null while another process writes.
 */
export function writeArchives(
  sql: Sql,
  settings: ArchiveSettings,
  month: string | null,
): Promise<string[] | null> {
  const { store, now } = settings
  return unlessLocked(sql, 'archives', async () => {
    // What a process that was killed has left.
    await rm(store.workFolder, { recursive: true, force: true })
    await mkdir(store.workFolder, { recursive: true })
    const finished = await monthsWithRows(sql, now)
    const published = new Set((await readManifest(store, 'v1')).map(file => file.month))
    const due = month === null ? finished.filter(each => !published.has(each)) : [month]
    for (const each of due) await writeMonth(sql, settings, each)
    await writeAggregates(sql, settings, finished.at(-1) ?? '')
    await writeFeeds(sql, settings)
    await rm(store.workFolder, { recursive: true, force: true })
    return due
  })
}

async function writeMonth(sql: Sql, settings: ArchiveSettings, month: string): Promise<void> {
  const { store, contract, publicUrl, onWritten } = settings
  const added = []
  for (const table of TABLES) {
    const rows = rowsOfMonth({ sql, publicUrl, now: null }, table, month)
    const parts = await writeParts(
      rows,
      archiveColumns(contract, table),
      join(store.workFolder, table),
      FORMATS,
    )
    const base = `v1/{format}/${table}/month=${month}/part-0000`
    added.push(...parts.map(part => ({ part, file: fileOf(part, base, { table, month }) })))
  }
  await publish(store, 'v1', added, {
    license: `${publicUrl}/terms`,
    isKept: file => file.month !== month,
  })
  onWritten(`The archive of ${month} is written.`)
}

async function writeAggregates(sql: Sql, { store, now }: ArchiveSettings, month: string): Promise<void> {
  const base = join(store.workFolder, 'aggregates')
  const parts = await writeParts(aggregateRows(sql, now), AGGREGATE_COLUMNS, base, ['parquet', 'csv'])
  const facts = { table: 'aggregates', month } as const
  const added = parts.map(part => ({
    part,
    file: fileOf(part, 'aggregates/category-state-month', facts),
  }))
  await publish(store, 'aggregates', added, { license: CC_BY_4, isKept: () => false })
}

/**
 * Writes the lots that each saved search with a daily file finds now, once a day (UTC), into the folder of its account. A search that
 * cannot be answered is reported, and the others go on.
 */
async function writeFeeds(sql: Sql, settings: ArchiveSettings): Promise<void> {
  const { store, contract, publicUrl, now, onWritten } = settings
  for (const { id, account_id, query, day, oldest_day } of await dueFeeds(sql, now, FEED_DAYS)) {
    const folder = `feeds/${account_id}`
    const isWritten = (await readManifest(store, folder)).some(
      file => file.search_id === id && file.day === day,
    )
    if (isWritten) continue
    try {
      const rows = rowsOfSearch({ sql, publicUrl, now }, filterOf(inputOf(query)))
      const parts = await writeParts(
        rows,
        archiveColumns(contract, 'feed'),
        join(store.workFolder, `${id}`),
        FORMATS,
      )
      const facts = { table: 'feed', month: day.slice(0, 7), day, search_id: id } as const
      const added = parts.map(part => ({ part, file: fileOf(part, `${folder}/${id}/${day}`, facts) }))
      await publish(store, folder, added, {
        license: `${publicUrl}/terms`,
        isKept: file => (file.day ?? '') > oldest_day,
      })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      onWritten(`The daily file of saved search ${id} was not written: ${error.message}`)
    }
  }
}
