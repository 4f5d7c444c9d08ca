import { compactDollars, count, niceAbove, roundedDollars, shortDollars } from '../../domain/format.ts'
import type { Price } from '../../domain/price.ts'
import type { Market } from '../../usecases/showListing.ts'
import { LETTER, PLOT, percentScale } from './drawings.ts'
import { html } from './html.ts'

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
 * Each similar sale as a dot over an axis of dollars; behind them the middle half of the prices, and lines for their median, the price of
 * this lot and its value. A price beyond the axis stands at its end.
 */
export function priceBand(market: Market, marked: MarkedPrice | null, value_cents: number | null) {
  const { p25_cents, p50_cents, p75_cents, p90_cents } = market
  const drawn = market.prices.filter(cents => cents <= FAR * p90_cents)
  const prices = [marked?.cents ?? 0, value_cents ?? 0].filter(cents => cents <= FAR * p90_cents)
  const most = Math.max(...drawn, ...prices, p75_cents, 1) * DOT_MARGIN
  const scale = percentScale(most)
  const at = (cents: number) => scale(Math.min(cents, most))
  const base = TOP + ROOM
  const [left, right] = [at(p25_cents), at(p75_cents)]
  const arrow = marked && marked.cents > most ? ' →' : ''
  // Their words are drawn after all lines, which would cross them.
  const marks: [cents: number, y: number, name: string, words: string][] = []
  if (value_cents) marks.push([value_cents, 34, 'value', `this lot about ${roundedDollars(value_cents)}`])
  if (marked)
    marks.push([marked.cents, 12, 'marked', `${marked.label} ${shortDollars(marked.cents)}${arrow}`])
  return html`<figure class="band">
<svg role="img" aria-labelledby="band-words" width="100%" height="${base + 42}">
<rect class="half" x="${left}%" width="${Math.max(0.5, right - left).toFixed(1)}%" y="${TOP}" height="${ROOM}"/>
<line class="axis" x1="0%" x2="100%" y1="${base}" y2="${base}"/>
<line class="median" x1="${at(p50_cents)}%" x2="${at(p50_cents)}%" y1="${TOP}" y2="${base + 26}"/>
${ticksOf(most).map(cents => tick(at(cents), base, cents))}
${underAxis(at(p50_cents), base + 38, `median ${roundedDollars(p50_cents)}`)}
${dotsOf(drawn.map(at), base)}
${marks.map(([cents, y, name]) => html`<line class="${name}" x1="${at(cents)}%" x2="${at(cents)}%" y1="${y + 4}" y2="${base}"/>`)}
${marks.map(([cents, y, name, words]) => beside(at(cents), y, name, words))}
</svg>
<figcaption id="band-words">${wordsOf(market, marked, value_cents, market.prices.length - drawn.length)}</figcaption>
</figure>`
}

/** Dots at the same place are stacked, closer together where they are many. */
function dotsOf(places: number[], base: number) {
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
function ticksOf(most: number) {
  const step = niceAbove(most / MOST_TICKS, [1, 2, 5, 10])
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, n) => n * step)
}

/** A label below the axis; near its ends it is aligned so that it stays inside the picture. */
function underAxis(x: number, y: number, words: string) {
  const share = (words.length * LETTER * 50) / PLOT
  const anchor = x < share ? 'start' : x > 100 - share ? 'end' : 'middle'
  return html`<text class="sold" x="${x}%" y="${y}" text-anchor="${anchor}">${words}</text>`
}

function tick(x: number, base: number, cents: number) {
  // On a phone, five labels of full amounts would overlap.
  const words = cents >= 1_000_000 ? compactDollars(cents) : roundedDollars(cents)
  return html`<line class="axis" x1="${x}%" x2="${x}%" y1="${base}" y2="${base + 5}"/>
${underAxis(x, base + 20, cents === 0 ? '$0' : words)}`
}

/** The words of a line at x, to the side where there is more room; moved where they would leave the picture on a phone. */
function beside(x: number, y: number, name: string, words: string) {
  const width = Math.min(100, (words.length * LETTER * 100) / PLOT)
  const place = x > 50 ? Math.max(x, width) : Math.min(x, 100 - width)
  return html`<text class="${name}" x="${place}%" y="${y}"${x > 50 && html` text-anchor="end"`}>${words}</text>`
}

function range({ p25_cents, p75_cents }: Market) {
  return p25_cents === p75_cents
    ? roundedDollars(p25_cents)
    : `${roundedDollars(p25_cents)} to ${roundedDollars(p75_cents)}`
}

function wordsOf(market: Market, marked: MarkedPrice | null, value_cents: number | null, far: number) {
  const half = market.isReal ? 'as they were, half sold for' : 'as last seen, half were at'
  return [
    `Of the ${count(market.soldCount, 'most similar sale')} in 365 days, ${half} about ${range(market)}; the median is about ${roundedDollars(market.p50_cents)}.`,
    value_cents !== null && `Adjusted for this lot: about ${roundedDollars(value_cents)}.`,
    marked && `${marked.label} of this lot: ${shortDollars(marked.cents)}.`,
    'Each dot is a sale; the middle half is shaded.',
    far > 0 && `${count(far, 'sale')} far above ${far === 1 ? 'is' : 'are'} not drawn.`,
  ]
    .filter(Boolean)
    .join(' ')
}
