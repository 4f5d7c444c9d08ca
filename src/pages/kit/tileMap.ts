import tiles from '../../../data/state-tiles.json' with { type: 'json' }
import { nameOfState, STATE_NAMES } from '../../domain/feeds/states.ts'
import { compactDollars, count, formatNumber, roundedDollars } from '../../domain/format.ts'
import type { StateShown } from '../../usecases/site/salePrices.ts'
import { html } from './html.ts'

/** The side of a tile and the distance between two, in units of the drawing. */
const [SIDE, STEP] = [60, 64]
/** Shades from the fewest lots to the most, by the logarithm: the busiest state may have thousands of times as many as the quietest. */
const SHADES = 4

/** The column and the row of each state. */
const STATE_TILES = tiles.rows.flatMap((row, y) =>
  row.split(/ +/).flatMap((state, x) => (STATE_NAMES.has(state) ? [{ state, x, y }] : [])),
)

/** The states as equal squares, roughly where they are; each with lots is a link. It needs no script, and a keyboard can walk through it. */
export function tileMap(states: StateShown[], title: string) {
  const logs = states.flatMap(({ live }) => (live > 0 ? [Math.log(live)] : []))
  const [least, most] = [Math.min(...logs), Math.max(...logs)]
  const byCode = new Map(states.map(tile => [tile.state, tile]))
  const drawn = STATE_TILES.map(({ state, x: column, y: row }) => {
    const [x, y] = [column * STEP, row * STEP]
    const tile = byCode.get(state)
    const middle = x + SIDE / 2
    const square = html`<rect x="${x}" y="${y}" width="${SIDE}" height="${SIDE}" rx="6"/><text class="code" x="${middle}" y="${y + 24}">${state}</text>`
    if (!tile || tile.live === 0) return html`<g>${square}</g>`
    const share = (Math.log(tile.live) - least) / (most - least || 1)
    const shade = 1 + Math.round((SHADES - 1) * share)
    const { live, median_cents: median } = tile
    const price = median === null ? '' : `, median sale price about ${roundedDollars(median)}`
    const words = `${nameOfState(state)}: ${count(live, 'live lot')}${price}`
    return html`<a class="shade-${shade}" href="/search?state=${state}" rel="nofollow"><title>${words}</title>${square}<text class="amount" x="${middle}" y="${y + 40}">${formatNumber(live)}</text>${median !== null && html`<text class="amount note" x="${middle}" y="${y + 54}">${compactDollars(median)}</text>`}</a>`
  })
  return html`<svg class="us-map" role="group" aria-label="${title}" viewBox="-2 -2 704 512" width="704" height="512">
${drawn}</svg>`
}
