import demoSources from '../../data/demo/sources.json' with { type: 'json' }
import sources from '../../data/sources.json' with { type: 'json' }
import type { PriceBasis } from '../domain/feeds/lotRow.ts'
import { SHELVES, type Shelf } from './catalogue.ts'
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
  /** Open-ended sources list homes without dates or bids, and say nothing of what was sold. */
  openEnded: boolean
  basis: PriceBasis
  /** How lively the bidding is against GSA Auctions; 0 where there is none to see. */
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
  drawShelf: (random: Random) => Shelf
  /** Where its lots are: one state, for the sites of a state, or the country. */
  drawPlace: (random: Random) => Place
}

/** Every source of `data/sources.json` and its habits. */
export const LOT_SOURCES: readonly LotSource[] = demoSources.map(
  ({ shelves, path, calendar, home_state, ...habits }) => {
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
      drawShelf: weighted(
        Object.entries(shelves).map(([name, weight]) => ({ weight, value: shelfNamed(name) })),
      ),
    }
  },
)

/** A source for a lot that is live or to come, in proportion to how much each one sells. */
export const drawSource = weighted(LOT_SOURCES.map(source => ({ weight: source.weight, value: source })))

/** A source for a lot that is over. */
export const drawClosingSource = weighted(
  LOT_SOURCES.filter(source => !source.openEnded).map(source => ({ weight: source.weight, value: source })),
)

function shelfNamed(name: string): Shelf {
  const shelf = SHELVES.get(name)
  if (shelf === undefined) throw new Error(`The demo has no shelf ${name}.`)
  return shelf
}
