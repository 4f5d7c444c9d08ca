import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { LEAST_LOTS } from '../domain/valuation/bidPaths.ts'
import { backtestSales } from '../usecases/valuation/backtestSales.ts'
import { withDatabase } from './context.ts'
import { answer, dayOf, JSON_OPTION, table } from './terminal.ts'

export function backtestCommand(): Command {
  return new Command('backtest')
    .description('estimate the later sales from the earlier ones only, and measure the errors')
    .option(
      '--split <date>',
      'the first day of the later sales, YYYY-MM-DD in UTC (default: so that 30% are later)',
      text => dayOf(text, '--split must be a day such as 2026-05-28.'),
    )
    .option(...JSON_OPTION)
    .action(async ({ split, json }: { split?: Date; json?: boolean }) => {
      const result = await withDatabase(readConfig(), sql => backtestSales(sql, split ?? null))
      const { by_third, by_category: _, score_fifths, ...overall } = result.accuracy
      answer(json, result, () =>
        [
          `${result.trained_on} sales before ${result.split}, ${result.tested_on} from then on. An error factor of 2 means that`,
          'the typical estimate is half or twice the price. Half of the prices should lie in the band: likely_low_cents to',
          `likely_high_cents, of the comparables p25 to p75. The more confident half has a confidence from ${result.confident_from?.toFixed(3) ?? 'none'} on.`,
          '',
          table(
            result.rows.map(row => ({ ...row, rank_correlation: row.rank_correlation?.toFixed(3) ?? null })),
          ),
          '',
          'This estimate by third of its value, lowest first: the likely band should hold 50%, the range 80%.',
          '',
          table([overall, ...by_third]),
          '',
          'The score at all-in costs from 1/16 to 16 times the value: the mean score should be the percentage that sold for more.',
          '',
          table(score_fifths),
          '',
          ...projected(result.projection),
        ].join('\n'),
      )
    })
}

function projected({ observed_lots, rows }: Awaited<ReturnType<typeof backtestSales>>['projection']) {
  if (!rows)
    return [
      `The projected close is a formula: ${observed_lots} lots with at least three observations of their bids have closed, and it is`,
      `learned from ${LEAST_LOTS} on. Nothing can be measured before.`,
    ]
  return [
    `The projected close, learned from ${observed_lots} lots with observed bids: each fifth of the lots from the other four, and by the formula.`,
    '',
    table(rows),
  ]
}
