import type { Accuracy } from '../domain/valuation/accuracy.ts'
import { LEAST_LOTS } from '../domain/valuation/bidPaths.ts'
import type { LoggedCloses } from '../infra/valuation/closeLog.ts'
import { backtestSales } from '../usecases/valuation/backtestSales.ts'
import { reporting } from './context.ts'
import { textTable } from './terminal.ts'

export function backtestCommand() {
  return reporting(
    ['backtest', 'estimate the sales of each week from the sales before it, and measure the errors'],
    sql => backtestSales(sql, new Date()),
    ({ accuracy, closes }) => [...judged(accuracy), '', ...projected(closes)].join('\n'),
  )
}

const DIGITS = [
  ['error_factor', 2],
  ['rank_correlation', 3],
  ['likely_hold_percent', 0],
  ['range_hold_percent', 0],
] as const

function judged(accuracy: Accuracy) {
  if (accuracy.sales === 0)
    return ['None of the eight weeks up to the newest sale has 50 sales, and 50 sales before it.']
  const groups = [
    { group: 'all', ...accuracy },
    ...accuracy.by_grade.map(one => ({ group: one.grade, ...one })),
    ...accuracy.by_category.map(one => ({ group: one.category, ...one })),
  ]
  return [
    `${accuracy.sales} sales of the newest weeks, each week estimated from the sales before it; ${accuracy.unvalued} more had no value.`,
    'An error factor of 2 means that the typical estimate is half or twice the price. The likely band should hold 50% of the prices, the',
    'range 80%. In parentheses: the lowest and the highest week.',
    '',
    textTable(
      groups.map(({ group, sales, by_week, ...all }) => {
        const measures = DIGITS.map(([name, digits]) => [name, withWeeks(all[name], by_week[name], digits)])
        return { group, sales, ...Object.fromEntries(measures) }
      }),
    ),
    '',
    'Scored at their prices, the sales whose title was sold again: the mean score should be the percentage that was sold again for more.',
    '',
    textTable(accuracy.score_fifths),
    '',
    'Of these, buying at every price up to the maximum bid:',
    '',
    textTable([accuracy.money]),
  ]
}

function withWeeks(all: number | null, weeks: [number, number] | null, digits: number) {
  const spread = weeks ? ` (${weeks.map(value => value.toFixed(digits)).join(' to ')})` : ''
  return `${all?.toFixed(digits) ?? '-'}${spread}`
}

function projected(closes: LoggedCloses[]) {
  if (closes.length === 0)
    return [`Fewer than ${LEAST_LOTS} lots whose close was logged before the end have a published price.`]
  return [
    'The likely close as it was logged before the end, against the published price:',
    '',
    textTable(closes),
  ]
}
