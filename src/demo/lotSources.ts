import demoSources from '../../data/demo/sources.json' with { type: 'json' }
import sources from '../../data/sources.json' with { type: 'json' }
import type { PriceBasis } from '../domain/feeds/lotRow.ts'
import { CATEGORY_PROFILES, type CategoryProfile } from './catalogue.ts'
import { drawPlace, type Place, placesOf } from './places.ts'
import { type Random, weighted } from './random.ts'

type IdStyle = 'sale' | 'vin' | 'case' | 'number' | 'slug' | 'catalog' | 'asset' | 'letters'

/** How one source sells. The shares are 0 to 1. */
export interface LotSource {
  source: string
  weight: number
  ids: IdStyle
  /** The start of every address on the source's own site. */
  origin: string
  /** The address of a lot, with `{…}` for its parts. */
  url: string
  /** Open-ended sources list homes without dates or bids, and do not publish sales. */
  openEnded: boolean
  basis: PriceBasis
  /** The number of bids relative to GSA Auctions; 0 where bids are not shown. */
  bids: number
  /** The share of lots with a starting bid, a buy-now price, a condition, a description, a picture, a title in capitals. */
  starting: number
  buy_now: number
  graded: number
  described: number
  pictured: number
  capitals: number
  /** The longest title, in characters. */
  title_limit: number
  drawProfile: (random: Random) => CategoryProfile
  /** In one state, for the sites of a state, or anywhere in the country. */
  drawPlace: (random: Random) => Place
}

/** Every source of `data/sources.json`, and how it sells. */
export const LOT_SOURCES: readonly LotSource[] = demoSources.map(
  ({ profiles, path, calendar, home_state, ...habits }) => {
    const known = sources.find(row => row.key === habits.source)
    if (known === undefined) throw new Error(`The demo sells at ${habits.source}, which is not a source.`)
    const origin = new URL(known.homepage).origin
    return {
      ...habits,
      ids: habits.ids as IdStyle,
      basis: habits.basis as PriceBasis,
      openEnded: calendar === 'open',
      origin,
      url: known.lot_url ?? origin + path,
      drawPlace: home_state === null ? drawPlace : placesOf(home_state),
      drawProfile: weighted(
        Object.entries(profiles).map(([name, weight]) => ({ weight, value: profileNamed(name) })),
      ),
    }
  },
)

/** A source for a live lot, in proportion to its sales. */
export const drawSource = weighted(LOT_SOURCES.map(source => ({ weight: source.weight, value: source })))

/** A source for a closed or upcoming lot: only sources with end dates. */
export const drawClosingSource = weighted(
  LOT_SOURCES.filter(source => !source.openEnded).map(source => ({ weight: source.weight, value: source })),
)

function profileNamed(name: string): CategoryProfile {
  const profile = CATEGORY_PROFILES.get(name)
  if (profile === undefined) throw new Error(`The demo has no profile ${name}.`)
  return profile
}
