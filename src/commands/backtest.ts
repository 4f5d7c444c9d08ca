import type { Command } from 'commander'
import { judgeEstimates } from '../usecases/valuation/judgeEstimates.ts'
import { reporting } from './context.ts'
import { textTable } from './terminal.ts'

/**
 * `npx surplus backtest`: measures the estimates now; the page /accuracy shows
 * the same from then on.
 */
export function backtestCommand(): Command {
  return reporting(
    [
      'backtest',
      'measure how far estimates of the loaded sales are off, each from the sales before its week',
    ],
    sql => judgeEstimates(sql, new Date()),
    measured => {
      if (measured.accuracy.sales === 0)
        return 'Nothing can be measured yet: load past sales first.'
      const { by_grade, by_category, score_fifths, money, held, ...all } =
        measured.accuracy
      const groups = [
        { group: 'all', ...all },
        ...by_grade.map(one => ({ group: one.grade, ...one })),
        ...by_category.map(one => ({ group: one.category, ...one })),
      ]
      const tables = [
        groups.map(
          ({
            group,
            sales,
            error_factor,
            likely_hold_percent,
            range_hold_percent,
          }) => ({
            group,
            sales,
            error_factor,
            likely_hold_percent,
            range_hold_percent,
          }),
        ),
        held,
        score_fifths,
        [money],
      ]
      return `Sales up to ${measured.as_of}:\n\n${tables.map(textTable).join('\n\n')}`
    },
  )
}
