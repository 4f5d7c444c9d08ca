import { InvalidArgumentError } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { readContract } from '../contract/document.ts'
import { onCopyIfNew } from '../infra/archives/onCopyIfNew.ts'
import { type ArchiveStore, createBucketStore, createFolderStore } from '../infra/archives/store.ts'
import { loadZipTables } from '../infra/places/zipTables.ts'
import { writeArchives } from '../usecases/writeArchives.ts'
import { withDatabase } from './context.ts'
import { answer, answering, progress } from './terminal.ts'

export function archiveCommand() {
  return answering(
    'archive',
    'write the archives of every finished month that has none, the open aggregates and the daily files of saved searches',
  )
    .option('--month <month>', 'only this month (2026-10), also when it has an archive', finishedMonth)
    .action(archive)
}

async function archive({ month = null, json }: { month?: string | null; json?: boolean }) {
  const config = readConfig()
  // Links are made where files are listed, not here.
  const store = await openArchives(config, '')
  // Started by a sweeper, it ends with it.
  process.once('disconnect', () => process.exit(1))
  process.channel?.unref()
  loadZipTables()
  const { publicUrl } = config
  const settings = { store, contract: readContract(), publicUrl, now: null, onWritten: progress }
  const months = await withDatabase(config, sql =>
    onCopyIfNew(config.readUrl, sql, progress, rows => writeArchives(sql, { ...settings, rows }, month)),
  )
  const place = config.archivePlace.bucketUrl ?? config.archivePlace.folder
  answer(json, { months, place }, () =>
    months === null
      ? 'Another process writes the archives now.'
      : `Months written: ${months.length}, to ${place}.`,
  )
}

/** Where the archives are: the bucket of `ARCHIVE_URL`, or the folder `ARCHIVE_DIR`. */
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
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text) || text >= new Date().toISOString().slice(0, 7))
    throw new InvalidArgumentError('--month must be a month that has ended, such as 2026-10.')
  return text
}
