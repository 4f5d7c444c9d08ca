import { readFacts } from '../../domain/facts/readFacts.ts'
import { allFaults, BadRow, type Cells } from '../../domain/feeds/badRow.ts'
import { bidConditionsIn } from '../../domain/feeds/bidConditions.ts'
import { withNumbers } from '../../domain/feeds/cells.ts'
import {
  auctionId,
  closingOf,
  type LotRow,
  NUMERIC_FEED_COLUMNS,
  type StagedLot,
  slugOf,
} from '../../domain/feeds/lotRow.ts'
import { withoutPeople } from '../../domain/feeds/people.ts'
import {
  truncated,
  withoutContacts,
  withoutVins,
} from '../../domain/feeds/plainText.ts'
import {
  searchedText,
  splitDescription,
} from '../../domain/feeds/splitDescription.ts'
import {
  type Category,
  classifyCategory,
} from '../../domain/titles/categories.ts'
import { trackedItemOf } from '../../domain/titles/items.ts'
import { isOnePiece } from '../../domain/titles/quantity.ts'
import { readLotText } from '../../domain/titles/readLotText.ts'
import type { Encoding } from '../../infra/ingestion/feeds/feedFile.ts'
import type {
  FeedRecord,
  RowReader,
} from '../../infra/ingestion/feeds/records.ts'
import type { StagedRow } from '../../infra/ingestion/stage.ts'
import { findCity, findZip } from '../../infra/places/zipTables.ts'
import type { OfficialSource } from '../../infra/sources/officialSource.ts'

/**
 * Completes a checked row to a lot: with its place, category, tracked item,
 * quantity, vehicle and slug, and its state at `now`. The standard clauses of
 * its description come last. Changes the row itself, because copying it would
 * take longer than everything else here.
 */
export function stageLot(row: LotRow, now: Date): StagedLot {
  const category =
    (row.category as Category | null) ??
    classifyCategory(row.title, row.description)
  const closing = closingOf(row, now)
  const words = readLotText(
    row.title,
    row.description,
    category,
    now.getUTCFullYear() + 1,
  )
  const quantity = row.quantity ?? words.quantity
  const { describing, clauses } = splitDescription(row.description ?? '')
  const description = [describing, clauses].filter(Boolean).join('\n\n')
  return Object.assign(row, locationOf(row), closing, {
    description: description || null,
    bids_known: row.bids_known ?? true,
    bid_conditions:
      row.bid_conditions ??
      bidConditionsIn(`${row.title} ${row.auction_name} ${description}`),
    describing: closing.is_open ? searchedText(describing) : null,
    slug: slugOf(row.title, row.source, row.source_id),
    auction_id: row.auction_name && auctionId(row.source, row.auction_name),
    category,
    item: trackedItemOf(row.title, category),
    ...words,
    ...readFacts(row.title, row.description, category, row),
    quantity,
    is_piece: isOnePiece(row.title, quantity),
    starts_at: startOf(row, now),
    ends_at: row.end_date ?? 'infinity',
    seen_by: row.seen_by ?? null,
  })
}

/**
 * A preview whose start has passed has an unknown start: it is upcoming until
 * the source says otherwise.
 */
function startOf({ start_date, is_preview = false }: LotRow, now: Date) {
  const hasPassed =
    start_date === null || Date.parse(start_date) <= now.getTime()
  return is_preview && hasPassed ? 'infinity' : (start_date ?? '-infinity')
}

/**
 * The place of a lot by the source's own coordinates, else by the ZIP code,
 * which also fills in city and state, else by the city. Where the ZIP code lies
 * in another state than the row says, two of ZIP code, state and city outvote
 * the third.
 */
function locationOf(row: LotRow) {
  const zipLocation = row.zip === null ? null : findZip(row.zip.slice(0, 5))
  const stateMismatch =
    !row.point &&
    row.state !== null &&
    (zipLocation?.state ?? row.state) !== row.state
  const cityPoint =
    stateMismatch && row.city !== null ? findCity(row.city, row.state!) : null
  if (cityPoint)
    return {
      latitude: cityPoint.latitude,
      longitude: cityPoint.longitude,
      state: row.state,
      city: row.city,
    }
  const state = (stateMismatch ? null : row.state) ?? zipLocation?.state ?? null
  const city = row.city ?? zipLocation?.city ?? null
  const point =
    row.point ??
    zipLocation ??
    (state !== null && city !== null ? findCity(city, state) : null)
  return {
    latitude: point?.latitude ?? null,
    longitude: point?.longitude ?? null,
    state,
    city,
  }
}

const LONGEST_RAW = 4000

/**
 * One record as a lot, or as a row that is set aside, with the reason and the
 * raw text.
 */
export function stageRecord(
  record: FeedRecord,
  format: RowReader,
  encoding: Encoding,
  now: Date,
): StagedRow {
  const { line } = record
  if ('fault' in record)
    return { line, reason: record.fault, raw: keptRaw(record.raw) }
  const cells =
    encoding === 'csv'
      ? withNumbers(record.cells, NUMERIC_FEED_COLUMNS)
      : record.cells
  try {
    return Object.assign(stageLot(format.readRow(cells), now), { line })
  } catch (error) {
    if (!(error instanceof BadRow)) throw error
    const reason = withoutContacts(
      allFaults(cells, format.readRow, error),
    ).replace(/"[^"]*"/g, withoutPersonalData)
    return {
      line,
      reason,
      raw: keptRaw(record.raw),
      ...readableKey(cells, format),
    }
  }
}

/**
 * The rows of a page of a source that matter at `now`. The raw text of a row
 * that is set aside holds only the fields that may be kept.
 */
export function stageOffered(
  source: OfficialSource,
  records: readonly unknown[],
  linesBefore: number,
  now: Date,
): StagedRow[] {
  return records.flatMap((record, n) => {
    if (record instanceof BadRow)
      return { line: linesBefore + n + 1, reason: record.message, raw: '' }
    const cells = source.fieldsOf(record)
    if (!source.isLot(cells, now)) return []
    const line = linesBefore + n + 1
    const kept = {
      line,
      cells,
      /** Only of a row that is set aside. */
      get raw() {
        return JSON.stringify(cells, (_, value) =>
          typeof value === 'string' ? withoutPersonalData(value) : value,
        )
      },
    }
    return stageRecord(kept, source, 'ndjson', now)
  })
}

/**
 * The key of a bad row, where readable: its lot is still listed and must not be
 * withdrawn.
 */
function readableKey(cells: Cells, format: RowReader) {
  try {
    return format.readKey(cells)
  } catch {
    return {}
  }
}

/**
 * Enough to find and fix the row, without contact details, which are never
 * stored, and NUL, which cannot be stored.
 */
function keptRaw(raw: string) {
  return truncated(
    withoutPersonalData(
      truncated(raw, 2 * LONGEST_RAW).replaceAll('\0', '\ufffd'),
    ),
    LONGEST_RAW,
  )
}

/** A text without people, contact details and numbers of vehicles. */
export function withoutPersonalData(text: string) {
  return withoutContacts(withoutPeople(withoutVins(text), []))
}
