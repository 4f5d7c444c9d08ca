import {
  compactDollars,
  count,
  niceAbove,
  roundedDollars,
  shortDollars,
} from '../../domain/format.ts'
import type { Price } from '../../domain/price.ts'
import { LETTER, PLOT, percentScale } from './drawings.ts'
import { type Html, html } from './html.ts'

/** A price of the lot itself, drawn among the sales. */
export type MarkedPrice = Pick<Price, 'cents' | 'label'>

/**
 * What stands on the ruler of a lot, in US cents; null where it is not known.
 */
export interface OnRuler {
  price: MarkedPrice | null
  limit: number | null
  typical: number | null
  /** The likely band of the lot. */
  likely: readonly [low: number, high: number] | null
  /** What similar lots sold for, and the median of that. */
  sales: readonly number[]
  median: number | null
  /** Whether these are real prices; else they are bids as last seen. */
  isReal: boolean
}

/** The signs of the ruler, for the words beside it. */
export const SIGNS = { price: '●', limit: '▲', typical: '◆' }

/**
 * Space to the right of the largest amount, so that its sign is not clipped.
 */
const MARGIN = 1.04
/**
 * Sales above so many times the other amounts are counted instead of drawn, so
 * that the others do not shrink to a point.
 */
const FAR = 2
const MOST_TICKS = 4
/**
 * The height of the dots' room, the place of the axis under it, and the height
 * of a dot, in px.
 */
const ROOM = 44
const BASE = 54
const DOT = 8
/** Dots closer than so many percent of the width are stacked. */
const COLUMN = 3

/**
 * The price now, the limit and the typical price of a lot over an axis of
 * dollars, with each similar sale as a dot; the likely band is shaded. An
 * amount beyond the axis stands at its end. Null where only the price would
 * stand on it.
 */
export function ruler({
  price,
  limit,
  typical,
  likely,
  sales,
  median,
  isReal,
}: OnRuler): Html | null {
  const ends = [limit, typical, likely?.[1], median].filter(
    cents => cents != null,
  )
  if (ends.length === 0) return null
  const reach = FAR * Math.max(...ends)
  const drawn = sales.filter(cents => cents <= reach)
  const most =
    Math.max(...ends, ...drawn, Math.min(price?.cents ?? 0, reach), 1) * MARGIN
  const scale = percentScale(most)
  const at = (cents: number) => scale(Math.min(cents, most))
  const far = sales.length - drawn.length
  const words = [
    price && `${price.label} ${shortDollars(price.cents)}`,
    limit !== null && `limit ${roundedDollars(limit)}`,
    typical !== null && `typical price about ${roundedDollars(typical)}`,
  ]
  const legend = [
    sales.length > 0 &&
      `Dots: ${count(sales.length, 'similar sale')}${isReal ? '' : ', as last seen'}${far > 0 ? `, ${far} beyond` : ''}.`,
    likely && 'Shaded: the likely range.',
  ]
  return html`<figure class="ruler">
<svg role="img" aria-label="${words.filter(Boolean).join(', ')}" width="100%" height="${BASE + 36}">
${likely && html`<rect class="half" x="${at(likely[0])}%" width="${Math.max(0.5, at(likely[1]) - at(likely[0])).toFixed(1)}%" y="${BASE - ROOM}" height="${ROOM}"/>`}
<line class="axis" x1="0%" x2="100%" y1="${BASE}" y2="${BASE}"/>
${ticksOf(most).map(cents => tick(at(cents), cents))}
${dotsOf(drawn.map(at))}
${typical !== null && html`<svg x="${at(typical)}%" y="${BASE}"><path class="typical" d="M0-9 9 0 0 9-9 0z"/></svg>`}
${limit !== null && html`<svg x="${at(limit)}%" y="${BASE}"><path class="limit" d="M0-2 9 14H-9z"/></svg>`}
${price && html`<circle class="price" cx="${at(price.cents)}%" cy="${BASE}" r="7"/>`}
</svg>
<figcaption>${legend.filter(Boolean).join(' ')}</figcaption>
</figure>`
}

/** Dots at the same place are stacked, closer together where they are many. */
function dotsOf(places: number[]): Html[] {
  const columns = new Map<number, number[]>()
  for (const place of places) {
    const column = Math.round(place / COLUMN)
    columns.set(column, [...(columns.get(column) ?? []), place])
  }
  const tallest = Math.max(
    1,
    ...[...columns.values()].map(({ length }) => length),
  )
  const step = Math.min(DOT + 1, (ROOM - DOT) / tallest)
  return [...columns].flatMap(([column, { length }]) =>
    Array.from({ length }, (_, n) => {
      const y = (BASE - DOT - 2 - n * step).toFixed(1)
      return html`<circle class="sale" cx="${column * COLUMN}%" cy="${y}" r="${DOT / 2}"/>`
    }),
  )
}

/**
 * Round amounts along the axis, from 0, in US cents: steps of 1, 2 or 5 times a
 * power of ten.
 */
function ticksOf(most: number): number[] {
  const step = niceAbove(most / MOST_TICKS, [1, 2, 5, 10])
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, n) => n * step)
}

/**
 * An amount under the axis; near its ends it is aligned so that it stays inside
 * the picture.
 */
function tick(x: number, cents: number): Html {
  // In a narrow box, labels of full amounts would overlap.
  const words =
    cents >= 1_000_000 ? compactDollars(cents) : roundedDollars(cents)
  const label = cents === 0 ? '$0' : words
  const share = (label.length * LETTER * 50) / PLOT
  const atRight = x > 100 - share ? 'end' : 'middle'
  const anchor = x < share ? 'start' : atRight
  return html`<line class="axis" x1="${x}%" x2="${x}%" y1="${BASE}" y2="${BASE + 5}"/>
<text x="${x}%" y="${BASE + 32}" text-anchor="${anchor}">${label}</text>`
}
