import { baselineOf } from './baseline/predict.ts'
import { calibratedValue, type ValueBand } from './calibratedValue.ts'
import type { Comparable } from './comparables/nearest.ts'
import { estimator, type LotToValue } from './estimate.ts'
import type { Percentiles } from './percentiles.ts'
import type { AppraisalIndex } from './trainedIndex.ts'

/** The estimated value of a lot, and the sales it rests on. */
export interface Appraisal {
  value_cents: number
  band: ValueBand
  /** 0 to 1. */
  confidence: number
  /** Percentiles of the comparables' prices; null without a comparable. */
  percentiles: Percentiles | null
  /** Most similar first. */
  comparables: Comparable[]
}

/** Returns an appraiser for an index. It returns null for a lot of which nothing but its category is known. */
export function appraiser(index: AppraisalIndex): (lot: LotToValue) => Appraisal | null {
  const { corpus, model } = index
  const estimate = estimator(index, baselineOf(corpus, model))
  return lot => {
    const estimated = estimate(lot)
    if (!estimated) return null
    const { percentiles, comparables } = estimated
    return { ...calibratedValue(estimated, model.calibration), percentiles, comparables }
  }
}
