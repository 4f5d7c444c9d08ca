import { formatNumber, formatPercent } from '../../domain/format.ts'
import type { Accuracy } from '../../domain/valuation/accuracy.ts'
import type { BidPaths } from '../../domain/valuation/bidPaths.ts'
import { CATEGORIES, moment } from '../kit/format.ts'
import { type Html, html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { table } from '../kit/table.ts'

/** Groups with fewer sales are left out: their percentages would be chance. */
const LEAST_SALES = 30

/** How far the estimates of the loaded sales were off. @param checked null while too few sales are loaded. */
export function accuracyPage(
  publicUrl: string,
  checked: { as_of: string; accuracy: Accuracy; bid_paths: BidPaths | null } | null,
): Page {
  return {
    title: 'Accuracy',
    content: html`<p class="lead">Every estimate is checked against sales it has not seen.</p>
${checked ? measured(checked.accuracy, checked.as_of) : html`<p>Too few sales are loaded to measure anything. The page fills itself with the sales.</p>`}
${checked?.bid_paths ? projected(checked.bid_paths) : ''}
<p><a href="/docs/flip-score">How value, bands and score are calculated</a>, and what they reached on sales of later days.</p>`,
    description: 'How far estimated values were off, what the bands held, and what the Flip Score was worth.',
    canonical: `${publicUrl}/accuracy`,
  }
}

type Group = Accuracy['by_third'][number]

function measured(accuracy: Accuracy, asOf: string): Html {
  const thirds = ['Lowest values', 'Middle values', 'Highest values']
  const categories = accuracy.by_category.filter(({ sales }) => sales >= LEAST_SALES)
  const groups: [name: string, group: Group][] = [
    ['All', accuracy],
    ...accuracy.by_third.map((third, n): [string, Group] => [thirds[n]!, third]),
    ...categories.map((group): [string, Group] => [CATEGORIES[group.category], group]),
  ]
  return html`<p>The newest ${formatNumber(accuracy.sales)} sales up to ${moment(asOf)}, in five groups of days: the prices of each group were estimated
from the other four, with bands that were set without them.</p>
<h2>Values and bands</h2>
<p>The typical miss is the factor by which half of the estimates were off, or less. The likely band should hold half of the prices, the range 80%.</p>
${table(
  [
    ['Sales', ([name]) => name],
    ['Number', ([, { sales }]) => sales, 'number'],
    ['Typical miss', ([, { error_factor }]) => factor(error_factor), 'number'],
    ['In the likely band', ([, { likely_hold_percent }]) => percent(likely_hold_percent), 'number'],
    ['In the range', ([, { range_hold_percent }]) => percent(range_hold_percent), 'number'],
  ],
  groups,
)}
<p>Categories with fewer than ${LEAST_SALES} sales are counted in the other rows only.</p>
<h2>The chance behind the Flip Score</h2>
<p>Each sale was scored at nine all-in costs, from a sixteenth to sixteen times its estimated value. The mean score should be the share, in percent,
that sold for more than this cost.</p>
${table<Accuracy['score_fifths'][number]>(
  [
    ['Score', ({ from_score }) => `${from_score} to ${from_score + 20}`],
    ['Number', ({ offers }) => offers, 'number'],
    ['Mean score', ({ mean_score }) => mean_score?.toFixed(0), 'number'],
    ['Sold for more', ({ above_percent }) => percent(above_percent), 'number'],
  ],
  accuracy.score_fifths,
)}`
}

function projected({ lots, accuracy }: BidPaths): Html {
  return html`<h2>The projected close</h2>
<p>${formatNumber(lots)} lots have closed whose bids were observed, in five groups by their end: the close of each group was projected from the bids of the
other four. The formula is what the projection rests on until 200 such lots have closed.</p>
${table<BidPaths['accuracy'][number]>(
  [
    ['Hours before the end', ({ hours }) => hours, 'number'],
    ['Lots', ({ lots }) => lots, 'number'],
    ['Typical miss', ({ error_factor }) => factor(error_factor), 'number'],
    ['Of the formula', ({ formula_error_factor }) => factor(formula_error_factor), 'number'],
    ['In the likely band', ({ likely_hold_percent }) => percent(likely_hold_percent), 'number'],
    ['In the range', ({ range_hold_percent }) => percent(range_hold_percent), 'number'],
  ],
  accuracy,
)}`
}

function factor(value: number | null | undefined): string {
  return `×${value?.toFixed(2) ?? '–'}`
}

function percent(value: number | null): string {
  return formatPercent(value === null ? null : Math.round(value))
}
