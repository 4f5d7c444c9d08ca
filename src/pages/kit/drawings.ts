import type { Schemas } from '../../contract/types.ts'
import {
  compactDollars,
  count,
  DAY,
  formatDate,
  formatMoment,
  roundedDollars,
  shortDollars,
} from '../../domain/format.ts'
import type { MonthMedian } from '../../infra/prices/prices.ts'
import { moment } from './format.ts'
import { type Html, html } from './html.ts'

/**
 * Maps 0 to `most` onto 0 to 100 percent. Drawings are stretched to the page:
 * text and dots placed by percent keep their size.
 */
export function percentScale(most: number) {
  return (value: number) => Math.round((value / most) * 1000) / 10
}

interface Bar {
  /** Stands under its left edge where there is room for it; empty for none. */
  label: string
  /** Null: nothing is drawn. */
  height: number | null
  /** Shown when a pointer rests on it. */
  words: string
}

interface Axis {
  /** The height of the plot, in the unit of the bars. */
  most: number
  /** Names a height. */
  written: (height: number) => string
}

/** Between two bars, in widths of one. */
const GAP = 0.1
/** The width of a plot on a narrow phone, and of a letter of a label, in px. */
export const [PLOT, LETTER] = [270, 8]
const SPACE = 12

/**
 * Bars over a scale that begins at 0.
 * @param id of the caption, which also names the drawing.
 */
export function barChart(
  id: string,
  bars: Bar[],
  { most, written }: Axis,
  caption: string,
): Html {
  const x = percentScale(bars.length)
  const y = percentScale(most)
  const drawn = bars.map(({ height, words }, n) => {
    if (height === null) return html``
    return html`<rect class="bar" x="${x(n)}%" y="${y(most - height)}%" width="${x(1 - GAP)}%" height="${y(height)}%"><title>${words}</title></rect>`
  })
  const widest = Math.max(...bars.map(({ label }) => label.length)) * LETTER
  const named = bars.flatMap(({ label }, n) =>
    label === '' ? [] : [{ label, n }],
  )
  const apart = (named[1]?.n ?? 1) - (named[0]?.n ?? 0)
  const every = Math.ceil((bars.length * (widest + SPACE)) / (PLOT * apart))
  const labels = named.map(({ label, n }, index) =>
    index % every > 0 || (x(n) / 100) * PLOT + widest > PLOT
      ? html``
      : html`<line x1="${x(n)}%" x2="${x(n)}%" y1="160" y2="166"/><text x="${x(n)}%" y="182">${label}</text>`,
  )
  return html`<figure class="bars">
<div class="plot"><div class="scale" aria-hidden="true"><span>${written(most)}</span><span>${written(most / 2)}</span><span>0</span></div>
<svg role="img" aria-labelledby="${id}" width="100%" height="190">
<line x1="0" x2="100%" y1="0.5" y2="0.5"/><line x1="0" x2="100%" y1="80" y2="80"/>
<svg width="100%" height="160">${drawn}</svg>
<line x1="0" x2="100%" y1="160" y2="160"/>
${labels}</svg></div>
<figcaption id="${id}">${caption}</figcaption>
</figure>`
}

type Bid = Schemas['Bid'] & { current_bid_cents: number }

/**
 * Space above the highest bid and below the lowest, in percent of the height.
 */
const BID_MARGIN = 8

/**
 * The observed bids as a line of steps: a bid stands until the next one is
 * seen. Null for fewer than two bids.
 * @param lastSeen when the lot was last seen, RFC 3339.
 */
export function bidLine(seen: Schemas['Bid'][], lastSeen: string): Html | null {
  const bids = seen.filter((bid): bid is Bid => bid.current_bid_cents !== null)
  const [first, last] = [bids[0], bids.at(-1)]
  if (!first || !last || first === last) return null
  const end = lastSeen > last.observed_at ? lastSeen : last.observed_at
  const from = Date.parse(first.observed_at)
  const amounts = bids.map(bid => bid.current_bid_cents)
  const [least, most] = [Math.min(...amounts), Math.max(...amounts)]
  const isOneDay = first.observed_at.slice(0, 10) === end.slice(0, 10)
  // Two days and times would overlap on a phone; the caption has them.
  const onAxis = (iso: string) =>
    isOneDay ? formatMoment(iso, 'UTC', {}) : formatDate(iso, DAY)
  const across = percentScale(Math.max(1, Date.parse(end) - from))
  const x = (time: string) => across(Date.parse(time) - from).toFixed(1)
  const up = percentScale(most - least || 1)
  const y = (cents: number) =>
    (100 - BID_MARGIN - up(cents - least) * (1 - BID_MARGIN / 50)).toFixed(1)
  // Of the bids at one place only the last is drawn: 5,000 points would be 100
  // kB.
  const drawn = bids.filter(
    (bid, n) =>
      !bids[n + 1] || x(bids[n + 1]!.observed_at) !== x(bid.observed_at),
  )
  const steps = drawn.map(
    bid => `H${x(bid.observed_at)}V${y(bid.current_bid_cents)}`,
  )
  return html`<h3 id="bids">Bids over time</h3>
<figure class="bid-line">
<svg role="img" aria-labelledby="bids bid-words" width="100%" height="176">
<text x="0" y="14">${shortDollars(most)}</text>
<svg y="20" width="100%" height="120" viewBox="0 0 100 100" preserveAspectRatio="none">
<path class="axis" d="M0 0V100H100"/>
<path class="bids" d="M0 ${y(drawn[0]!.current_bid_cents)}${steps.join('')}H100"/>
</svg>
<text x="0" y="156">${shortDollars(least)}</text>
<text x="0" y="172">${onAxis(first.observed_at)}</text>
<text x="100%" y="172" text-anchor="end">${onAxis(end)}</text>
</svg>
<figcaption id="bid-words">From ${shortDollars(first.current_bid_cents)} on ${moment(first.observed_at)} to ${shortDollars(last.current_bid_cents)} on ${moment(last.observed_at)}, in ${count(bids.length, 'observation')}. Bids between two observations are not seen.</figcaption>
</figure>`
}

