import type { Command } from 'commander'
import type { Rescored } from '../usecases/valuation/appraiseLots.ts'
import { rescore } from '../usecases/valuation/rescore.ts'
import { reporting } from './context.ts'
import { progress } from './terminal.ts'

export function rescoreCommand(): Command {
  return reporting(
    [
      'rescore',
      'appraise and score every live lot again; loads do it automatically when enough sales have changed',
    ],
    sql => rescore(sql, { now: new Date(), onProgress: progress }),
    result => `${scoresInWords(result)}\nTook ${result.seconds} s.`,
  )
}

/** The result of scoring, in sentences. */
export function scoresInWords(result: Rescored) {
  const { lots_scored, lots_open, sales, estimated_at, reason } = result
  const sentences = [
    `${lots_scored} of ${lots_open} live lots have a score, from ${sales} sales up to ${estimated_at}.`,
    `Estimated: ${result.lots_estimated}, only scored again: ${result.lots_rescored}, untouched: ${result.lots_untouched}.`,
  ]
  if (reason) sentences.push(`All were estimated again: ${reason}`)
  return sentences.join(' ')
}
