import { type Category, namesPart } from '../titles/categories.ts'
import { withoutNotices } from '../titles/notices.ts'
import { readQuantity } from '../titles/quantity.ts'
import { readEngineHours, readOdometerMiles } from './meters.ts'
import { readOpenRecall, readRoadTitle, readRuns } from './statements.ts'

/**
 * What a lot's own words state of a vehicle or machine; null where they say
 * nothing, or two things.
 */
export interface Facts {
  /** What the odometer shows, in whole miles. */
  odometer_miles: number | null
  /** What the hour meter shows, in hours with at most one decimal. */
  engine_hours: number | null
  /**
   * Whether the engine or motor runs as it stands, perhaps after a jump start.
   */
  runs: boolean | null
  /**
   * Whether the buyer can get a title for road use; false for a bill of sale, a
   * salvage or scrap title, or parts only.
   */
  road_title: boolean | null
  /** Whether a recall of the maker is open. */
  open_recall: boolean | null
}

const NOTHING: Facts = {
  odometer_miles: null,
  engine_hours: null,
  runs: null,
  road_title: null,
  open_recall: null,
}

/** Here "title", "runs" and "hours" mean something else. */
const WITHOUT_ENGINE: readonly Category[] = [
  'real-estate',
  'office-furniture',
  'electronics',
  'medical-scientific',
]

/** Characters of a description that are read. */
const READ = 12_000

/**
 * From here on, a number in the title of a vehicle is rather a mileage than a
 * number of vehicles.
 */
const MANY = 200

/**
 * Reads the facts of a vehicle or machine that buyers ask for, from title and
 * description. Of several it reads none, because what is true of one is not of
 * all; of a part no odometer, which was the vehicle's.
 * @param stated what columns of the source state, which goes before its text.
 */
export function readFacts(
  wholeTitle: string,
  description: string | null,
  category: Category,
  stated: Facts = NOTHING,
): Facts {
  const title = withoutNotices(wholeTitle)
  const pieces = readQuantity(title) ?? 1
  const saysNothing =
    WITHOUT_ENGINE.includes(category) || (pieces > 1 && pieces < MANY)
  const text = saysNothing
    ? ''
    : `${title}.\n${(description ?? '').slice(0, READ)}`
  const plain = text.replace(/[^\S\n]+/g, ' ').replace(/[’`]/g, "'")
  return {
    odometer_miles:
      stated.odometer_miles ??
      (namesPart(title) ? null : readOdometerMiles(plain)),
    engine_hours: stated.engine_hours ?? readEngineHours(plain),
    runs: stated.runs ?? readRuns(plain),
    road_title: stated.road_title ?? readRoadTitle(plain),
    open_recall: stated.open_recall ?? readOpenRecall(plain),
  }
}
