import { readAccuracy } from '../infra/valuation/models.ts'
import { reporting } from './context.ts'
import { textTable } from './terminal.ts'

/** `npx surplus backtest`: the measures of the last full run, which the page /accuracy shows too. */
export function backtestCommand() {
  return reporting(
    ['backtest', 'print how far estimates of the loaded sales were off, each from the sales before its week'],
    readAccuracy,
    measured => {
      if (!measured?.accuracy.sales)
        return 'Nothing is measured yet: load past sales, then run npx surplus rescore.'
      const { by_grade, by_category, score_fifths, money, ...all } = measured.accuracy
      const groups = [
        { group: 'all', ...all },
        ...by_grade.map(one => ({ group: one.grade, ...one })),
        ...by_category.map(one => ({ group: one.category, ...one })),
      ]
      const tables = [
        groups.map(({ group, sales, error_factor, likely_hold_percent, range_hold_percent }) => ({
          group,
          sales,
          error_factor,
          likely_hold_percent,
          range_hold_percent,
        })),
        score_fifths,
        [money],
      ]
      return `Sales up to ${measured.as_of}:\n\n${tables.map(textTable).join('\n\n')}`
    },
  )
}
