import tiles from '../../../data/state-tiles.json' with { type: 'json' }
import { nameOfState } from '../../domain/feeds/states.ts'
import { formatNumber } from '../../domain/format.ts'
import { type Html, html } from '../kit/html.ts'
import { pathOfState } from '../kit/site.ts'

/**
 * Shades from the fewest lots to the most, by logarithm: a state may have 1,000
 * times those of another.
 */
const SHADES = 4
const NO_STATE = '.'
const CELLS = tiles.rows.flatMap(row => row.trim().split(/ +/))

/**
 * A map of the states as a list of equal tiles, roughly where they are; on a
 * phone they stand in rows, without the gaps between them. A tile of a state
 * with live lots says how many, and leads to them.
 * @param counts the live lots by the code of the state; a state without lots
 * may be absent.
 */
export function stateTiles(counts: Record<string, number>): Html {
  const logarithms = CELLS.flatMap(code =>
    counts[code] ? [Math.log(counts[code])] : [],
  )
  const [least, most] = [Math.min(...logarithms), Math.max(...logarithms)]
  const cells = CELLS.map(code => {
    if (code === NO_STATE)
      return html`<li class="no-state" aria-hidden="true"></li>`
    const abbreviation = html`<abbr title="${nameOfState(code)}">${code}</abbr>`
    const live = counts[code]
    if (!live) return html`<li><span>${abbreviation}</span></li>`
    const share = (Math.log(live) - least) / (most - least || 1)
    const shade = 1 + Math.round((SHADES - 1) * share)
    const words = html`<span class="unseen">, ${nameOfState(code)}: </span>${formatNumber(live)}`
    const path = `/lots/${pathOfState(code)}`
    return html`<li><a class="shade-${shade}" href="${path}">${abbreviation}${words}</a></li>`
  })
  return html`<ul class="states">
${cells.map(cell => html`${cell}\n`)}</ul>`
}
