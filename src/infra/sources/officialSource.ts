import type { Cells } from '../../domain/feeds/badRow.ts'
import type { FetchJson } from '../fetching/politeFetch.ts'
import type { RowReader } from '../ingestion/feeds/records.ts'
import type { SourceDescription } from '../ingestion/sources.ts'

/** The address of a source, from the settings. */
export interface SourceAddress {
  address: string
  /** Null for sources that need none. */
  key: string | null
  redirectHosts: readonly string[]
}

/** An address with these parameters, besides its own. */
export function addressWith(
  address: string,
  parameters: Record<string, string>,
): URL {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters))
    url.searchParams.set(name, value)
  return url
}

/** What a portal says of a table, as it writes it. */
export interface TableFacts {
  /** The names of all columns; null where the portal does not list them. */
  columns: string[] | null
  /** When its publisher changed its rows last. */
  changed: unknown
  license: unknown
}

/** A source that may be read by a program. */
export interface OfficialSource extends RowReader {
  source: string
  /** For sources beyond those of `data/sources.json`: how they are listed. */
  description?: SourceDescription
  /** Nobody has read it yet: it is off until `npx surplus try-source` has. */
  needsTrial?: boolean
  /** The setting without which it is off. */
  needsKey?: string
  /**
   * All records of one sweep, page by page; for one that cannot be read, a
   * BadRow that says why.
   * @param fetchJson pauses between two pages.
   * @param now the moment of the sweep.
   * @throws FetchFailure when what comes is not the whole answer.
   */
  records(
    from: SourceAddress,
    fetchJson: FetchJson,
    now: Date,
  ): AsyncIterable<unknown[]>
  /** What the source says of its data. */
  facts?(from: SourceAddress, fetchJson: FetchJson): Promise<TableFacts>
  /**
   * The fields of a record that may be kept, without personal data. Does not
   * throw.
   */
  fieldsOf(record: unknown): Cells
  /**
   * Whether the record is a lot that matters at `now`; other records are
   * skipped, not set aside.
   */
  isLot(fields: Cells, now: Date): boolean
}
