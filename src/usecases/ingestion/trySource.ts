import { setTimeout as wait } from 'node:timers/promises'
import { columnsOf, type FeedEntry } from '../../domain/feeds/feedEntry.ts'
import { grouped } from '../../domain/grouped.ts'
import { FetchFailure } from '../../infra/fetching/jsonBody.ts'
import { type FetchManners, politeFetch } from '../../infra/fetching/politeFetch.ts'
import { PORTALS, sourceOf } from '../../infra/sources/feeds.ts'
import type { SourceAddress } from '../../infra/sources/officialSource.ts'
import { stageOffered } from './stageLot.ts'

const MOST_SHOWN = 10
/** A feed of which more rows are set aside has a wrong column. */
const MOST_SET_ASIDE = 0.1

/** What the first page of a feed gives. */
export type Trial = Awaited<ReturnType<typeof trySource>>

/**
 * Fetches the columns and the first page of a feed, and reads the page as a sweep would. Stores nothing.
 * @returns the first ten lots; how many rows were set aside for each reason; the columns that the table has and the feed does not
 * request; those that the feed requests and the table does not have; and why the feed is not usable, or null.
 */
export async function trySource(
  feed: FeedEntry,
  { from, manners, now }: { from: SourceAddress; manners: FetchManners; now: Date },
) {
  const { columns, page, failure } = await fetchPage(feed, from, manners)
  const rows = stageOffered(sourceOf(feed), page, 0, now)
  const lots = rows.flatMap(row => ('reason' in row ? [] : row))
  const reasons = grouped(
    rows.flatMap(row => ('reason' in row ? row.reason : [])),
    reason => reason.replaceAll(/"[^"]*"/g, '"…"'),
  )
  const has = (names: string[], name: string) => names.some(one => one.toLowerCase() === name.toLowerCase())
  const set_aside = rows.length - lots.length
  return {
    feed: feed.key,
    rows_read: page.length,
    rows_not_offered: page.length - rows.length,
    rows_taken: lots.length,
    rows_set_aside: set_aside,
    set_aside: [...reasons].map(([reason, all]) => ({ rows: all.length, reason })),
    lots: lots.slice(0, MOST_SHOWN),
    not_requested: columns.filter(name => !has(columnsOf(feed), name)),
    missing:
      columns.length === 0
        ? []
        : columnsOf(feed).filter(name => !name.startsWith(':') && !has(columns, name)),
    why_unusable:
      failure ??
      (lots.length === 0 ? 'No row is a lot.' : null) ??
      (set_aside > MOST_SET_ASIDE * rows.length ? 'More than a tenth of the rows was set aside.' : null),
  }
}

async function fetchPage(feed: FeedEntry, from: SourceAddress, manners: FetchManners) {
  const fetchJson = politeFetch(manners)
  const portal = PORTALS[feed.portal]
  let columns: string[] = []
  try {
    columns = await portal.columns(from, fetchJson)
    await wait(manners.pauseMs)
    for await (const page of portal.records(feed, from, fetchJson)) return { columns, page, failure: null }
    return { columns, page: [], failure: null }
  } catch (error) {
    if (error instanceof FetchFailure) return { columns, page: [], failure: error.message }
    throw error
  }
}
