import tiles from '../../../data/state-tiles.json' with { type: 'json' }
import { nameOfState, STATE_NAMES } from '../../domain/feeds/states.ts'
import { compactDollars, count, formatNumber, roundedDollars } from '../../domain/format.ts'
import { type Html, html } from './html.ts'

/** A state on the map that has something to show. */
interface Tile {
  state: string
  lots: number
  /** Where a click leads. */
  href: string
  /** What lots sold for there, as a second line where it is known. */
  median_cents: number | null
}

/** The side of a tile and the distance between two, in units of the drawing. */
const [SIDE, STEP] = [60, 64]
/** Shades from the fewest lots to the most, by the logarithm: the busiest state may have thousands of times as many as the quietest. */
const SHADES = 4

/** The column and the row of each state. */
const STATE_TILES = tiles.rows.flatMap((row, y) =>
  row.split(/ +/).flatMap((state, x) => (STATE_NAMES.has(state) ? [{ state, x, y }] : [])),
)

/** The states as equal squares, roughly where they are; each with lots is a link. It needs no script, and a keyboard can walk through it. */
export function tileMap(states: Tile[], title: string): Html {
  const logs = states.flatMap(({ lots }) => (lots > 0 ? [Math.log(lots)] : []))
  const [least, most] = [Math.min(...logs), Math.max(...logs)]
  const byCode = new Map(states.map(tile => [tile.state, tile]))
  const drawn = STATE_TILES.map(({ state, x: column, y: row }) => {
    const [x, y] = [column * STEP, row * STEP]
    const tile = byCode.get(state)
    const middle = x + SIDE / 2
    const square = html`<rect x="${x}" y="${y}" width="${SIDE}" height="${SIDE}" rx="6"/><text class="code" x="${middle}" y="${y + 24}">${state}</text>`
    if (!tile || tile.lots === 0) return html`<g>${square}</g>`
    const share = (Math.log(tile.lots) - least) / (most - least || 1)
    const shade = 1 + Math.round((SHADES - 1) * share)
    const { lots, href, median_cents: median } = tile
    const price = median === null ? '' : `, median sale price about ${roundedDollars(median)}`
    const words = `${nameOfState(state)}: ${count(lots, 'live lot')}${price}`
    return html`<a class="shade-${shade}" href="${href}" rel="nofollow"><title>${words}</title>${square}<text class="amount" x="${middle}" y="${y + 40}">${formatNumber(lots)}</text>${median === null ? null : html`<text class="amount note" x="${middle}" y="${y + 54}">${compactDollars(median)}</text>`}</a>`
  })
  return html`<svg class="us-map" role="group" aria-label="${title}" viewBox="-2 -2 704 512" width="704" height="512">
${drawn}</svg>`
}

/** The same of the small map. */
const [SMALL_SIDE, SMALL_STEP] = [18, 20]

const SMALL_TILES = STATE_TILES.map(({ state, x, y }) => ({ state, x: x * SMALL_STEP, y: y * SMALL_STEP }))

/** A small map of the states as tiles with one of them marked; null for a state or territory that is not on it. */
export function stateMap(state: string | null): Html | null {
  const marked = SMALL_TILES.find(tile => tile.state === state)
  if (!marked) return null
  const others = SMALL_TILES.filter(tile => tile !== marked).map(
    ({ x, y }) => `M${x} ${y}h${SMALL_SIDE}v${SMALL_SIDE}h-${SMALL_SIDE}z`,
  )
  return html`<svg class="state-map" role="img" aria-label="${state} on a map of the states" viewBox="0 0 218 158" width="218" height="158">
<path d="${others.join('')}"/>
<rect x="${marked.x - 2}" y="${marked.y - 2}" width="${SMALL_SIDE + 4}" height="${SMALL_SIDE + 4}" rx="3"/>
<text x="${marked.x + SMALL_SIDE / 2}" y="${marked.y + 13}" text-anchor="middle">${state}</text>
</svg>`
}
