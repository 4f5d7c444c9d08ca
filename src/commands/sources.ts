import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { listSourceStates, type ReportedSource } from '../usecases/ingestion/listSourceStates.ts'
import { createReport, table } from './report.ts'
import { atWork } from './workplace.ts'

export function sourcesCommand(): Command {
  return new Command('sources')
    .description('show how every source stands: live lots, last good fetch, last load')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: { json?: boolean }) => {
      const sources = await atWork(readConfig(), sql => listSourceStates(sql, null))
      createReport(json).answer({ sources }, () => table(sources.map(inShort)))
    })
}

function inShort({
  source,
  access,
  live_lots,
  sales,
  duplicates,
  last_success_at,
  is_stale,
  last_load,
}: ReportedSource) {
  return {
    source,
    access,
    live_lots,
    sales,
    duplicates,
    last_success_at,
    stale: is_stale ? 'yes' : 'no',
    last_load: last_load
      ? `${last_load.state}, ${last_load.rows_taken} of ${last_load.rows_read} rows`
      : null,
    set_aside: last_load?.rows_set_aside,
    reason: last_load?.reason,
  }
}
