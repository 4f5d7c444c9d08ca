import { UnusableFile } from '../../domain/feeds/badRow.ts'
import type { Cells } from '../../domain/feeds/cells.ts'
import {
  FEED_COLUMNS,
  feedRow,
  lotKey,
  REQUIRED_FEED_COLUMNS,
  unknownColumn,
} from '../../domain/feeds/feedRow.ts'
import type { LotRow } from '../../domain/feeds/lotRow.ts'
import { isTimeZone } from '../../domain/feeds/moments.ts'
import { OPEN_DATA_COLUMNS, openDataKey, openDataRow } from '../../domain/feeds/openDataRow.ts'
import type { Encoding } from '../../infra/ingestion/feeds/feedFile.ts'

/** What a file in one of the formats must look like, and how its rows are read. */
export interface FeedFormat {
  encodings: Encoding[]
  /** @throws UnusableFile when the header of a CSV cannot be used. */
  checkColumns(columns: string[]): void
  /** @throws BadRow */
  readRow(cells: Cells): LotRow
  /** @throws BadRow when the row does not name its lot. */
  readKey(cells: Cells): Pick<LotRow, 'source' | 'source_id'>
}

/** The project's own format. `zones` are the time zones of the tracked sources. */
export function feedFormat(zones: Map<string, string | null>): FeedFormat {
  const zoneOf = zoneReader(zones)
  return {
    encodings: ['ndjson', 'csv'],
    checkColumns: columns => {
      const unknown = columns.find(column => !(FEED_COLUMNS as readonly string[]).includes(column))
      if (unknown !== undefined)
        throw new UnusableFile(`The header cannot be used: ${unknownColumn(unknown)}`)
      refuseMissing(columns, REQUIRED_FEED_COLUMNS)
      refuseRepeated(columns)
    },
    readRow: cells => feedRow(cells, zoneOf),
    readKey: lotKey,
  }
}

/** The GovAuctions open dataset: closed federal lots. A column that the dataset gains later is ignored. */
export function openDataFormat(zones: Map<string, string | null>): FeedFormat {
  const zoneOf = zoneReader(zones)
  const sourceKeys = [...zones.keys()]
  return {
    encodings: ['csv'],
    checkColumns: columns => {
      refuseMissing(columns, OPEN_DATA_COLUMNS)
      refuseRepeated(columns)
    },
    readRow: cells => openDataRow(cells, sourceKeys, zoneOf),
    readKey: cells => openDataKey(cells, sourceKeys),
  }
}

/** Bare dates are days of the source's own zone where it names a real one ("vendor" is none), else of UTC. */
function zoneReader(zones: Map<string, string | null>): (source: string) => string {
  const real = new Map([...zones].filter(([, zone]) => zone !== null && isTimeZone(zone)))
  return source => real.get(source) ?? 'UTC'
}

function refuseMissing(columns: string[], required: readonly string[]): void {
  const missing = required.filter(column => !columns.includes(column))
  if (missing.length > 0) throw new UnusableFile(`The header cannot be used: it lacks ${missing.join(', ')}.`)
}

function refuseRepeated(columns: string[]): void {
  const repeated = columns.find((column, position) => columns.indexOf(column) !== position)
  if (repeated !== undefined) throw new UnusableFile(`The header cannot be used: it names ${repeated} twice.`)
}