/** Fewer points say nothing about time. */
const LEAST_POINTS = 3

/**
 * A line over twelve months without axes, from its lowest to its highest price;
 * null for fewer than three months.
 */
export function sparkline(months: MonthMedian[]): Html | null {
  if (months.length < LEAST_POINTS) return null
  const cents = months.map(([, median]) => median)
  const [least, most] = [Math.min(...cents), Math.max(...cents)]
  const points = months.map(
    ([ago, median]) =>
      `${110 - 10 * ago},${100 - percentScale(most - least || 1)(median - least)}`,
  )
  return html`<svg class="spark" role="img" aria-label="Medians by month: ${roundedDollars(least)} to ${roundedDollars(most)}" viewBox="0 -5 110 110" preserveAspectRatio="none"><polyline vector-effect="non-scaling-stroke" points="${points.join(' ')}"/></svg>`
}

/** The height of a square plot, in px. */
const PLOT_HEIGHT = 280

/**
 * Estimate and price of each sale as a dot over two axes of dollars by powers
 * of ten; on the line they are equal.
 * @param dots in US cents.
 * @param factor the thin lines beside it stand for so many times more and less.
 */
export function dotPlot(
  dots: readonly (readonly [value_cents: number, price_cents: number])[],
  factor: number,
  caption: Html,
): Html {
  const logarithms = dots.flat().map(cents => Math.log10(Math.max(100, cents)))
  const [least, most] = [
    Math.floor(Math.min(...logarithms)),
    Math.ceil(Math.max(...logarithms)),
  ]
  const across = percentScale(most - least || 1)
  const at = (cents: number) => across(Math.log10(Math.max(100, cents)) - least)
  const ticks = Array.from({ length: most - least + 1 }, (_, n) => ({
    place: across(n),
    cents: 10 ** (least + n),
  }))
  const apart = across(Math.log10(factor))
  const equal = (shift: number, name: string) =>
    html`<line class="${name}" x1="0%" y1="${100 - shift}%" x2="100%" y2="${-shift}%"/>`
  return html`<figure class="dots">
<svg role="img" aria-labelledby="dots-words" width="100%" height="${PLOT_HEIGHT + 24}">
<svg class="plot" width="100%" height="${PLOT_HEIGHT}">
${ticks.map(({ place }) => html`<line class="axis" x1="${place}%" y1="0%" x2="${place}%" y2="100%"/><line class="axis" x1="0%" y1="${100 - place}%" x2="100%" y2="${100 - place}%"/>`)}
${dots.map(([value, price]) => html`<circle class="sale" cx="${at(value)}%" cy="${(100 - at(price)).toFixed(1)}%" r="3"/>`)}
${equal(0, 'equal')}${equal(apart, 'near')}${equal(-apart, 'near')}
</svg>
${ticks.map(({ place, cents }, n) => html`<text x="${place}%" y="${PLOT_HEIGHT + 18}" text-anchor="${anchorOf(n, ticks.length)}">${compactDollars(cents)}</text>`)}
</svg>
<figcaption id="dots-words">${caption}</figcaption>
</figure>`
}

function anchorOf(n: number, count: number): string {
  if (n === 0) return 'start'
  return n === count - 1 ? 'end' : 'middle'
}

/**
 * A line over two axes from 0 to 100 %, beside the one on which both are equal.
 * @param points in percent.
 */
export function percentLine(
  points: readonly (readonly [x: number, y: number])[],
  caption: Html,
): Html {
  return html`<figure class="dots">
<svg role="img" aria-labelledby="line-words" width="100%" height="204">
<svg class="plot" width="100%" height="180" viewBox="0 0 100 100" preserveAspectRatio="none">
<path class="near" d="M0 100L100 0"/>
<path class="line" d="M${points.map(([x, y]) => `${x} ${100 - y}`).join('L')}"/>
</svg>
<text x="0%" y="198">0%</text><text x="50%" y="198" text-anchor="middle">50%</text><text x="100%" y="198" text-anchor="end">100%</text>
</svg>
<figcaption id="line-words">${caption}</figcaption>
</figure>`
}
