import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Argument, type Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { UserError } from '../contract/errors.ts'
import { FEED_COLUMNS } from '../domain/feeds/lotRow.ts'
import { OFFICIAL_KEYS } from '../infra/sources/registry.ts'
import {
  FEEDS,
  type Feed,
  ingestFile,
  ingestOpenData,
} from '../usecases/ingestion/ingestFile.ts'
import type { LoadResult } from '../usecases/ingestion/performLoad.ts'
import {
  ingestAllSources,
  ingestSource,
} from '../usecases/ingestion/sweepSource.ts'
import { sourcesOn } from '../usecases/ingestion/trackedSources.ts'
import { prepareForRealLots, withDatabase } from './context.ts'
import { scoresInWords } from './rescore.ts'
import { answer, answering, progress, textTable } from './terminal.ts'

interface IngestOptions {
  all?: boolean
  file?: string
  url?: string
  partial?: boolean
  acceptShrinkage?: boolean
  json?: boolean
}

export function ingestCommand(): Command {
  return answering(
    'ingest',
    'load lots from a file or an official source, then score every live lot',
  )
    .addArgument(
      new Argument(
        '[name]',
        `feed: a file in the feed format, NDJSON or CSV (docs/feed-format.md); open-data: the open dataset (CSV); or an official source`,
      ).choices([...FEEDS, ...OFFICIAL_KEYS]),
    )
    .option('--all', 'fetch every official source that is on, once')
    .option(
      '--file <file>',
      'the file to load, such as lots.ndjson or lots.csv; - reads standard input',
    )
    .option(
      '--url <address>',
      'for open-data: the address to fetch the file from, once',
    )
    .option(
      '--partial',
      'the rows are an addition: lots that the file does not name stay as they are',
    )
    .option(
      '--accept-shrinkage',
      'a source has really shrunk, or its lots really lost bids, ends or titles',
    )
    .addHelpText('after', `\nThe columns of a feed: ${FEED_COLUMNS.join(', ')}`)
    .action(ingest)
}

async function ingest(name: string | undefined, options: IngestOptions) {
  refuseContradictions(name, options)
  const config = readConfig()
  if (name === undefined) return ingestAll(config, options)
  const result = await (isFeed(name)
    ? loadFile(config, name, options)
    : sweep(config, name, options.acceptShrinkage))
  answer(options.json, result, () => inWords(result))
  if (result.reason !== null) process.exitCode = 1
}

function refuseContradictions(
  name: string | undefined,
  options: IngestOptions,
) {
  const { all, file, url, partial, acceptShrinkage } = options
  const ofFiles = name !== undefined && isFeed(name)
  const names = [...FEEDS, ...OFFICIAL_KEYS].join(', ')
  const refusals: [isWrong: unknown, sentence: string][] = [
    [all && name, `Give either --all or ${name}, not both.`],
    [!all && !name, `Name what to load: ${names}; or --all.`],
    [
      all && acceptShrinkage,
      '--accept-shrinkage applies to one source, after you have checked it.',
    ],
    [
      url && name !== 'open-data',
      '--url is for open-data: npx surplus ingest open-data --url ADDRESS',
    ],
    [url && file, 'Give either --file or --url, not both.'],
    [
      ofFiles && !file && !url,
      `Name the file to load: npx surplus ingest ${name} --file FILE`,
    ],
    [
      !ofFiles && (file || partial),
      '--file and --partial are for files: npx surplus ingest feed --file FILE',
    ],
  ]
  const refusal = refusals.find(([isWrong]) => isWrong)
  if (refusal) throw new UserError(refusal[1], 2)
}

function isFeed(name: string): name is Feed {
  return (FEEDS as readonly string[]).includes(name)
}

function loadFile(config: Config, feed: Feed, options: IngestOptions) {
  const { file, url, partial = false, acceptShrinkage = false } = options
  const settings = {
    partial,
    acceptShrinkage,
    now: new Date(),
    onProgress: progress,
  }
  if (url !== undefined) {
    const { manners, openDataRedirectHosts: redirectHosts } = config
    const from = { url: webAddress(url), redirectHosts, manners }
    return withDatabase(
      config,
      sql => ingestOpenData(sql, { ...settings, ...from }),
      prepareForRealLots,
    )
  }
  const load = (path: string) =>
    withDatabase(
      config,
      sql => ingestFile(sql, { ...settings, feed, file: path }),
      prepareForRealLots,
    )
  return file === '-' ? withStandardInput(load) : load(file!)
}

