import { count, dollars, wholeDollars } from '../../domain/format.ts'
import type { priceOf } from '../../domain/listingWords.ts'
import type { Market } from '../../usecases/showListing.ts'
import { dollarsShort } from '../layout/format.ts'
import { type Html, html } from '../layout/html.ts'

/** A price of the lot itself, drawn on the band of the sales. */
export type MarkedPrice = NonNullable<ReturnType<typeof priceOf>>

/** Space to the right of the largest price, so that its mark is not clipped. */
const MARGIN = 1.06

/**
 * The middle half of the prices of similar lots as a bar, the 10th and 90th percentiles as whiskers, and the price of this lot
 * as a mark. Positions are percentages, so that the text keeps its size on a narrow screen.
 */
export function priceBand(market: Market, marked: MarkedPrice | null): Html {
  const most = Math.max(market.p90_cents, marked?.cents ?? 0, 1) * MARGIN
  const at = (cents: number) => Math.round((cents / most) * 1000) / 10
  const [p10, p25, p50, p75, p90] = [
    at(market.p10_cents),
    at(market.p25_cents),
    at(market.p50_cents),
    at(market.p75_cents),
    at(market.p90_cents),
  ] as const
  return html`<figure class="band">
<svg role="img" aria-labelledby="band-words" width="100%" height="104">
<line class="axis" x1="0%" x2="100%" y1="58" y2="58"/>
<line class="whisker" x1="${p10}%" x2="${p90}%" y1="58" y2="58"/>
<rect class="half" x="${p25}%" width="${Math.max(0.5, p75 - p25).toFixed(1)}%" y="46" height="24" rx="4"/>
<line class="middle" x1="${p50}%" x2="${p50}%" y1="42" y2="74"/>
${label((p25 + p75) / 2, 94, 'sold', `sold ${range(market)}`)}
${marked ? mark(at(marked.cents), marked) : null}
</svg>
<figcaption id="band-words">${wordsOf(market, marked)}</figcaption>
</figure>`
}

function mark(x: number, { cents, kind }: MarkedPrice): Html {
  return html`<line class="mark" x1="${x}%" x2="${x}%" y1="28" y2="76"/>
<circle class="mark" cx="${x}%" cy="28" r="5"/>
${label(x, 16, 'marked', `${kind} ${dollarsShort(cents)}`)}`
}

/** A label at a position; near the edges it is aligned so that it stays inside the picture. */
function label(x: number, y: number, name: string, words: string): Html {
  if (x < 30) return html`<text class="${name}" x="0%" y="${y}">${words}</text>`
  if (x > 70) return html`<text class="${name}" x="100%" y="${y}" text-anchor="end">${words}</text>`
  return html`<text class="${name}" x="${x}%" y="${y}" text-anchor="middle">${words}</text>`
}

function range({ p25_cents, p75_cents }: Market): string {
  return p25_cents === p75_cents ? about(p25_cents) : `${about(p25_cents)} to ${about(p75_cents)}`
}

/** A rounded price; with cents only below $10. */
export function about(cents: number): string {
  return cents < 1_000 ? dollars(cents) : wholeDollars(cents)
}

function wordsOf(market: Market, marked: MarkedPrice | null): string {
  const sales = `Of ${count(market.soldCount, 'similar sale')} in 365 days, half went for about ${range(market)}; the middle one for about ${about(market.p50_cents)}.`
  return marked ? `${sales} ${marked.kind} of this lot: ${dollarsShort(marked.cents)}.` : sales
}
