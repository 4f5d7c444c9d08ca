import words from '../../../data/fact-words.json' with { type: 'json' }
import { factPatterns, has, sentenceBefore } from './factPatterns.ts'

/**
 * How texts state what a meter shows. `reading`: a number with a label before
 * it or a unit after it. `unless_before_label`: what makes a label that of
 * another meter. `unless_before`, `unless_after`: what makes a number no state
 * of the meter. `shown`: what makes a small number or a year one. `untrue`:
 * said of a meter whose number means nothing.
 */
const ODOMETER = factPatterns(words.odometer)
const HOURS = factPatterns(words.hours)
/**
 * Below these a number without a label is rather a distance or a time limit.
 */
const LEAST_MILES = 1000
const LEAST_HOURS = 100
const MOST = 2_000_000

const MILES_PER_KILOMETER = 0.621371
/** Two readings that lie this near are one, read on two days. */
const SAME = 0.001
/**
 * "About 45,000" and a number in kilometers may lie this far from an exact one.
 */
const NEAR = 0.1
const ROUGHEST = 2
const ROUGH = /approx|about|around|estimat|\best\b|roughly|circa|~/i

/**
 * What a meter shows, in its unit; null where the text says nothing, two
 * things, or that the number means nothing.
 */
function readMeter(text: string, meter: typeof ODOMETER, least: number) {
  if (!has(text, meter.about) || has(text, meter.untrue)) return null
  const readings = [...text.matchAll(meter.reading)].flatMap(
    match => readingOf(text, match, meter, least) ?? [],
  )
  const [best] = readings.toSorted((one, other) => one.rank - other.rank)
  const agree = readings.every(
    ({ value, rank }) =>
      Math.abs(value / best!.value - 1) <= (rank === ROUGHEST ? NEAR : SAME),
  )
  return best && agree ? best.value : null
}

/**
 * A number as a reading; null where it is something else. The lower its `rank`,
 * the more exact it is.
 */
function readingOf(
  text: string,
  match: RegExpExecArray,
  meter: typeof ODOMETER,
  least: number,
) {
  const { label, digits = '', thousands, unit = '' } = match.groups!
  const before = sentenceBefore(text, match.index)
  const after = text.slice(
    text.indexOf(unit, match.index + match[0].length) + unit.length,
  )
  const isMetric = /\bk(?:m|ilo)/i.test(unit || (label ?? ''))
  const number = Number(digits.replaceAll(',', '')) * (thousands ? 1000 : 1)
  const value = isMetric ? number * MILES_PER_KILOMETER : number
  const isDoubtful = /^(?:19|20)\d\d$/.test(digits) || (!label && value < least)
  if (
    !(value > 0 && value <= MOST && (label || unit)) ||
    has(after, meter.unless_after) ||
    has(before, label ? meter.unless_before_label : meter.unless_before) ||
    (isDoubtful && !has(label ?? before, meter.shown))
  )
    return null
  const isRough =
    isMetric || thousands || ROUGH.test(label ?? before.slice(-20))
  const ofLabel = label?.includes(':') ? 0 : 1
  return { value, rank: isRough ? ROUGHEST : ofLabel }
}

/** What the odometer shows, in whole miles; kilometers are converted. */
export function readOdometerMiles(text: string): number | null {
  const miles = readMeter(text, ODOMETER, LEAST_MILES)
  return miles && Math.round(miles)
}

/** What the hour meter shows, with at most one decimal. */
export function readEngineHours(text: string): number | null {
  const hours = readMeter(text, HOURS, LEAST_HOURS)
  return hours && Math.round(hours * 10) / 10
}
