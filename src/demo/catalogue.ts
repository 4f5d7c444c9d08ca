import electronics from '../../data/demo/electronics.json' with { type: 'json' }
import heavyEquipment from '../../data/demo/heavy-equipment.json' with { type: 'json' }
import medicalScientific from '../../data/demo/medical-scientific.json' with { type: 'json' }
import militarySurplus from '../../data/demo/military-surplus.json' with { type: 'json' }
import officeFurniture from '../../data/demo/office-furniture.json' with { type: 'json' }
import other from '../../data/demo/other.json' with { type: 'json' }
import realEstate from '../../data/demo/real-estate.json' with { type: 'json' }
import seizedProperty from '../../data/demo/seized-property.json' with { type: 'json' }
import toolsIndustrial from '../../data/demo/tools-industrial.json' with { type: 'json' }
import vehicles from '../../data/demo/vehicles.json' with { type: 'json' }
import { type Random, weighted } from './random.ts'
import { readTemplate, type TitleTemplate } from './titleTemplate.ts'

export type Vocabulary = 'vehicle' | 'machine' | 'device' | 'goods' | 'property'

/** One kind of lot, as `data/demo/` describes it. */
interface KindTable {
  /** The usual price in US dollars of one piece, usable, of the middle year and of size factor 1. */
  median: number
  weight: number
  /** The first and the last model year. */
  years?: number[]
  /** How often each size costs the median. */
  sizes?: Record<string, number | undefined>
  /** The maximum number of pieces in a lot. Absent: one. */
  count?: number
  grade?: string
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
  vocabulary: string
  lots: KindTable[]
}

/** One kind of lot, ready to draw from. */
export interface LotKind {
  median: number
  firstYear: number
  lastYear: number
  hasYears: boolean
  sizes: readonly { text: string; factor: number }[]
  count: number
  grade: string | null
  titles: readonly TitleTemplate[]
}

export interface CategoryProfile {
  category: string
  unsold: number
  sigma: number
  vocabulary: Vocabulary
  drawKind: (random: Random) => LotKind
}

const TABLES: Record<string, ProfileTable> = {
  ...electronics,
  ...heavyEquipment,
  ...medicalScientific,
  ...militarySurplus,
  ...officeFurniture,
  ...other,
  ...realEstate,
  ...seizedProperty,
  ...toolsIndustrial,
  ...vehicles,
}

/** What can be sold, by name of the profile. A category has one profile or several, so that a source can sell homes but no sheds. */
export const CATEGORY_PROFILES: ReadonlyMap<string, CategoryProfile> = new Map(
  Object.entries(TABLES).map(([name, table]) => [name, readProfile(table)]),
)

function readProfile(table: ProfileTable): CategoryProfile {
  return {
    category: table.category,
    unsold: table.unsold,
    sigma: table.sigma,
    vocabulary: table.vocabulary as Vocabulary,
    drawKind: weighted(table.lots.map(lot => ({ weight: lot.weight, value: readKind(lot, table.level) }))),
  }
}

function readKind(kind: KindTable, level: number): LotKind {
  const [firstYear = 0, lastYear = 0] = kind.years ?? []
  return {
    median: kind.median * level,
    firstYear,
    lastYear,
    hasYears: kind.years !== undefined,
    sizes: Object.entries(kind.sizes ?? {}).map(([text, factor = 1]) => ({ text, factor })),
    count: kind.count ?? 1,
    grade: kind.grade ?? null,
    titles: kind.titles.map(readTemplate),
  }
}
