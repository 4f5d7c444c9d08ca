import { DAY_MS } from '../durations.ts'
import { type CalibratedValue, calibratedValue } from './calibratedValue.ts'
import { buildCalibration } from './calibration.ts'
import { type ChanceCurve, chanceCurve } from './chance.ts'
import type { Sale, UnsoldLot } from './comparables/saleColumns.ts'
import {
  CROSS_VALIDATED_SALES,
  crossValidate,
  FOLDS,
  learnEstimator,
  type Trial,
} from './crossValidation.ts'
import { closeOfSale } from './learnedPrice.ts'

const WEEK_MS = 7 * DAY_MS
/** The newest weeks that are judged. */
const WEEKS = 8
/** Weeks with fewer sales, or with fewer before them, say nothing. */
const LEAST_SALES = 50
/**
 * Of a week, and in all: more would make learning before each of the weeks take
 * longer than learning the model.
 */
const MOST_OF_WEEK = 1_000
const MOST_SALES = 10_000

/** A sale, and the estimate that the sales before its week gave. */
export interface JudgedSale extends CalibratedValue {
  sale: Sale
  price_cents: number
  /** Its week, 0 for the newest. */
  week: number
  /** That of the chance behind the score, before its week. */
  chance: ChanceCurve
}

/** The sales that weeks are judged with. */
export interface WeeklySample {
  sales: readonly Sale[]
  /** Adds a sale, newest first, unless its week has enough. */
  add(sale: Sale): void
  /** Whether no further sale would be taken. */
  isFull(): boolean
}

/**
 * Collects the sales that weeks are judged with: of each week before the newest
 * sale at most 1,000.
 */
export function weeklySample(): WeeklySample {
  const sales: Sale[] = []
  const ofWeek = new Map<number, number>()
  return {
    sales,
    add(sale: Sale) {
      const week = Math.floor(
        ((sales[0] ?? sale).sold_at_ms - sale.sold_at_ms) / WEEK_MS,
      )
      const count = ofWeek.get(week) ?? 0
      if (count === MOST_OF_WEEK || this.isFull()) return
      ofWeek.set(week, count + 1)
      sales.push(sale)
    },
    isFull: () => sales.length === MOST_SALES,
  }
}

/**
 * Sales of several weeks, each beside its estimate from the sales before its
 * week.
 */
export interface JudgedWeeks {
  judged: JudgedSale[]
  /** How many had no estimate. */
  unvalued: number
}

/**
 * Estimates the sales of each of the eight weeks up to the newest sale from the
 * sales before that week alone: values, bands and the chance, as the errors of
 * those sales set them. Deterministic.
 * @param sales newest first.
 * @returns the estimated sales, and how many of these weeks have no value.
 */
export function judgeWeeks(
  sales: readonly Sale[],
  unsold: readonly UnsoldLot[],
): JudgedWeeks {
  const end = sales[0]?.sold_at_ms ?? 0
  let trials: Trial[] = []
  let unvalued = 0
  const weeks = Array.from({ length: WEEKS }, (_, n) => WEEKS - 1 - n)
  const judged = weeks.flatMap((week): JudgedSale[] => {
    const from = end - (week + 1) * WEEK_MS
    const own = sales.filter(
      ({ sold_at_ms: ms }) => ms > from && ms <= from + WEEK_MS,
    )
    const known = sales.filter(sale => sale.sold_at_ms <= from)
    if (own.length < LEAST_SALES || known.length < LEAST_SALES) return []
    const knownUnsold = unsold.filter(lot => lot.ended_at_ms <= from)
    if (trials.length === 0)
      trials = crossValidate(known.slice(0, CROSS_VALIDATED_SALES), knownUnsold)
    const calibration = buildCalibration(trials)
    const chance = chanceCurve(trials, calibration, [])
    const estimateOf = learnEstimator(known, knownUnsold, from)
    const tried = own.flatMap(sale => {
      const estimate = estimateOf(sale)
      return estimate ? [{ sale, fold: FOLDS + week, estimate }] : []
    })
    unvalued += own.length - tried.length
    trials = [...tried, ...trials].slice(0, CROSS_VALIDATED_SALES)
    return tried.map(({ sale, estimate }) => {
      const price_cents = closeOfSale(sale)
      return {
        ...calibratedValue(sale, estimate, calibration),
        sale,
        price_cents,
        week,
        chance,
      }
    })
  })
  return { judged, unvalued }
}
