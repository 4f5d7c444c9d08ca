import type { Cells } from '../../domain/feeds/badRow.ts'
import type { FeedEntry } from '../../domain/feeds/feedEntry.ts'
import type { FetchJson } from '../fetching/politeFetch.ts'
import type { SourceAddress } from './officialSource.ts'

/** How the tables of one kind of open-data portal are read. */
export interface Portal {
  /**
   * All rows that a feed asks for, page by page, with no column but those of the feed.
   * @throws FetchFailure when what comes is not the whole answer.
   */
  records(feed: FeedEntry, from: SourceAddress, fetchJson: FetchJson): AsyncIterable<unknown[]>
  /** The columns of the feed in a row, without any other that the portal sends all the same. Does not throw. */
  cellsOf(feed: FeedEntry, record: unknown): Cells
  /** The names of all columns of the table; null where the portal does not list them. */
  columns(from: SourceAddress, fetchJson: FetchJson): Promise<string[] | null>
  /** A record with these cells: the reverse of `cellsOf`. */
  recordOf(cells: Cells): unknown
}
