import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { oneLine, writtenValue } from '../../contract/text.ts'
import { type Cells, UnusableFile } from '../../domain/feeds/badRow.ts'
import {
  columnsOf,
  type FeedEntry,
  statusesOf,
} from '../../domain/feeds/feedEntry.ts'
import type { StagedLot } from '../../domain/feeds/lotRow.ts'
import { holdsPeople } from '../../domain/feeds/personalCells.ts'
import { publisherChange } from '../../domain/feeds/publisherChange.ts'
import { grouped } from '../../domain/grouped.ts'
import { FetchFailure } from '../../infra/fetching/jsonBody.ts'
import {
  type FetchManners,
  politeFetch,
} from '../../infra/fetching/politeFetch.ts'
import { PORTALS, sourceOf } from '../../infra/sources/feeds.ts'
import type {
  OfficialSource,
  SourceAddress,
  TableFacts,
} from '../../infra/sources/officialSource.ts'
import { stageOffered, withoutPersonalData } from './stageLot.ts'

const MOST_SHOWN = 10
const LONGEST_LICENSE = 200
const LONGEST_EXAMPLE = 40
/**
 * A feed of which more rows are set aside has a wrong column; one with more
 * repeated ids, a wrong id.
 */
const MOST_DOUBTFUL = 0.1

/** What the first page of a feed gives. */
export interface Trial {
  feed: string
  rows_read: number
  rows_not_offered: number
  rows_taken: number
  rows_set_aside: number
  rows_repeated: number
  cells_not_read: { cells: number; what: string }[]
  /** How many rows for each reason, with the value of the first. */
  set_aside: { rows: number; reason: string }[]
  /** The first ten. */
  lots: StagedLot[]
  /** What the page had of the columns and values that the entry names. */
  columns: ReturnType<typeof columnShown>[]
  /**
   * The columns that the table has and the feed does not request; null where
   * the portal does not list its columns.
   */
  not_requested: string[] | null
  /**
   * When the publisher changed the table last (RFC 3339), and its license, as
   * the portal says them; null where it does not.
   */
  publisher_changed_at: string | null
  license: string | null
  why_unusable: string | null
}

/** A trial, and a recording of the page. */
interface TriedSource {
  trial: Trial
  recording: unknown[]
}

/**
 * Fetches the columns and the first page of a feed, and reads the page as a
 * sweep would. Stores nothing.
 */
export async function trySource(
  feed: FeedEntry,
  {
    from,
    manners,
    now,
  }: { from: SourceAddress; manners: FetchManners; now: Date },
): Promise<TriedSource> {
  const { facts, page, failure } = await fetchPage(feed, from, manners)
  const columns = facts?.columns ?? null
  const requested = columnsOf(feed)
  const raw = page.map(record => PORTALS[feed.portal].cellsOf(feed, record))
  const people = requested.filter(column =>
    holdsPeople(raw.map(row => row[column])),
  )
  const source = withoutColumns(sourceOf(feed), people)
  const rows = stageOffered(source, page, 0, now)
  const offered = rows.flatMap(row => ('reason' in row ? [] : row))
  const { lots, shared } = mergedLots(offered)
  const reasonsOfShared = shared.map(
    ({ source_id }) => `Different lots have the id "${source_id}".`,
  )
  const set_aside = rows
    .flatMap(row => ('reason' in row ? row.reason : []))
    .concat(reasonsOfShared)
  const unread = grouped(
    offered.flatMap(lot => lot.unread ?? []),
    String,
  )
  const reasons = grouped(set_aside, reason =>
    reason.replaceAll(/"[^"]*"/g, ''),
  )
  const without = (names: string[], others: string[]) =>
    names.filter(
      name => !others.some(other => other.toLowerCase() === name.toLowerCase()),
    )
  const missing = without(requested, columns ?? requested).filter(
    name => !name.startsWith(':'),
  )
  const cells = page.map(source.fieldsOf)
  const ids = new Set(offered.map(({ source_id }) => source_id)).size
  const doubts: [isTrue: boolean, why: string][] = [
    [
      missing.length > 0,
      `The table has no column ${missing.join(', ')}. Correct the entry.`,
    ],
    [failure !== null, failure ?? ''],
    [page.length === 0, 'The table gave no rows. Check the address and where.'],
    [
      rows.length === 0,
      'No row is on offer. Check where, status, price and end.',
    ],
    [
      people.length > 0,
      `Most values of ${people.join(', ')} look like people. Take it out of the entry.`,
    ],
    [
      shared.length > MOST_DOUBTFUL * rows.length,
      `${offered.length} rows have ${ids} ids. Correct lot.id.`,
    ],
    [
      set_aside.length > MOST_DOUBTFUL * rows.length,
      'More than a tenth of the rows was set aside.',
    ],
  ]
  const trial: Trial = {
    feed: feed.key,
    rows_read: page.length,
    rows_not_offered: page.length - rows.length,
    rows_taken: lots.length,
    rows_set_aside: set_aside.length,
    rows_repeated: offered.length - lots.length - shared.length,
    cells_not_read: [...unread].map(([what, all]) => ({
      cells: all.length,
      what,
    })),
    set_aside: [...reasons.values()].map(all => ({
      rows: all.length,
      reason: all[0]!,
    })),
    lots: lots.slice(0, MOST_SHOWN),
    columns: requested.map(column => columnShown(feed, column, cells)),
    not_requested: columns && without(columns, requested),
    publisher_changed_at: publisherChange(facts?.changed ?? null, now),
    license:
      withoutPersonalData(oneLine(writtenValue(facts?.license ?? null))).slice(
        0,
        LONGEST_LICENSE,
      ) || null,
    why_unusable: doubts.find(([isTrue]) => isTrue)?.[1] ?? null,
  }
  return { trial, recording: recordingOf(feed, page, source) }
}