/**
 * Writes standard input to a file of its own, which a load reads in bounded
 * memory, and takes the file away afterwards.
 */
async function withStandardInput(
  load: (path: string) => Promise<LoadResult>,
): Promise<LoadResult> {
  const folder = await mkdtemp(join(tmpdir(), 'surplus-ingest-'))
  const path = join(folder, 'standard-input')
  try {
    await pipeline(process.stdin, createWriteStream(path))
    return { ...(await load(path)), file: '-' }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function webAddress(text: string) {
  const url =
    /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : null
  // A failed fetch is stored with its reason, which must not hold a password.
  if (url && url.username === '' && url.password === '') return url
  throw new UserError(
    '--url must be an address that begins with https://, without a password.',
    2,
  )
}

function sweep(config: Config, source: string, acceptShrinkage = false) {
  const { manners, sources } = config
  const settings = {
    manners,
    acceptShrinkage,
    now: new Date(),
    onProgress: progress,
  }
  return withDatabase(
    config,
    async sql => {
      if (!(await sourcesOn(sql, sources)).some(each => each.source === source))
        throw new UserError(`${source} is off. npx surplus sources says why.`)
      return ingestSource(sql, { source, from: sources[source]!, ...settings })
    },
    prepareForRealLots,
  )
}

async function ingestAll(config: Config, { json }: IngestOptions) {
  const { manners, sources } = config
  const settings = { manners, now: new Date(), onProgress: progress }
  const swept = await withDatabase(
    config,
    sql => ingestAllSources(sql, sources, settings),
    prepareForRealLots,
  )
  answer(json, swept, () =>
    swept.loads
      .map(
        load =>
          `${load.feed}\n${load.state === 'failed' ? `Failed: ${load.reason}` : inWords(load)}`,
      )
      .concat(swept.rescored ? scoresInWords(swept.rescored) : [])
      .join('\n\n'),
  )
  if (swept.failed.length > 0) process.exitCode = 1
}

/** What a load did, for a person. */
export function inWords(
  result: Omit<LoadResult, 'load_id'> & { is_unchanged?: boolean },
) {
  const {
    rows_read,
    rows_set_aside,
    rows_repeated,
    rows_refused,
    rescored,
    reason,
    set_aside_reasons,
    lots_duplicate,
    new_sources,
    lots_new,
    lots_changed,
    lots_withdrawn,
    lots_settled,
    seconds,
    seconds_until_stored: stored,
  } = result
  const isDone = result.state === 'done'
  const refused = rows_refused > 0 ? `, ${rows_refused} refused` : ''
  const counts = `${result.rows_taken} taken, ${rows_set_aside} set aside, ${rows_repeated} repeated${refused}`
  const rows = `${rows_read} rows read, ${counts}.`
  return [
    result.is_unchanged
      ? 'Unchanged since the last load.'
      : `${isDone ? 'Loaded' : 'Refused, nothing changed'}: ${rows}`,
    isDone &&
      `Lots: ${lots_new} new, ${lots_changed} changed, ${lots_withdrawn} withdrawn, ${lots_settled} ended.`,
    lots_duplicate > 0 &&
      `On another source too: ${lots_duplicate} lots; statistics count each group once.`,
    reason,
    new_sources.length > 0 && `New sources: ${new_sources.join(', ')}.`,
    rescored && scoresInWords(rescored),
    ...result.cells_not_read.map(({ cells, what }) => `${cells} × ${what}`),
    set_aside_reasons.length > 0 &&
      `\nSet aside:\n${textTable(set_aside_reasons)}`,
    isDone &&
      `Took ${seconds} s; the lots could be searched after ${stored} s (${Math.round(rows_read / Math.max(stored, 0.001))} rows a second).`,
    result.why_none_withdrawn,
  ]
    .filter(Boolean)
    .join('\n')
}
