import { baselineOf } from './baseline/baseline.ts'
import { calibratedValue, type ValueBand } from './calibratedValue.ts'
import type { Comparable } from './comparables/nearest.ts'
import { type LotToValue, logEstimator } from './logEstimate.ts'
import type { Model } from './model.ts'
import type { Percentiles } from './percentiles.ts'

/** The estimated value of a lot, and the sales it rests on. */
export interface Estimate {
  value_cents: number
  band: ValueBand
  /** 0 to 1. */
  confidence: number
  /** Percentiles of the comparables' prices; null without a comparable. */
  percentiles: Percentiles | null
  /** Most similar first. */
  comparables: Comparable[]
}

/** Returns an estimator of a model. It returns null for a lot of which nothing but its category is known. */
export function estimator(model: Model): (lot: LotToValue) => Estimate | null {
  const { columns, fit } = model
  const estimate = logEstimator(model, baselineOf(columns, fit))
  return lot => {
    const estimated = estimate(lot)
    if (!estimated) return null
    const { percentiles, comparables } = estimated
    return { ...calibratedValue(estimated, fit.calibration), percentiles, comparables }
  }
}
