import { conditionOf } from '../feeds/condition.ts'
import { type Category, pricedAs } from '../titles/categories.ts'

/**
 * What a text says of a lot besides its title, null or absent where it says
 * nothing.
 */
export interface LotFacts {
  /** See `conditionOf`. */
  condition_grade?: string | null
  odometer_miles?: number | null
  runs?: boolean | null
  /** False for what may not be titled for the road. */
  road_title?: boolean | null
}

/** A lot whose condition is asked for. */
export interface DescribedLot extends LotFacts {
  title: string
}

/** The condition grades of what is sold for its parts or its metal. */
export const POOR_GRADE = /^\s*(?:salvage|scrap)\s*$/i

/**
 * Whether a lot is sold for its parts or its metal: sales of sound things say
 * little of it, and its sale little of them.
 */
export function isPoor({
  title,
  condition_grade,
  runs,
  road_title,
}: DescribedLot): boolean {
  if (runs === false || road_title === false) return true
  return (
    POOR_GRADE.test(condition_grade ?? '') ||
    POOR_GRADE.test(conditionOf(title) ?? '')
  )
}

const MACHINES: readonly Category[] = ['vehicles', 'heavy-equipment']

/** Whether a lot is priced as a vehicle or a machine. */
export function isMachine({
  title,
  category,
}: {
  title: string
  category: Category
}): boolean {
  return MACHINES.includes(pricedAs(category, title))
}
