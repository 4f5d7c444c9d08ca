import labels from '../../../data/labels.json' with { type: 'json' }
import type { Accuracy } from '../../domain/appraisal/accuracy.ts'
import {
  count,
  formatNumber,
  formatPercent,
  wholeDollars,
} from '../../domain/format.ts'
import { LEAST_LOTS } from '../../domain/valuation/bidPaths.ts'
import type { LoggedCloses } from '../../infra/valuation/closeLog.ts'
import type { SettledLimits } from '../../infra/valuation/limitLog.ts'
import type { ModelAccuracy } from '../../infra/valuation/models.ts'
import { dotPlot, percentLine } from '../kit/drawings.ts'
import { CATEGORIES, moment } from '../kit/format.ts'
import { filledHtml, html, type Value } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { type Column, table } from '../kit/table.ts'

/** Groups with fewer sales are left out: their percentages would be chance. */
const LEAST_SALES = 30

/**
 * How far the estimates of the loaded sales, and the closes logged here, were
 * off.
 * @param checked null while too few sales are loaded.
 */
export function accuracyPage(
  checked: ModelAccuracy | null,
  closes: LoggedCloses[],
  limits: SettledLimits[],
): Page {
  return {
    title: 'Accuracy',
    content: html`${checked ? measured(checked.accuracy, checked.as_of) : html`<p class="lead">Every estimate is checked against sales it has not seen.</p><p>${labels.notes.not_measured}</p>`}
${projected(closes)}
${settled(limits)}
<p><a href="/docs/flip-score">How value, bands and score are calculated</a>. <a href="/docs/estimates">Estimates that were logged before the price was known</a> can be checked by anyone.</p>`,
    description:
      'How far estimated values were off, what the bands held, and what the Flip Score was worth.',
    canonical: '/accuracy',
  }
}

type Group = Omit<Accuracy['by_grade'][number], 'grade'>

const GRADES = {
  comparables: 'From similar sales',
  few: 'Rough: from a few',
  words: 'Rough guesses from the title',
}

/** An explanation of `data/labels.json`, with its values. */
function explained(
  name: keyof typeof labels.accuracy,
  values: Record<string, Value> = {},
) {
  return filledHtml(labels.accuracy[name].join(' '), values)
}

function measured(accuracy: Accuracy, asOf: string) {
  const groups = [
    { name: 'All', ...accuracy },
    ...accuracy.by_grade.map(group => ({
      name: GRADES[group.grade],
      ...group,
    })),
    ...accuracy.by_category.map(group => ({
      name: CATEGORIES[group.category],
      ...group,
    })),
  ]
  const { error_factor, sales, real_sales, unvalued, seen_sales, dots, held } =
    accuracy
  const isReal = real_sales >= sales
  const near = (error_factor ?? 1).toFixed(1)
  const points = held.map(
    ({ promised_percent, held_percent }) =>
      [promised_percent, held_percent ?? 0] as const,
  )
  return html`<p class="lead">Half of our estimates were within ×${near} of the ${isReal ? 'price' : 'last bid seen'}.</p>
<p>Each of these ${count(sales, 'sale')} was estimated from earlier sales alone. ${explained(isReal ? 'real' : 'seen', { real: formatNumber(real_sales), seen: formatNumber(seen_sales) })}</p>
${dotPlot(dots, error_factor ?? 1, explained(isReal ? 'dots' : 'dots_seen', { factor: near }))}
${percentLine(points, explained('held'))}
<details><summary>All measures, by grade and category</summary>
<p>${explained('measured', { as_of: moment(asOf), sales: formatNumber(sales), unvalued: formatNumber(unvalued) })}</p>
<h2>Values and bands</h2>
<p>${explained('measures')}</p>
${table(
  [
    ['Sales', ({ name }) => name],
    ['Number', ({ sales }) => sales, 'number'],
    ['Typical miss', one => spread(one, 'error_factor', factor), 'number'],
    ['Rank', one => spread(one, 'rank_correlation', rank), 'number'],
    [
      'In the likely band',
      one => spread(one, 'likely_hold_percent', percent),
      'number',
    ],
    [
      'In the range',
      one => spread(one, 'range_hold_percent', percent),
      'number',
    ],
  ],
  groups.filter(({ sales }) => sales >= LEAST_SALES),
)}
<p>Groups with fewer than ${LEAST_SALES} sales are counted in the first row only.</p>
${resold(accuracy)}
</details>`
}

