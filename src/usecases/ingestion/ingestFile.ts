import { UnusableFile } from '../../domain/feeds/badRow.ts'
import {
  feedRow,
  lotKey,
  REQUIRED_FEED_COLUMNS,
} from '../../domain/feeds/feedRow.ts'
import { FEED_COLUMNS } from '../../domain/feeds/lotRow.ts'
import { isTimeZone } from '../../domain/feeds/moments.ts'
import {
  OPEN_DATA_COLUMNS,
  openDataKey,
  openDataRow,
} from '../../domain/feeds/openDataRow.ts'
import {
  type FetchedFile,
  type FetchManners,
  politeFetch,
} from '../../infra/fetching/politeFetch.ts'
import {
  type Encoding,
  encodingOf,
} from '../../infra/ingestion/feeds/feedFile.ts'
import {
  checkHeader,
  type RowReader,
  recordsOf,
  refuseCutOff,
} from '../../infra/ingestion/feeds/records.ts'
import { trackedSources } from '../../infra/ingestion/sources.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import {
  type LoadResult,
  type LoadSettings,
  performLoad,
} from './performLoad.ts'
import { stageRecord } from './stageLot.ts'

/**
 * The formats that a file can be in: the project's own, and the GovAuctions
 * open dataset.
 */
export const FEEDS = ['feed', 'open-data'] as const
export type Feed = (typeof FEEDS)[number]

/**
 * Loads a file, closes the lots whose end has passed and brings the scores up
 * to date. Idempotent by source and source id: a crash leaves whole batches,
 * and loading the file again completes them. Waits for another load to end.
 * @param sql an admin connection.
 * @returns what the load did; a file or a source that is refused is reported
 * there, not thrown.
 * @throws UserError when there is no such file.
 */
export async function ingestFile(
  sql: Sql,
  { feed, file, ...settings }: LoadSettings & { feed: Feed; file: string },
): Promise<LoadResult> {
  const encoding = await encodingOf(file)
  const format = await formatOf(sql, feed)
  return performLoad(sql, {
    ...settings,
    feed,
    file,
    rows: rowsOf(file, encoding, format, settings.now),
  })
}

/**
 * Loads the open dataset as `ingestFile` does. Everything is fetched before
 * anything is loaded.
 * @param settings `download`: where it was begun before.
 * @returns what the load did, and how many of its lots have a price; a fetch
 * that fails is reported there as a refused load, not thrown.
 */
export async function ingestOpenData(
  sql: Sql,
  {
    url,
    redirectHosts,
    manners,
    download = fetchOpenData({ url, redirectHosts, manners }),
    ...settings
  }: LoadSettings & FileAddress & { download?: Promise<Buffer> },
): Promise<LoadResult & { sales: number }> {
  const format = await formatOf(sql, 'open-data')
  let sales = 0
  const file = `${url.origin}${url.pathname}`
  const loaded = await performLoad(sql, {
    ...settings,
    feed: 'open-data',
    file,
    rows: fetchedRows(),
  })
  return { ...loaded, sales }

  async function* fetchedRows() {
    for await (const rows of rowsOf(
      await download,
      'csv',
      format,
      settings.now,
    )) {
      sales += rows.filter(
        row => 'sold_at' in row && row.sold_at !== null,
      ).length
      yield rows
    }
  }
}

/** Fetches the open dataset. @throws FetchFailure */
export function fetchOpenData(
  { url, redirectHosts, manners }: FileAddress,
  stop?: AbortSignal,
): Promise<Buffer> {
  const request = {
    url,
    redirectHosts,
    isFile: true,
    mostRedirects: MOST_REDIRECTS,
  }
  const file = politeFetch(manners, { stop })(request) as Promise<FetchedFile>
  const download = file.then(({ body }) => body)
  // It may fail before the load that waits for it begins.
  download.catch(() => {})
  return download
}

/**
 * The host of the dataset sends downloads on to others of the same provider.
 */
const MOST_REDIRECTS = 5

/** `redirectHosts`: other hosts that the address may redirect to. */
type FileAddress = {
  url: URL
  redirectHosts: readonly string[]
  manners: FetchManners
}

async function* rowsOf(
  file: string | Buffer,
  encoding: Encoding,
  format: FeedFormat,
  now: Date,
) {
  if (!format.encodings.includes(encoding))
    throw new UnusableFile(
      `A file of open-data must be ${format.encodings.join(' or ')}.`,
    )
  for await (const records of recordsOf(file, encoding, format.checkColumns)) {
    refuseCutOff(records)
    yield records.map(record => stageRecord(record, format, encoding, now))
  }
}

interface FeedFormat extends RowReader {
  encodings: Encoding[]
  /** @throws UnusableFile when the header of a CSV cannot be used. */
  checkColumns(columns: string[]): void
}

async function formatOf(sql: Sql, feed: Feed): Promise<FeedFormat> {
  const sources = await trackedSources(sql)
  const real = sources.filter(
    ({ time_zone }) => time_zone !== null && isTimeZone(time_zone),
  )
  const zones = new Map(
    real.map(({ source, time_zone }) => [source, time_zone!]),
  )
  // Bare dates are days of the source's own zone where it names a real one
  // ("vendor" is none), else of UTC.
  const zoneOf = (source: string) => zones.get(source) ?? 'UTC'
  if (feed === 'feed')
    return {
      encodings: ['ndjson', 'csv'],
      checkColumns: columns =>
        checkHeader(columns, REQUIRED_FEED_COLUMNS, FEED_COLUMNS),
      readRow: cells => feedRow(cells, zoneOf),
      readKey: lotKey,
    }
  const keys = sources.map(({ source }) => source)
  // Closed federal lots. A column that the dataset gains later is ignored.
  return {
    encodings: ['csv'],
    checkColumns: columns => checkHeader(columns, OPEN_DATA_COLUMNS, columns),
    readRow: cells => openDataRow(cells, keys, zoneOf),
    readKey: cells => openDataKey(cells, keys),
  }
}
