import type { RequestHandler } from 'express'
import labels from '../../../data/labels.json' with { type: 'json' }
import { nameOfState } from '../../domain/feeds/states.ts'
import { count, roundedDollars } from '../../domain/format.ts'
import { type StateShown, showStates } from '../../usecases/site/salePrices.ts'
import { type Html, html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { noLots } from '../kit/noLots.ts'
import { sendPage } from '../kit/sendPage.ts'
import { OVERVIEW_KEPT_MS, pathOfState, type Site } from '../kit/site.ts'
import { type Column, table } from '../kit/table.ts'
import { tileMap } from '../kit/tileMap.ts'

/** Answers with the map of the states. */
export function sendMap({ deps, untilLotsChange }: Site): RequestHandler {
  const states = untilLotsChange(OVERVIEW_KEPT_MS, () => showStates(deps))
  return async (req, res) => {
    const found = await states()
    const empty = found.some(({ live }) => live > 0) ? null : await noLots(deps)
    await sendPage(req, res, mapPage(found, empty))
  }
}

function mapPage(states: StateShown[], empty: Html | null): Page {
  const total = states.reduce((sum, { live }) => sum + live, 0)
  return {
    title: 'Live lots by state',
    content: html`${empty ?? html`<p class="lead">${count(total, 'live lot')} with a known state. Click or tap a state to see its lots.</p>`}
<figure>
${tileMap(states, 'Live lots by state')}
<figcaption>${labels.notes.map}</figcaption>
</figure>
<h2 id="states">States</h2>
${table(
  COLUMNS,
  states.filter(({ live, sales }) => live + sales > 0),
)}
<p class="quiet">${labels.notes.state_medians}
<a href="/prices">What single items sell for</a>.</p>`,
    section: '/search',
    description: `${count(total, 'live government surplus lot')} on a map of the United States, with the median sale price of each state.`,
    canonical: '/map',
  }
}

const COLUMNS: Column<StateShown>[] = [
  ['State', lotsLink],
  ['Live lots', ({ live }) => live, 'number'],
  ['Median price', priceLink, 'number'],
  ['Sales in 365 days', ({ sales }) => sales, 'number'],
]

function lotsLink({ state, live }: StateShown) {
  const name = nameOfState(state)
  return live > 0 ? html`<a href="/search?state=${state}">${name}</a>` : name
}

function priceLink({ state, median_cents }: StateShown) {
  if (median_cents === null) return null
  return html`<a href="/lots/${pathOfState(state)}">${roundedDollars(median_cents)}</a>`
}
