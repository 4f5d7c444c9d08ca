import { BadRow } from '../../domain/feeds/badRow.ts'
import { type Cells, withNumbers } from '../../domain/feeds/cells.ts'
import { NUMERIC_FEED_COLUMNS } from '../../domain/feeds/feedRow.ts'
import { shortened, withoutContacts } from '../../domain/feeds/plainText.ts'
import type { Encoding } from '../../infra/ingestion/feeds/feedFile.ts'
import type { FeedRecord } from '../../infra/ingestion/feeds/feedRecord.ts'
import type { StagedRow } from '../../infra/ingestion/stagedRows.ts'
import type { FeedFormat } from './feedFormats.ts'
import { stageLot } from './stageLot.ts'

/** What of a format reads one row. */
type RowReader = Pick<FeedFormat, 'readRow' | 'readKey'>

const LONGEST_RAW = 4000

/** One record of a file as a lot, or, with the reason and the raw text, as a row to be set aside. */
export function stageRecord(record: FeedRecord, format: RowReader, encoding: Encoding, now: Date): StagedRow {
  const { line, raw } = record
  if ('fault' in record) return { line, reason: record.fault, raw: keptRaw(raw) }
  const cells = encoding === 'csv' ? withNumbers(record.cells, NUMERIC_FEED_COLUMNS) : record.cells
  try {
    return { line, ...stageLot(format.readRow(cells), now) }
  } catch (error) {
    if (!(error instanceof BadRow)) throw error
    return { line, reason: withoutContacts(error.message), raw: keptRaw(raw), ...readableKey(cells, format) }
  }
}

/** Names the lot of a bad row where it can be read: such a lot is still on offer, and must not count as withdrawn. */
function readableKey(cells: Cells, format: RowReader): { source?: string; source_id?: string } {
  try {
    return format.readKey(cells)
  } catch {
    return {}
  }
}

/** Enough to find and mend the row; without contact details, which are never stored, and without NUL, which cannot be. */
function keptRaw(raw: string): string {
  const clean = shortened(raw, 2 * LONGEST_RAW).replaceAll('\0', '\ufffd')
  return shortened(withoutContacts(clean), LONGEST_RAW)
}
