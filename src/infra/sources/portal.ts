import { writtenValue } from '../../contract/text.ts'
import type { Cells } from '../../domain/feeds/badRow.ts'
import { isObject } from '../../domain/feeds/cells.ts'
import type { FeedEntry } from '../../domain/feeds/feedEntry.ts'
import type { FetchJson } from '../fetching/politeFetch.ts'
import type { SourceAddress, TableFacts } from './officialSource.ts'

/** How the tables of one kind of open-data portal are read. */
export interface Portal {
  /**
   * All rows that a feed asks for, page by page, with no column but those of
   * the feed.
   * @throws FetchFailure when what comes is not the whole answer.
   */
  records(
    feed: FeedEntry,
    from: SourceAddress,
    fetchJson: FetchJson,
  ): AsyncIterable<unknown[]>
  /**
   * The columns of the feed in a row, without any other that the portal sends
   * all the same. Does not throw.
   */
  cellsOf(feed: FeedEntry, record: unknown): Cells
  facts(from: SourceAddress, fetchJson: FetchJson): Promise<TableFacts>
  /** A record with these cells: the reverse of `cellsOf`. */
  recordOf(cells: Cells): unknown
  /** A whole answer with these records: text, or what is sent as JSON. */
  answerOf(records: unknown[]): unknown
}

/** The names of columns in a list of them; null where there is none. */
export function namesIn(columns: unknown, key: string): string[] | null {
  return Array.isArray(columns)
    ? columns.filter(isObject).map(column => writtenValue(column[key]))
    : null
}
