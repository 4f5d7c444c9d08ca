import type { Accuracy } from '../domain/valuation/accuracy.ts'
import { LEAST_LOTS } from '../domain/valuation/bidPaths.ts'
import { backtestSales } from '../usecases/valuation/backtestSales.ts'
import { reporting } from './context.ts'
import { textTable } from './terminal.ts'

export function backtestCommand() {
  return reporting(
    ['backtest', 'estimate the sales of each week from the sales before it, and measure the errors'],
    sql => backtestSales(sql, new Date()),
    ({ accuracy, projection }) => [...judged(accuracy), '', ...projected(projection)].join('\n'),
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

function projected({ observed_lots, rows }: Awaited<ReturnType<typeof backtestSales>>['projection']) {
  if (!rows)
    return [
      `The projected close is a formula: ${observed_lots} lots with at least three observations of their bids have closed, and it is`,
      `learned from ${LEAST_LOTS} on. Nothing can be measured before.`,
    ]
  return [
    `The projected close, learned from ${observed_lots} lots with observed bids: each fifth of the lots from the other four, and by the formula.`,
    '',
    textTable(rows),
  ]
}
