import { UnusableFile } from '../../domain/feeds/badRow.ts'
import { UserError } from '../../domain/userError.ts'
import { encodingOf, recordsOf } from '../../infra/ingestion/feeds/feedFile.ts'
import { trackedSources } from '../../infra/ingestion/sources.ts'
import type { StagedRow } from '../../infra/ingestion/stagedRows.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { type FeedFormat, feedFormat, openDataFormat } from './feedFormats.ts'
import type { LoadResult, LoadSettings } from './loadResult.ts'
import { loadRows } from './loadRows.ts'
import { stageRecord } from './stageRecord.ts'

/** The formats that a file can be in: the project's own, and the GovAuctions open dataset. */
export const FEEDS = ['feed', 'open-data'] as const
export type Feed = (typeof FEEDS)[number]

export interface FileToIngest extends LoadSettings {
  feed: Feed
  file: string
}

/**
 * Loads a file, settles the lots whose end has passed and scores every open lot anew. Idempotent by source and source id;
 * a crash leaves whole batches, and loading the file again completes them. Waits for another load to end.
 * @param sql a workbench (one connection); a second one like it is opened for the work.
 * @returns what became of the rows; a file or a source that is refused is told there and not thrown.
 * @throws UserError when there is no such file or format.
 */
export async function ingestFile(sql: Sql, { feed, file, ...settings }: FileToIngest): Promise<LoadResult> {
  if (!FEEDS.includes(feed))
    throw new UserError(`There is no feed ${feed}; known are ${FEEDS.join(' and ')}.`, 2)
  const encoding = await encodingOf(file)
  const format = await formatOf(sql, feed)
  return loadRows(sql, { ...settings, feed, file, rows: rowsOf() })

  async function* rowsOf(): AsyncGenerator<StagedRow[]> {
    if (!format.encodings.includes(encoding))
      throw new UnusableFile(`A file of ${feed} must be ${format.encodings.join(' or ')}.`)
    for await (const records of recordsOf(file, encoding, format.checkColumns)) {
      const cut = records.find(record => 'fault' in record && record.isCutOff)
      if (cut) throw new UnusableFile(`The file stops in the middle of line ${cut.line}: it was cut off.`)
      yield records.map(record => stageRecord(record, format, encoding, settings.now))
    }
  }
}

async function formatOf(sql: Sql, feed: Feed): Promise<FeedFormat> {
  const zones = new Map((await trackedSources(sql)).map(({ source, time_zone }) => [source, time_zone]))
  return feed === 'feed' ? feedFormat(zones) : openDataFormat(zones)
}
