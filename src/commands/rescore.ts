import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { rescore } from '../usecases/valuation/rescore.ts'
import type { Rescored } from '../usecases/valuation/scoringResult.ts'
import { createReport } from './report.ts'
import { atWork } from './workplace.ts'

export function rescoreCommand(): Command {
  return new Command('rescore')
    .description(
      'appraise and score every live lot anew; a load does it by itself where the sales have moved on',
    )
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: { json?: boolean }) => {
      const report = createReport(json)
      const result = await atWork(readConfig(), sql =>
        rescore(sql, { now: new Date(), onProgress: report.progress }),
      )
      report.answer(result, () => `${scoresInWords(result)}\nTook ${result.seconds} s.`)
    })
}

/** What became of the scores, for a person. */
export function scoresInWords(result: Rescored): string {
  const { lots_scored, lots_open, sales, estimated_at, reason } = result
  const told = [
    `${lots_scored} of ${lots_open} live lots have a score, from ${sales} sales up to ${estimated_at}.`,
    `Estimated: ${result.lots_estimated}, only scored anew: ${result.lots_rescored}, untouched: ${result.lots_untouched}.`,
  ]
  if (reason) told.push(`All were estimated anew: ${reason}`)
  return told.join(' ')
}
