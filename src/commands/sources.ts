import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { listSourceStates, type ReportedSource } from '../usecases/ingestion/trackedSources.ts'
import { withDatabase } from './context.ts'
import { answer, JSON_OPTION, table } from './terminal.ts'

export function sourcesCommand(): Command {
  return new Command('sources')
    .description(
      'show how every source stands: whether it is fetched and why not, live lots, last good fetch, last load, last and next sweep',
    )
    .option(...JSON_OPTION)
    .action(async ({ json }: { json?: boolean }) => {
      const config = readConfig()
      const { sweeper, sources } = await withDatabase(config, sql =>
        listSourceStates(sql, { addresses: config.sources, isSwept: config.ingest }),
      )
      answer(
        json,
        { sweeper, sources },
        () =>
          `${table(sources.map(inShort))}\n\n${sweeper ? `Swept by ${sweeper.process}.` : 'No sweeper is running.'}`,
      )
    })
}

function inShort({ source, access, live_lots, sales, duplicates, ...more }: ReportedSource) {
  const { last_success_at, is_stale, why_off, last_load, sweep } = more
  return {
    source,
    access,
    live_lots,
    sales,
    duplicates,
    last_success_at,
    fetched: why_off ?? 'on',
    stale: is_stale ? 'yes' : 'no',
    last_load: last_load
      ? `${last_load.state}, ${last_load.rows_taken} of ${last_load.rows_read} rows`
      : null,
    set_aside: last_load?.rows_set_aside,
    failures: sweep?.consecutive_failures,
    next_due_at: sweep?.next_due_at,
    reason: sweep?.reason ?? last_load?.reason,
  }
}
