import states from '../../data/demo/places.json' with { type: 'json' }
import demoSources from '../../data/demo/sources.json' with { type: 'json' }
import type { PriceBasis } from '../domain/feeds/lotRow.ts'
import { CATEGORY_PROFILES } from './catalogue.ts'
import { weighted } from './random.ts'

/** Real cities with one of their ZIP codes each (GeoNames, CC BY 4.0), from every state, DC, PR, GU and VI; busy states more often. */
const PLACES = Object.entries(states).flatMap(([state, { weight, places }]) =>
  places.map(({ city, zip }) => ({ weight: weight / places.length, state, city, zip })),
)

/**
 * How one source sells. `starting`, `buy_now`, `graded`, `described` and `capitals` are the shares, 0 to 1, of lots with a starting bid, a
 * buy-now price, a condition, a description and a title in capitals; `bids` is the number of bids relative
 * to GSA Auctions, 0 where bids are not shown; `title_limit` counts characters.
 */
export type LotSource = (typeof LOT_SOURCES)[number]

/**
 * The federal sources, whose lots anyone may read: no other source has agreed to be read by programs, so the demo shows no lots as if
 * they had been fetched there.
 */
const LOT_SOURCES = demoSources.map(({ profiles, calendar, ...habits }) => ({
  ...habits,
  basis: habits.basis as PriceBasis,
  /** Open-ended sources list homes without dates or bids, and do not publish sales. */
  openEnded: calendar === 'open',
  drawProfile: weighted(
    Object.entries(profiles).map(([name, weight]) => ({ weight, profile: profileNamed(name) })),
  ),
}))

export const drawPlace = weighted(PLACES)

/** A source for a live lot, in proportion to its sales. */
export const drawSource = weighted(LOT_SOURCES)

/** A source for a closed or upcoming lot: only sources with end dates. */
export const drawClosingSource = weighted(LOT_SOURCES.filter(source => !source.openEnded))

function profileNamed(name: string) {
  const profile = CATEGORY_PROFILES.get(name)
  if (profile === undefined) throw new Error(`The demo has no profile ${name}.`)
  return profile
}