/** The source without these columns, whose cells nobody is shown. */
function withoutColumns(
  source: OfficialSource,
  columns: string[],
): OfficialSource {
  const empty = Object.fromEntries(columns.map(column => [column, null]))
  return {
    ...source,
    fieldsOf: record => ({ ...source.fieldsOf(record), ...empty }),
  }
}

/**
 * Rows as a load merges them (`fillStage`): of each id the one that ends last,
 * and those that are different lots under one id.
 */
function mergedLots<Lot extends StagedLot>(rows: Lot[]) {
  const lots: Lot[] = []
  const shared: Lot[] = []
  for (const same of grouped(rows, ({ source_id }) => source_id).values()) {
    const last = same.reduce((best, row) =>
      row.ends_at < best.ends_at ? best : row,
    )
    const isShared = same.some(
      ({ source_url, slug }) =>
        source_url !== last.source_url || slug !== last.slug,
    )
    if (isShared) shared.push(...same)
    else lots.push(last)
  }
  return { lots, shared }
}

/**
 * How many rows have a value in a column; where the entry names some of its
 * values, also how many have which.
 */
function columnShown(
  { status, words }: FeedEntry,
  column: string,
  cells: Cells[],
) {
  const stated = statusesOf(status).filter(one => one.column === column)
  const ofStatus = stated.flatMap(({ live = [], gone = [] }) => [
    ...live,
    ...gone,
  ])
  const named = [...ofStatus, ...Object.keys(words?.[column] ?? {})]
  const filled = cells.flatMap(row =>
    row[column] === '' ? [] : (row[column] ?? []),
  )
  const found = [...grouped(filled, String)].map(
    ([value, rows]) => `${value} ${rows.length}`,
  )
  const isFound = (name: string) =>
    found.some(text =>
      ` ${text}`.toLowerCase().includes(` ${name}`.toLowerCase()),
    )
  return {
    column,
    rows: filled.length,
    values: named.length > 0 ? found.slice(0, MOST_SHOWN).join(', ') : null,
    example:
      filled.length > 0 ? String(filled[0]).slice(0, LONGEST_EXAMPLE) : null,
    in_no_row: named.filter(name => !isFound(name)).join(', ') || null,
  }
}

/**
 * The rows of a page with the cells that a load reads. One in which only
 * several cells together name a person is left out.
 */
function recordingOf(
  feed: FeedEntry,
  page: unknown[],
  { fieldsOf }: OfficialSource,
) {
  return page.flatMap(record => {
    const cells = fieldsOf(record)
    const recorded = PORTALS[feed.portal].recordOf(cells)
    const texts = Object.values(cells).filter(value =>
      /\p{L}/u.test(String(value)),
    )
    const isClean = withoutPersonalData(texts.join('\n')) === texts.join('\n')
    return isClean && isDeepStrictEqual(fieldsOf(recorded), cells)
      ? recorded
      : []
  })
}

async function fetchPage(
  feed: FeedEntry,
  from: SourceAddress,
  manners: FetchManners,
) {
  const fetchJson = politeFetch(manners)
  const portal = PORTALS[feed.portal]
  let facts: TableFacts | null = null
  let page: unknown[] = []
  let failure: string | null = null
  try {
    facts = await portal.facts(from, fetchJson).catch(unlessBusy)
    await wait(manners.pauseMs)
    for await (page of portal.records(feed, from, fetchJson)) break
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error
    failure = error.message
  }
  return { facts, page, failure }
}

/**
 * Some portals say nothing of their tables. One that asks for a wait is not
 * asked again.
 */
function unlessBusy(error: unknown) {
  const isBusy =
    error instanceof FetchFailure && error.retryAfterSeconds !== null
  if (error instanceof UnusableFile && !isBusy) return null
  throw error
}
