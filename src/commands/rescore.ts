import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { rescore } from '../usecases/valuation/rescore.ts'
import { createReport } from './report.ts'
import { atWork } from './workplace.ts'

export function rescoreCommand(): Command {
  return new Command('rescore')
    .description('appraise and score every live lot anew; every load does it by itself')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: { json?: boolean }) => {
      const report = createReport(json)
      const result = await atWork(readConfig(), sql =>
        rescore(sql, { now: new Date(), onProgress: report.progress }),
      )
      report.answer(
        result,
        () =>
          `Scored ${result.lots_scored} of ${result.lots_open} live lots from ${result.sales} sales in ${result.seconds} s.`,
      )
    })
}
