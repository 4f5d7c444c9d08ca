import { pricedAs } from '../titles/categories.ts'
import { type Calibration, calibrationFor } from './calibration.ts'
import type { LotToDescribe } from './comparables/saleColumns.ts'
import { type Grade, gradeOf } from './grade.ts'
import type { LogEstimate } from './logEstimate.ts'

/**
 * On later weeks half of the prices were in the likely band, with a quarter on
 * either side, and 80 % in the range. Both contain the value.
 */
export interface ValueBand {
  likely_low_cents: number
  likely_high_cents: number
  range_low_cents: number
  range_high_cents: number
}

/** The band of a row that has other columns too. */
export function bandOf(row: ValueBand): ValueBand {
  const {
    likely_low_cents,
    likely_high_cents,
    range_low_cents,
    range_high_cents,
  } = row
  return {
    likely_low_cents,
    likely_high_cents,
    range_low_cents,
    range_high_cents,
  }
}

/**
 * An estimate in cents with its bands, its confidence from 0 to 1, and its
 * grade.
 */
export interface CalibratedValue {
  value_cents: number
  band: ValueBand
  confidence: number
  grade: Grade
}

/**
 * How wide the bands of a vehicle are that is valued from last seen bids,
 * beside those of the trials: the trials miss by how much was bid unseen, and
 * the real closes do not. Chosen on the earlier days of the real closes (`make
 * bench ONLY=values`).
 */
const WIDTH_OF_SEEN = 0.6

/**
 * The value of an estimate with its calibrated bands, its confidence and its
 * grade.
 */
export function calibratedValue(
  lot: Pick<LotToDescribe, 'title' | 'category'>,
  estimate: LogEstimate,
  calibration: Calibration,
): CalibratedValue {
  const { logValue, comparables } = estimate
  const { confidence, quantiles } = calibrationFor(calibration, estimate)
  const isSeen =
    estimate.seenFactor > 1 && pricedAs(lot.category, lot.title) === 'vehicles'
  const width = isSeen ? WIDTH_OF_SEEN : 1
  const [rangeLow, likelyLow, likelyHigh, rangeHigh] = quantiles.map(quantile =>
    centsOf(logValue + width * quantile),
  )
  const similarities = comparables.map(({ similarity }) => similarity)
  return {
    value_cents: centsOf(logValue),
    band: {
      likely_low_cents: likelyLow!,
      likely_high_cents: likelyHigh!,
      range_low_cents: rangeLow!,
      range_high_cents: rangeHigh!,
    },
    confidence,
    grade: gradeOf(lot, similarities, confidence),
  }
}

/** Whole cents, at least one. */
function centsOf(logCents: number) {
  return Math.max(1, Math.round(Math.exp(logCents)))
}
