import { writtenValue } from '../../contract/text.ts'
import { BadRow, type Cells } from '../../domain/feeds/badRow.ts'
import { fieldsOf } from '../../domain/feeds/cells.ts'
import { columnsOf } from '../../domain/feeds/feedEntry.ts'
import type { FetchedFile, FetchJson } from '../fetching/politeFetch.ts'
import {
  checkHeader,
  recordsOf,
  refuseCutOff,
} from '../ingestion/feeds/records.ts'
import type { SourceAddress } from './officialSource.ts'
import type { Portal } from './portal.ts'

/**
 * A file of comma-separated values at an address, read as `npx surplus ingest
 * feed` reads one: what that refuses, this refuses too.
 */
export const csv: Portal = {
  async *records(feed, from, fetchJson) {
    const wanted = columnsOf(feed)
    const isWanted = (column: string) => wanted.includes(column)
    const check = (columns: string[]) =>
      checkHeader(columns.filter(isWanted), wanted, wanted)
    const { body } = await fetchCsv(from, fetchJson)
    for await (const records of recordsOf(body, 'csv', check)) {
      refuseCutOff(records)
      yield records.map(record =>
        'fault' in record ? new BadRow(record.fault) : record.cells,
      )
    }
  },
  cellsOf: (feed, record) => fieldsOf(record, columnsOf(feed)),
  recordOf: cells => cells,
  answerOf(records) {
    const rows = records as Cells[]
    const quoted = (cell: unknown) =>
      `"${writtenValue(cell).replaceAll('"', '""')}"`
    const lines = [Object.keys(rows[0] ?? {}), ...rows.map(Object.values)]
    return lines.map(cells => cells.map(quoted).join()).join('\n')
  },
  async facts(from, fetchJson) {
    const { modified } = await fetchCsv(from, fetchJson)
    return { columns: null, changed: modified, license: null }
  },
}

function fetchCsv(
  { address, redirectHosts }: SourceAddress,
  fetchJson: FetchJson,
) {
  const request = {
    url: new URL(address),
    redirectHosts,
    isWhole: true,
    isFile: true,
  }
  return fetchJson(request) as Promise<FetchedFile>
}
