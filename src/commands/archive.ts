import { type Command, InvalidArgumentError } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { readContract } from '../contract/document.ts'
import { onCopyIfNew } from '../infra/archives/onCopyIfNew.ts'
import {
  type ArchiveStore,
  createBucketStore,
  createFolderStore,
} from '../infra/archives/store.ts'
import { loadZipTables } from '../infra/places/zipTables.ts'
import type { Sql } from '../infra/postgres/database.ts'
import { judgeEstimates } from '../usecases/valuation/judgeEstimates.ts'
import { writeArchives } from '../usecases/writeArchives.ts'
import { withDatabase } from './context.ts'
import { endWithParent } from './processes.ts'
import { answer, answering, progress } from './terminal.ts'

export function archiveCommand(): Command {
  return answering(
    'archive',
    'write the archives of every finished month that has none, the open aggregates and the daily files of saved searches, and measure the estimates for /accuracy',
  )
    .option(
      '--month <month>',
      'only this month (2026-10), also when it has an archive',
      finishedMonth,
    )
    .action(archive)
}

async function archive({
  month = null,
  json,
}: {
  month?: string | null
  json?: boolean
}) {
  const config = readConfig()
  endWithParent()
  const months = await withDatabase(config, sql => writeDue(sql, config, month))
  const place = config.archivePlace.bucketUrl ?? config.archivePlace.folder
  answer(json, { months, place }, () =>
    months === null
      ? 'Another process writes the archives now.'
      : `Months written: ${months.length}, to ${place}.`,
  )
}

/**
 * Writes what is due, and measures the estimates once a day with it, in a
 * process that serves nobody.
 * @returns the months that were written; null while another process writes.
 */
export async function writeDue(
  sql: Sql,
  config: Config,
  month: string | null,
): Promise<string[] | null> {
  // Links are made where files are listed, not here.
  const store = await openArchives(config, '')
  loadZipTables()
  const { publicUrl } = config
  const settings = {
    store,
    contract: readContract(),
    publicUrl,
    now: null,
    onWritten: progress,
  }
  const months = await onCopyIfNew(config.readUrl, sql, progress, rows =>
    writeArchives(sql, { ...settings, rows }, month),
  )
  if (month === null && months !== null) await judgeEstimates(sql, new Date())
  return months
}

/**
 * Where the archives are: the bucket of `ARCHIVE_URL`, or the folder
 * `ARCHIVE_DIR`.
 */
export async function openArchives(
  { archivePlace, publicUrl }: Pick<Config, 'archivePlace' | 'publicUrl'>,
  pepper: string,
): Promise<ArchiveStore> {
  const { folder, bucketUrl } = archivePlace
  return bucketUrl
    ? createBucketStore(bucketUrl, `${folder}/work`)
    : createFolderStore(folder, pepper, publicUrl)
}

function finishedMonth(text: string) {
  if (
    !/^\d{4}-(0[1-9]|1[0-2])$/.test(text) ||
    text >= new Date().toISOString().slice(0, 7)
  )
    throw new InvalidArgumentError(
      '--month must be a month that has ended, such as 2026-10.',
    )
  return text
}
