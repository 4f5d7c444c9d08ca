import { baselineOf, estimator, type LotToValue } from './baseline/predict.ts'
import { calibrationFor } from './calibration.ts'
import type { Comparable } from './comparables/nearest.ts'
import { type Percentiles, percentilesOf } from './percentiles.ts'
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

/** In cross-validation half of the prices were in the likely band, with a quarter on either side, and 80 % in the range. */
export interface ValueBand {
  likely_low_cents: number
  likely_high_cents: number
  range_low_cents: number
  range_high_cents: number
}

/** Similarity that counts as full evidence: six identical titles sold today. */
const ENOUGH_SIMILARITY = 6
/** Ratio of upper to lower quartile at which comparables have no agreement. */
const HOPELESS_SPREAD = 20
const LEAST_AGREEMENT = 0.15

/** Returns an appraiser for an index. It returns null when there is neither a comparable nor a sale in the lot's category. */
export function appraiser(index: AppraisalIndex): (lot: LotToValue) => Appraisal | null {
  const { corpus, model } = index
  const estimate = estimator(index, baselineOf(corpus, model))
  return lot => {
    const estimated = estimate(lot)
    if (!estimated) return null
    const { logValue, comparables } = estimated
    const { miss, likelyLow, likelyHigh, rangeLow, rangeHigh } = calibrationFor(model.calibration, logValue)
    const percentiles = percentilesOf(comparables.map(({ position }) => corpus.priceCents[position]!))
    const evidence = percentiles ? evidenceOf(comparables, percentiles) : 0
    return {
      value_cents: centsOf(logValue),
      band: {
        likely_low_cents: centsOf(logValue + likelyLow),
        likely_high_cents: centsOf(logValue + likelyHigh),
        range_low_cents: centsOf(logValue + rangeLow),
        range_high_cents: centsOf(logValue + rangeHigh),
      },
      confidence: confidenceOf(miss, evidence),
      percentiles,
      comparables,
    }
  }
}

/** Whole cents, at least one. */
function centsOf(logCents: number): number {
  return Math.max(1, Math.round(Math.exp(logCents)))
}

/** The confidence of an estimate, 0 to 1: 1 / (factor by which estimates of its size missed), halved without evidence. */
export function confidenceOf(miss: number, evidence: number): number {
  return (Math.exp(-miss) * (1 + evidence)) / 2
}

/**
 * The evidence of comparables, 0 to 1: enough similar recent sales × agreement of their prices × the best similarity. Removing a
 * comparable never raises it while the quartiles stay.
 */
export function evidenceOf(
  comparables: readonly Comparable[],
  { p25_cents, p75_cents }: Percentiles,
): number {
  const together = comparables.reduce((sum, { similarity, recency }) => sum + similarity * recency, 0)
  const best = comparables.reduce((most, comparable) => Math.max(most, comparable.similarity), 0)
  const disagreement = Math.log(p75_cents / p25_cents) / Math.log(HOPELESS_SPREAD)
  const agreement = Math.min(1, Math.max(LEAST_AGREEMENT, 1 - disagreement))
  return Math.min(1, together / ENOUGH_SIMILARITY) * agreement * (0.5 + 0.5 * best)
}
