import { type Html, html } from './html.ts'
import { STATE_TILES } from './tileMap.ts'

/** The side of a tile and the distance between two, in units of the drawing. */
const SIDE = 18
const STEP = 20

const PLACES = STATE_TILES.map(({ state, x, y }) => ({ state, x: x * STEP, y: y * STEP }))

/** A small map of the states as tiles with one of them marked; null for a state or territory that is not on it. */
export function stateMap(state: string | null): Html | null {
  const marked = PLACES.find(place => place.state === state)
  if (!marked) return null
  const others = PLACES.filter(place => place !== marked).map(
    ({ x, y }) => `M${x} ${y}h${SIDE}v${SIDE}h-${SIDE}z`,
  )
  return html`<svg class="state-map" role="img" aria-label="${state} on a map of the states" viewBox="0 0 218 158" width="218" height="158">
<path d="${others.join('')}"/>
<rect x="${marked.x - 2}" y="${marked.y - 2}" width="${SIDE + 4}" height="${SIDE + 4}" rx="3"/>
<text x="${marked.x + SIDE / 2}" y="${marked.y + 13}" text-anchor="middle">${state}</text>
</svg>`
}
