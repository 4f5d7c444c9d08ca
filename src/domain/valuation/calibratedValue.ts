import { type Calibration, calibrationFor } from './calibration.ts'
import type { LotToDescribe } from './comparables/saleColumns.ts'
import type { LogEstimate } from './logEstimate.ts'

/**
 * On later weeks half of the prices were in the likely band, with a quarter on either side, and 80 % in the range. Both
 * contain the value.
 */
export interface ValueBand {
  likely_low_cents: number
  likely_high_cents: number
  range_low_cents: number
  range_high_cents: number
}

/** The band of a row that has other columns too. */
export function bandOf(row: ValueBand): ValueBand {
  const { likely_low_cents, likely_high_cents, range_low_cents, range_high_cents } = row
  return { likely_low_cents, likely_high_cents, range_low_cents, range_high_cents }
}

/** An estimate in cents with its bands, its confidence from 0 to 1, and its grade. */
export type CalibratedValue = ReturnType<typeof calibratedValue>

/** From so many comparables on, the likely band meets the middle half of their prices. */
const ENOUGH_COMPARABLES = 5

/** The value of an estimate with its calibrated bands, its confidence and its grade. */
export function calibratedValue(
  lot: Pick<LotToDescribe, 'title' | 'category'>,
  estimate: LogEstimate,
  calibration: Calibration,
) {
  const { logValue, comparables, percentiles } = estimate
  const { confidence, grade, quantiles } = calibrationFor(calibration, lot, estimate)
  const [rangeLow, likelyLow, likelyHigh, rangeHigh] = quantiles.map(quantile => centsOf(logValue + quantile))
  const quartiles = comparables.length < ENOUGH_COMPARABLES ? null : percentiles
  const likely_low_cents = Math.min(likelyLow!, quartiles?.p75_cents ?? likelyLow!)
  const likely_high_cents = Math.max(likelyHigh!, quartiles?.p25_cents ?? likelyHigh!)
  return {
    value_cents: centsOf(logValue),
    band: {
      likely_low_cents,
      likely_high_cents,
      range_low_cents: Math.min(rangeLow!, likely_low_cents),
      range_high_cents: Math.max(rangeHigh!, likely_high_cents),
    },
    confidence,
    grade,
  }
}

/** Whole cents, at least one. */
function centsOf(logCents: number) {
  return Math.max(1, Math.round(Math.exp(logCents)))
}
