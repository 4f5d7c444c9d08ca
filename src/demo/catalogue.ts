import tables from '../../data/demo/catalogue.json' with { type: 'json' }
import { type Random, weighted } from './random.ts'

/** One kind of lot. */
export interface LotKind {
  /** The usual price in US dollars of one piece, usable, of the middle year and of size factor 1. */
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
  /** Templates of `fillTemplate`. */
  /** Instead of the profile's, where the title says more. */
  sigma?: number
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

/** What can be sold, by name of the profile. A category has one profile or several, so that a source can sell homes but no sheds. */
export const CATEGORY_PROFILES: ReadonlyMap<string, CategoryProfile> = new Map(
  Object.entries<ProfileTable>(tables).map(([name, table]) => [
    name,
    { ...table, drawKind: weighted(table.lots) },
  ]),
)
