import type { Schemas } from '../../contract/types.ts'
import {
  compactDollars,
  count,
  formatMoment,
  niceAbove,
  roundedDollars,
  shortDollars,
} from '../../domain/format.ts'
import type { Price } from '../../domain/price.ts'
import type { Market } from '../../usecases/showListing.ts'
import { moment } from './format.ts'
import { type Html, html } from './html.ts'

/** Maps 0 to `most` onto 0 to 100 percent. Drawings are stretched to the page: text and dots placed by percent keep their size. */
function percentScale(most: number): (value: number) => number {
  return value => Math.round((value / most) * 1000) / 10
}

interface Bar {
  /** What stands under its left edge; empty for none. */
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
/** A label that begins further right would not fit. */
const LAST_LABEL_PERCENT = 80

/**
 * Bars over a scale that begins at 0.
 * @param id of the caption, which also names the drawing.
 */
export function barChart(id: string, bars: Bar[], { most, written }: Axis, caption: Html): Html {
  const x = percentScale(bars.length)
  const y = percentScale(most)
  const drawn = bars.map(({ height, words }, n) => {
    if (height === null) return html``
    return html`<rect class="bar" x="${x(n)}%" y="${y(most - height)}%" width="${x(1 - GAP)}%" height="${y(height)}%"><title>${words}</title></rect>`
  })
  const labels = bars.map(({ label }, n) =>
    label === '' || x(n) > LAST_LABEL_PERCENT
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

/** Space above the highest bid and below the lowest, in percent of the height. */
const BID_MARGIN = 8

/**
 * The observed bids as a line of steps: a bid stands until the next one is seen. Null for fewer than two bids.
 * @param lastSeen when the lot was last seen, RFC 3339.
 */
export function bidLine(seen: Schemas['Bid'][], lastSeen: string): Html | null {
  const bids = seen.filter((bid): bid is Bid => bid.current_bid_cents !== null)
  const [first, last] = [bids[0], bids.at(-1)]
  if (!first || !last || first === last) return null
  const end = lastSeen > last.observed_at ? lastSeen : last.observed_at
  const from = Date.parse(first.observed_at)
  const amounts = bids.map(bid => bid.current_bid_cents)
  const [least, most] = [amounts.reduce((a, b) => Math.min(a, b)), amounts.reduce((a, b) => Math.max(a, b))]
  const across = percentScale(Math.max(1, Date.parse(end) - from))
  const x = (time: string) => across(Date.parse(time) - from).toFixed(1)
  const up = percentScale(most - least || 1)
  const y = (cents: number) => (100 - BID_MARGIN - up(cents - least) * (1 - BID_MARGIN / 50)).toFixed(1)
  // Of the bids at one place only the last is drawn: 5,000 points would be 100 kB.
  const drawn = bids.filter((bid, n) => !bids[n + 1] || x(bids[n + 1]!.observed_at) !== x(bid.observed_at))
  const steps = drawn.map(bid => `H${x(bid.observed_at)}V${y(bid.current_bid_cents)}`)
  return html`<h3 id="bids">Bids over time</h3>
<figure class="bid-line">
<svg role="img" aria-labelledby="bids bid-words" width="100%" height="176">
<text x="0" y="14">${shortDollars(most)}</text>
<svg y="20" width="100%" height="120" viewBox="0 0 100 100" preserveAspectRatio="none">
<path class="axis" d="M0 0V100H100"/>
<path class="bids" d="M0 ${y(drawn[0]!.current_bid_cents)}${steps.join('')}H100"/>
</svg>
<text x="0" y="156">${shortDollars(least)}</text>
<text x="0" y="172">${axisMoment(first.observed_at)}</text>
<text x="100%" y="172" text-anchor="end">${axisMoment(end)}</text>
</svg>
<figcaption id="bid-words">From ${shortDollars(first.current_bid_cents)} on ${moment(first.observed_at)} to ${shortDollars(last.current_bid_cents)} on ${moment(last.observed_at)}, in ${count(bids.length, 'observation')}. Bids between two observations are not seen.</figcaption>
</figure>`
}

/** For the axis: without the year. */
function axisMoment(iso: string): string {
  return formatMoment(iso, 'UTC', { month: 'short', day: 'numeric' })
}

/** A price of the lot itself, drawn among the sales. */
export type MarkedPrice = Pick<Price, 'cents' | 'label'>

/** Space to the right of the largest price, so that its dot is not clipped. */
const DOT_MARGIN = 1.04
/** Sales above so many times the 90th percentile are counted instead of drawn, so that the others do not shrink to a point. */
const FAR = 2
const MOST_TICKS = 5
/** The height of the dots' room and its distance from the top, and the height of a dot, in px. */
const ROOM = 78
const TOP = 44
const DOT = 9
/** Dots closer than so many percent of the width are stacked. */
const COLUMN = 3

/**
 * Each similar sale as a dot over an axis of dollars; behind them the middle half of the prices, their median as a line, and the price of
 * this lot as a mark.
 */
export function priceBand(market: Market, marked: MarkedPrice | null): Html {
  const { p25_cents, p50_cents, p75_cents, p90_cents } = market
  const drawn = market.prices.filter(cents => cents <= FAR * p90_cents)
  const most = Math.max(...drawn, p75_cents, marked?.cents ?? 0, 1) * DOT_MARGIN
  const at = percentScale(most)
  const base = TOP + ROOM
  const [left, right] = [at(p25_cents), at(p75_cents)]
  return html`<figure class="band">
<svg role="img" aria-labelledby="band-words" width="100%" height="${base + 24}">
<rect class="half" x="${left}%" width="${Math.max(0.5, right - left).toFixed(1)}%" y="${TOP}" height="${ROOM}"/>
<line class="axis" x1="0%" x2="100%" y1="${base}" y2="${base}"/>
${ticksOf(most).map(cents => tick(at(cents), base, cents))}
<line class="middle" x1="${at(p50_cents)}%" x2="${at(p50_cents)}%" y1="${TOP - 4}" y2="${base}"/>
${label(at(p50_cents), TOP - 8, 'sold', `median ${roundedDollars(p50_cents)}`)}
${dotsOf(drawn.map(at), base)}
${marked ? mark(at(marked.cents), base, marked) : null}
</svg>
<figcaption id="band-words">${wordsOf(market, marked, market.prices.length - drawn.length)}</figcaption>
</figure>`
}

/** Dots at the same place are stacked, closer together where they are many. */
function dotsOf(places: number[], base: number): Html[] {
  const columns = new Map<number, number[]>()
  for (const place of places) {
    const column = Math.round(place / COLUMN)
    columns.set(column, [...(columns.get(column) ?? []), place])
  }
  const tallest = Math.max(1, ...[...columns.values()].map(({ length }) => length))
  const step = Math.min(DOT + 1, (ROOM - DOT) / tallest)
  return [...columns].flatMap(([column, { length }]) =>
    Array.from(
      { length },
      (_, n) =>
        html`<circle class="sale" cx="${column * COLUMN}%" cy="${(base - DOT / 2 - 2 - n * step).toFixed(1)}" r="${DOT / 2}"/>`,
    ),
  )
}

/** Round amounts along the axis, from 0, in US cents: steps of 1, 2 or 5 times a power of ten. */
function ticksOf(most: number): number[] {
  const step = niceAbove(most / MOST_TICKS, [1, 2, 5, 10])
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, n) => n * step)
}

function tick(x: number, base: number, cents: number): Html {
  const anchor = x < 3 ? 'start' : x > 94 ? 'end' : 'middle'
  // On a phone, five labels of full amounts would overlap.
  const words = cents >= 1_000_000 ? compactDollars(cents) : roundedDollars(cents)
  return html`<line class="axis" x1="${x}%" x2="${x}%" y1="${base}" y2="${base + 5}"/>
<text class="sold" x="${x}%" y="${base + 20}" text-anchor="${anchor}">${cents === 0 ? '$0' : words}</text>`
}

function mark(x: number, base: number, { cents, label: name }: MarkedPrice): Html {
  return html`<line class="mark" x1="${x}%" x2="${x}%" y1="22" y2="${base}"/>
<circle class="mark" cx="${x}%" cy="22" r="5"/>
${label(x, 12, 'marked', `${name} ${shortDollars(cents)}`)}`
}

/** A label at a position; near the edges it is aligned so that it stays inside the picture. */
function label(x: number, y: number, name: string, words: string): Html {
  if (x < 30) return html`<text class="${name}" x="0%" y="${y}">${words}</text>`
  if (x > 70) return html`<text class="${name}" x="100%" y="${y}" text-anchor="end">${words}</text>`
  return html`<text class="${name}" x="${x}%" y="${y}" text-anchor="middle">${words}</text>`
}

function range({ p25_cents, p75_cents }: Market): string {
  return p25_cents === p75_cents
    ? roundedDollars(p25_cents)
    : `${roundedDollars(p25_cents)} to ${roundedDollars(p75_cents)}`
}

function wordsOf(market: Market, marked: MarkedPrice | null, far: number): string {
  const sales = `Of the ${count(market.soldCount, 'most similar sale')} in 365 days, half sold for about ${range(market)}; the median is about ${roundedDollars(market.p50_cents)}.`
  const bid = marked ? ` ${marked.label} of this lot: ${shortDollars(marked.cents)}.` : ''
  const key = ' Each dot is a sale; the middle half is shaded.'
  return `${sales}${bid}${key}${far > 0 ? ` ${count(far, 'sale')} far above ${far === 1 ? 'is' : 'are'} not drawn.` : ''}`
}
