import { compactDollars, count, niceAbove, roundedDollars, shortDollars } from '../../domain/format.ts'
import type { Price } from '../../domain/price.ts'
import type { Market } from '../../usecases/showListing.ts'
import { type Html, html } from './html.ts'

/** A price of the lot itself, drawn among the sales. */
export type MarkedPrice = Pick<Price, 'cents' | 'label'>

/** Space to the right of the largest price, so that its dot is not clipped. */
const MARGIN = 1.04
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
 * this lot as a mark. Positions are percentages, so that text and dots keep their size on a narrow screen.
 */
export function priceBand(market: Market, marked: MarkedPrice | null): Html {
  const { p25_cents, p50_cents, p75_cents, p90_cents } = market
  const drawn = market.prices.filter(cents => cents <= FAR * p90_cents)
  const most = Math.max(...drawn, p75_cents, marked?.cents ?? 0, 1) * MARGIN
  const at = (cents: number) => Math.round((cents / most) * 1000) / 10
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
        html`<circle class="sale" cx="${column * COLUMN}%" cy="${(base - DOT / 2 - 2 - n * step).toFixed(1)}" r="${DOT / 2}"/>
`,
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
<text class="sold" x="${x}%" y="${base + 20}" text-anchor="${anchor}">${cents === 0 ? '$0' : words}</text>
`
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
  const sales = `Of ${count(market.soldCount, 'similar sale')} in 365 days, half sold for about ${range(market)}; the median is about ${roundedDollars(market.p50_cents)}.`
  const bid = marked ? ` ${marked.label} of this lot: ${shortDollars(marked.cents)}.` : ''
  const key = ' Each dot is a sale; the middle half is shaded.'
  return `${sales}${bid}${key}${far > 0 ? ` ${count(far, 'sale')} far above are not drawn.` : ''}`
}
