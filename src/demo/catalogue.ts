import tables from '../../data/demo/catalogue.json' with { type: 'json' }
import states from '../../data/demo/places.json' with { type: 'json' }
import demoSources from '../../data/demo/sources.json' with { type: 'json' }
import type { PriceBasis } from '../domain/feeds/lotRow.ts'
import { type Random, weighted } from './random.ts'

/** One kind of lot. */
export interface LotKind {
  /**
   * The usual price in US dollars of one piece, usable, of the middle year and
   * of size factor 1.
   */
  median: number
  weight: number
  /** The first and the last model year. */
  years?: number[]
  /** How often each size costs the median. */
  sizes?: Record<string, number | undefined>
  /** The maximum number of pieces in a lot. Absent: one. */
  count?: number
  /** The grade of every such lot. Absent: any grade. */
  grade?: string
  /** Instead of the profile's, where the title says more. */
  sigma?: number
  /** Templates of `fillTemplate`. */
  titles: string[]
}

interface ProfileTable {
  category: string
  /** The share of lots that find no buyer. */
  unsold: number
  /** The standard deviation of ln(price) that nothing in the title explains. */
  sigma: number
  /** Every median of the profile is multiplied by it. */
  level: number
  /** Of its descriptions: vehicle, machine, device, goods or property. */
  vocabulary: string
  lots: LotKind[]
}

export interface CategoryProfile extends ProfileTable {
  drawKind: (random: Random) => LotKind
}

/**
 * What can be sold, by name of the profile. A category has one profile or
 * several, so that a source can sell homes but no sheds.
 */
const CATEGORY_PROFILES: ReadonlyMap<string, CategoryProfile> = new Map(
  Object.entries<ProfileTable>(tables).map(([name, table]) => [
    name,
    { ...table, drawKind: weighted(table.lots) },
  ]),
)

/**
 * Real cities with one of their ZIP codes each (GeoNames, CC BY 4.0), from
 * every state, DC, PR, GU and VI; busy states more often.
 */
const PLACES = Object.entries(states).flatMap(([state, { weight, places }]) =>
  places.map(({ city, zip }) => ({
    weight: weight / places.length,
    state,
    city,
    zip,
  })),
)

/**
 * How one source sells. `starting`, `buy_now`, `graded`, `described` and
 * `capitals` are the shares, 0 to 1, of lots with a starting bid, a buy-now
 * price, a condition, a description and a title in capitals; `bids` is the
 * number of bids relative to GSA Auctions, 0 where bids are not shown;
 * `title_limit` counts characters.
 */
export type LotSource = (typeof LOT_SOURCES)[number]

/**
 * The federal sources, whose lots anyone may read: no other source has agreed
 * to be read by programs, so the demo shows no lots as if they had been fetched
 * there.
 */
const LOT_SOURCES = demoSources.map(({ profiles, calendar, ...habits }) => ({
  ...habits,
  basis: habits.basis as PriceBasis,
  /**
   * Open-ended sources list homes without dates or bids, and do not publish
   * sales.
   */
  openEnded: calendar === 'open',
  drawProfile: weighted(
    Object.entries(profiles).map(([name, weight]) => ({
      weight,
      profile: CATEGORY_PROFILES.get(name)!,
    })),
  ),
}))

export const drawPlace = weighted(PLACES)

/** A source for a live lot, in proportion to its sales. */
export const drawSource = weighted(LOT_SOURCES)

/** A source for a closed or upcoming lot: only sources with end dates. */
export const drawClosingSource = weighted(
  LOT_SOURCES.filter(source => !source.openEnded),
)
