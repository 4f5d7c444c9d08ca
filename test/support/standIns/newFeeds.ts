import type { FeedEntry } from '../../../src/domain/feeds/feedEntry.ts'
import { storeSources } from '../../../src/infra/ingestion/sources.ts'
import type { Sql } from '../../../src/infra/postgres/database.ts'
import { parseFeedEntry, sourceOf } from '../../../src/infra/sources/feeds.ts'
import type { OfficialSource } from '../../../src/infra/sources/officialSource.ts'
import { OFFICIAL_SOURCES } from '../../../src/infra/sources/registry.ts'
import { json, type Served } from './standIn.ts'

type Row = Record<string, unknown>

/**
 * Adds an entry to the sources of this process and to its database, as `data/feeds.json` does at
 * the start.
 */
export async function addFeed(sql: Sql, entry: object): Promise<FeedEntry> {
  const feed = parseFeedEntry(entry)
  const source = sourceOf(feed)
  const sources = OFFICIAL_SOURCES as Record<string, OfficialSource>
  sources[feed.key] = source
  await storeSources(sql, [source.description!])
  return feed
}

/** A file as offices export it: every cell of text in quotes, empty ones without. */
export function csvFile(rows: Row[], headers: Record<string, string> = {}): Served {
  const columns = [...new Set(rows.flatMap(row => Object.keys(row)))]
  const cellOf = (value: unknown) => {
    if (value === null || value === undefined) return ''
    return typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : String(value)
  }
  const lines = [
    columns.join(),
    ...rows.map(row => columns.map(column => cellOf(row[column])).join()),
  ]
  return {
    headers: { 'content-type': 'text/csv; charset=utf-8', ...headers },
    body: lines.map(line => `${line}\r\n`).join(''),
  }
}

/**
 * A page of the DataStore of CKAN.
 * @param all how many rows the table has.
 * @param table its rows, whose columns every page lists.
 */
export function ckanPage(records: Row[], all = records.length, table = records): Served {
  const columns = [...new Set(table.flatMap(row => Object.keys(row)))]
  const fields = columns.map(id => ({ id, type: id === '_id' ? 'int' : 'text' }))
  const result = {
    include_total: true,
    limit: 1000,
    records_format: 'objects',
    records,
    fields,
    total: all,
  }
  return json({ help: 'https://data.example/api/3/action/help_show', success: true, result })
}
