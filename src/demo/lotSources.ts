import states from '../../data/demo/places.json' with { type: 'json' }
import demoSources from '../../data/demo/sources.json' with { type: 'json' }
import sources from '../../data/sources.json' with { type: 'json' }
import type { PriceBasis } from '../domain/feeds/lotRow.ts'
import { CATEGORY_PROFILES } from './catalogue.ts'
import { weighted } from './random.ts'

/** A real city with one of its ZIP codes (GeoNames, CC BY 4.0). */
export type Place = (typeof PLACES)[number]

/** From every state, DC, PR, GU and VI; busy states more often. */
const PLACES = Object.entries(states).flatMap(([state, { weight, places }]) =>
  places.map(({ city, zip }) => ({ weight: weight / places.length, state, city, zip })),
)

/**
 * How one source sells. `starting`, `buy_now`, `graded`, `described`, `pictured` and `capitals` are the shares, 0 to 1, of lots with a
 * starting bid, a buy-now price, a condition, a description, a picture and a title in capitals; `bids` is the number of bids relative
 * to GSA Auctions, 0 where bids are not shown; `title_limit` counts characters.
 */
export type LotSource = (typeof LOT_SOURCES)[number]

/** Every source of `data/sources.json`, and how it sells. */
export const LOT_SOURCES = demoSources.map(({ profiles, path, calendar, home_state, ...habits }) => {
  const known = sources.find(row => row.key === habits.source)
  if (known === undefined) throw new Error(`The demo sells at ${habits.source}, which is not a source.`)
  const { origin } = new URL(known.homepage)
  return {
    ...habits,
    basis: habits.basis as PriceBasis,
    /** Open-ended sources list homes without dates or bids, and do not publish sales. */
    openEnded: calendar === 'open',
    /** The start of every address on the source's own site. */
    origin,
    /** The address of a lot, with `{…}` for its parts. */
    url: known.lot_url ?? origin + path,
    /** In one state, for the sites of a state, or anywhere in the country. */
    drawPlace: weighted(PLACES.filter(({ state }) => home_state === null || state === home_state)),
    drawProfile: weighted(
      Object.entries(profiles).map(([name, weight]) => ({ weight, profile: profileNamed(name) })),
    ),
  }
})

/** A source for a live lot, in proportion to its sales. */
export const drawSource = weighted(LOT_SOURCES)

/** A source for a closed or upcoming lot: only sources with end dates. */
export const drawClosingSource = weighted(LOT_SOURCES.filter(source => !source.openEnded))

function profileNamed(name: string) {
  const profile = CATEGORY_PROFILES.get(name)
  if (profile === undefined) throw new Error(`The demo has no profile ${name}.`)
  return profile
}
