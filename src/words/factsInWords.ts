import type { Facts } from '../domain/facts/readFacts.ts'
import { count, formatNumber } from '../domain/format.ts'

/**
 * What is stated of a vehicle or machine, in a line for people; '' for nothing.
 */
export function factsInWords({
  odometer_miles,
  engine_hours,
  runs,
  road_title,
  open_recall,
}: Facts): string {
  const words = [
    odometer_miles !== null && count(odometer_miles, 'mile'),
    engine_hours !== null && `${formatNumber(engine_hours)} engine hours`,
    runs !== null && (runs ? 'runs' : 'does not run'),
    road_title !== null && (road_title ? 'road title' : 'no road title'),
    open_recall !== null && (open_recall ? 'open recall' : 'no open recall'),
  ]
  return words.filter(Boolean).join(', ')
}
