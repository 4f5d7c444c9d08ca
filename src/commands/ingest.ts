import { Argument, Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { UserError } from '../domain/errors.ts'
import { OFFICIAL_KEYS } from '../infra/sources/registry.ts'
import { FEEDS, type Feed, ingestFile, ingestOpenData } from '../usecases/ingestion/ingestFile.ts'
import type { LoadResult } from '../usecases/ingestion/performLoad.ts'
import { ingestAllSources, ingestSource } from '../usecases/ingestion/sweepSource.ts'
import { sourcesOn } from '../usecases/ingestion/trackedSources.ts'
import { withDatabase } from './context.ts'
import { scoresInWords } from './rescore.ts'
import { answer, JSON_OPTION, progress, table } from './terminal.ts'

interface IngestOptions {
  all?: boolean
  file?: string
  url?: string
  partial?: boolean
  acceptShrinkage?: boolean
  json?: boolean
}

export function ingestCommand(): Command {
  const command = new Command('ingest')
    .description('load lots from a file or an official source, then appraise and score every live lot')
    .addArgument(
      new Argument(
        '[name]',
        `feed: the feed format (NDJSON or CSV); open-data: the open dataset (CSV); or a source: ${OFFICIAL_KEYS.join(', ')}`,
      ).choices([...FEEDS, ...OFFICIAL_KEYS]),
    )
    .option('--all', 'fetch every official source that is on, once')
    .option('--file <file>', 'the file to load')
    .option('--url <address>', 'for open-data: the address to fetch the file from, once')
    .option('--partial', 'the rows are an addition: lots that the file does not name stay as they are')
    .option('--accept-shrinkage', 'a source with under half of its last live rows has really shrunk')
    .option(...JSON_OPTION)
    .action(ingest)
  // Its options are read by `ingest` too, so that a wrong combination has the same words in any order.
  command
    .command('feed')
    .description(
      'load lots from a file in the feed format: NDJSON (one JSON object a line) or CSV. Rows with faults are set aside with all of them.\n' +
        'Columns and examples: docs/feed-format.md, or /docs/feeds of a running service',
    )
    .option('--file <file>', 'the file to load, such as lots.ndjson or lots.csv')
    .option('--partial', 'the rows are an addition: lots that the file does not name stay as they are')
    .option('--accept-shrinkage', 'a source with under half of its last live rows has really shrunk')
    .option(...JSON_OPTION)
    .action((_own: object, feed: Command) => ingest('feed', feed.optsWithGlobals<IngestOptions>()))
  return command
}

async function ingest(name: string | undefined, options: IngestOptions): Promise<void> {
  refuseContradictions(name, options)
  const config = readConfig()
  if (name === undefined) return ingestAll(config, options)
  const result = await (isFeed(name)
    ? loadFile(config, name, options)
    : sweep(config, name, options.acceptShrinkage))
  answer(options.json, result, () => inWords(result))
  if (result.reason !== null) process.exitCode = 1
}

function refuseContradictions(name: string | undefined, options: IngestOptions): void {
  const { all, file, url, partial, acceptShrinkage } = options
  if (all && name !== undefined) throw new UserError(`Give either --all or ${name}, not both.`, 2)
  if (!all && name === undefined)
    throw new UserError(`Name what to load: ${[...FEEDS, ...OFFICIAL_KEYS].join(', ')}; or --all.`, 2)
  if (all && acceptShrinkage)
    throw new UserError('--accept-shrinkage applies to one source, after you have checked it.', 2)
  if (url !== undefined && name !== 'open-data')
    throw new UserError('--url is for the open dataset: npx surplus ingest open-data --url ADDRESS', 2)
  if (url !== undefined && file !== undefined)
    throw new UserError('Give either --file or --url, not both.', 2)
  if (name !== undefined && isFeed(name)) return
  if (file !== undefined || partial)
    throw new UserError(
      '--file and --partial are for files. To load a file: npx surplus ingest feed --file FILE',
      2,
    )
}

function isFeed(name: string): name is Feed {
  return (FEEDS as readonly string[]).includes(name)
}

function loadFile(config: Config, feed: Feed, options: IngestOptions) {
  const { file, url, partial = false, acceptShrinkage = false } = options
  const settings = { partial, acceptShrinkage, now: new Date(), onProgress: progress }
  if (url !== undefined) {
    const { manners, openDataRedirectHosts: redirectHosts } = config
    const from = { url: webAddress(url), redirectHosts, manners }
    return withDatabase(config, sql => ingestOpenData(sql, { ...settings, ...from }))
  }
  if (!file) throw new UserError(`Name the file to load: npx surplus ingest ${feed} --file FILE`, 2)
  return withDatabase(config, sql => ingestFile(sql, { ...settings, feed, file }))
}

function webAddress(text: string): URL {
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : null
  // A failed fetch is stored with its reason, which must not hold a password.
  if (url && url.username === '' && url.password === '') return url
  throw new UserError('--url must be an address that begins with https://, without a password.', 2)
}

function sweep(config: Config, source: string, acceptShrinkage = false) {
  const { manners, sources } = config
  const settings = { manners, acceptShrinkage, now: new Date(), onProgress: progress }
  return withDatabase(config, async sql => {
    if (!(await sourcesOn(sql, sources)).includes(source))
      throw new UserError(`${source} is off. npx surplus sources says why.`)
    return ingestSource(sql, { source, from: sources[source]!, ...settings })
  })
}

async function ingestAll(config: Config, { json }: IngestOptions): Promise<void> {
  const { manners, sources } = config
  const settings = { sources, manners, now: new Date(), onProgress: progress }
  const swept = await withDatabase(config, sql => ingestAllSources(sql, settings))
  answer(json, swept, () =>
    swept.loads
      .map(load => `${load.feed}\n${load.state === 'failed' ? `Failed: ${load.reason}` : inWords(load)}`)
      .concat(swept.rescored ? scoresInWords(swept.rescored) : [])
      .join('\n\n'),
  )
  if (swept.failed.length > 0) process.exitCode = 1
}

/** What a load did, for a person. */
export function inWords(result: Omit<LoadResult, 'load_id'> & { is_unchanged?: boolean }): string {
  const { rows_read, rows_taken, rows_set_aside, rescored } = result
  const isDone = result.state === 'done'
  const lines = [
    result.is_unchanged
      ? 'Unchanged since the last load.'
      : `${isDone ? 'Loaded' : 'Refused, nothing changed'}: ${rows_read} rows read, ${rows_taken} taken, ${rows_set_aside} set aside.`,
  ]
  if (isDone)
    lines.push(
      `Lots: ${result.lots_new} new, ${result.lots_changed} changed, ${result.lots_withdrawn} withdrawn, ${result.lots_settled} ended.`,
    )
  if (result.lots_duplicate > 0)
    lines.push(`On another source too: ${result.lots_duplicate} lots; statistics count each group once.`)
  if (result.reason) lines.push(result.reason)
  if (result.new_sources.length > 0) lines.push(`New sources: ${result.new_sources.join(', ')}.`)
  if (rescored) lines.push(scoresInWords(rescored))
  if (result.set_aside.length > 0) lines.push('', 'Set aside (the first of them):', table(result.set_aside))
  if (!isDone) return lines.join('\n')
  const perSecond = Math.round(rows_read / Math.max(result.seconds_until_stored, 0.001))
  lines.push(
    `Took ${result.seconds} s; the lots could be searched after ${result.seconds_until_stored} s (${perSecond} rows a second).`,
  )
  return lines.join('\n')
}