function resold({ score_fifths, money }: Accuracy) {
  if (money.sales < LEAST_SALES)
    return html`<p>What the Flip Score and the maximum bid were worth needs ${LEAST_SALES} sales whose title was sold again; there are ${money.sales}.</p>`
  const {
    bought,
    lost,
    promised_margin_cents: promised,
    actual_margin_cents: actual,
  } = money
  return html`<h2>The chance behind the Flip Score</h2>
<p>${explained('chance', { sales: formatNumber(money.sales) })}</p>
${table(
  [
    ['Score', ({ from_score }) => `${from_score} to ${from_score + 20}`],
    ['Number', ({ sales }) => sales, 'number'],
    ['Mean score', ({ mean_score }) => mean_score?.toFixed(0), 'number'],
    [
      'Sold again for more',
      ({ above_percent, sales }) => withError(above_percent, sales),
      'number',
    ],
  ],
  score_fifths,
)}
<h2>The test in money</h2>
<p>${explained(bought < LEAST_SALES ? 'no_money' : 'money', { bought, lost, paid: wholeDollars(money.paid_cents), promised: wholeDollars(promised), actual: wholeDollars(actual), kept: percent((100 * actual) / promised), share: withError(bought === 0 ? null : (100 * lost) / bought, bought) })}</p>`
}

function projected(closes: LoggedCloses[]) {
  const measured = table(
    [
      ['Hours before the end', ({ hours }) => hours, 'number'],
      ['Lots', ({ lots }) => lots, 'number'],
      ['Typical miss', ({ error_factor }) => factor(error_factor), 'number'],
      [
        'In the likely band',
        ({ likely_hold_percent }) => percent(likely_hold_percent),
        'number',
      ],
    ],
    closes,
  )
  return html`<h2>Will close at</h2>
<p>${explained('projected', { lots: LEAST_LOTS })}</p>
${closes.length > 0 && measured}`
}

const SETTLED = [
  ['Closed', 'closed'],
  ['Price known', 'with_price'],
  ['At or under', 'under'],
  ['Paid', 'paid_cents'],
  ['Sold again', 'resold'],
  ['Paid for these', 'paid_of_resold_cents'],
  ['Resold for', 'resold_cents'],
  ['Left', 'left_cents'],
] as const

function settled(limits: SettledLimits[]) {
  const known = SETTLED.map(
    ([name, key]): Column<SettledLimits> => [
      name,
      one => amount(key, one[key]),
      'number',
    ],
  )
  return html`<h2 id="limits">Lots that closed at or under our limit</h2>
<p>${explained(limits.length > 0 ? 'limits' : 'no_limits')}</p>
${limits.length > 0 && table([['Month', one => one.month ?? 'All'], ['Limit from', one => one.grade && GRADES[one.grade]], ...known], limits)}`
}

function amount(key: string, value: number | null) {
  return value !== null && key.endsWith('_cents')
    ? wholeDollars(value)
    : (value ?? 'not known yet')
}

/** A measure, and its lowest and highest week. */
function spread(
  group: Group,
  name: keyof Group['by_week'],
  show: (value: number | null) => string,
) {
  const weeks = group.by_week[name]
  return `${show(group[name])}${weeks ? ` (${weeks.map(show).join(' to ')})` : ''}`
}

/**
 * A share in percent of so many, with two standard errors (Agresti and Coull:
 * of two more on either side, so that 100% has one too).
 */
function withError(share: number | null, count: number) {
  if (share === null) return percent(null)
  const likely = ((share / 100) * count + 2) / (count + 4)
  return `${percent(share)} ± ${Math.round(200 * Math.sqrt((likely * (1 - likely)) / (count + 4)))}`
}

function factor(value: number | null) {
  return `×${value?.toFixed(2) ?? '–'}`
}

function rank(value: number | null) {
  return value?.toFixed(2).replace('-', '−') ?? '–'
}

function percent(value: number | null) {
  return formatPercent(value === null ? null : Math.round(value))
}
