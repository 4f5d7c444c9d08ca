import { Argument, Command } from 'commander'
import { readConfig } from '../config.ts'
import { UserError } from '../domain/userError.ts'
import { FEEDS, type Feed, ingestFile } from '../usecases/ingestion/ingestFile.ts'
import type { LoadResult } from '../usecases/ingestion/loadResult.ts'
import { createReport, table } from './report.ts'
import { atWork } from './workplace.ts'

interface IngestOptions {
  file?: string
  partial?: boolean
  acceptShrinkage?: boolean
  json?: boolean
}

export function ingestCommand(): Command {
  return new Command('ingest')
    .description('load lots from a file, then appraise and score every live lot')
    .addArgument(
      new Argument(
        '<name>',
        'feed: the feed format (NDJSON or CSV); open-data: the open dataset (CSV)',
      ).choices(FEEDS),
    )
    .option('--file <file>', 'the file to load')
    .option('--partial', 'the rows are an addition: lots that the file does not name stay as they are')
    .option('--accept-shrinkage', 'a source with under half of its last live rows has really shrunk')
    .option('--json', 'print one JSON document')
    .action(ingest)
}

async function ingest(feed: Feed, options: IngestOptions): Promise<void> {
  const { file, partial = false, acceptShrinkage = false, json = false } = options
  if (!file) throw new UserError(`Name the file to load: surplus ingest ${feed} --file FILE`, 2)
  const report = createReport(json)
  const result = await atWork(readConfig(), sql =>
    ingestFile(sql, { feed, file, partial, acceptShrinkage, now: new Date(), onProgress: report.progress }),
  )
  report.answer(result, () => inWords(result))
  if (result.reason !== null) process.exitCode = 1
}

/** What a load did, for a person. */
export function inWords(result: LoadResult): string {
  const { rows_read, rows_taken, rows_set_aside, rescored } = result
  const lines = [
    `${result.state === 'done' ? 'Loaded' : 'Refused, nothing changed'}: ${rows_read} rows read, ${rows_taken} taken, ${rows_set_aside} set aside.`,
    `Lots: ${result.lots_new} new, ${result.lots_changed} changed, ${result.lots_withdrawn} withdrawn, ${result.lots_settled} ended.`,
  ]
  if (result.reason) lines.push(result.reason)
  if (result.new_sources.length > 0) lines.push(`New sources: ${result.new_sources.join(', ')}.`)
  if (rescored)
    lines.push(
      `Scored ${rescored.lots_scored} of ${rescored.lots_open} live lots from ${rescored.sales} sales.`,
    )
  if (result.set_aside.length > 0) lines.push('', 'Set aside (the first of them):', table(result.set_aside))
  lines.push(`Took ${result.seconds} s.`)
  return lines.join('\n')
}
