import { estimator, type LotToValue } from './appraisalEstimate.ts'
import { baselineOf } from './baseline/predict.ts'
import { experienceIn } from './calibration.ts'
import type { Comparable } from './comparablesBest.ts'
import { type Percentiles, percentilesOf } from './percentiles.ts'
import type { AppraisalIndex } from './trainedIndex.ts'

/** What a lot is likely to bring, and the sales that say so. */
export interface Appraisal {
  value_cents: number
  /** A quarter of such lots bring less than the one and another quarter more than the other, as estimates did before. */
  band: ValueBand
  /** 0 to 1. */
  confidence: number
  /** Of the comparables' prices; null without a comparable. */
  percentiles: Percentiles | null
  /** Most similar first. */
  comparables: Comparable[]
}

export interface ValueBand {
  likely_low_cents: number
  likely_high_cents: number
}

/** So much similarity (as many identical titles sold today) is enough for full evidence. */
const ENOUGH_SIMILARITY = 6
/** Comparables whose upper quartile is this many times the lower one say next to nothing. */
const HOPELESS_SPREAD = 20
const LEAST_AGREEMENT = 0.15

/** Makes an appraiser of an index. It answers null when there is neither a comparable nor a sale in the lot's category. */
export function appraiser(index: AppraisalIndex): (lot: LotToValue) => Appraisal | null {
  const { corpus, lessons } = index
  const estimate = estimator(index, baselineOf(corpus, lessons))
  return lot => {
    const estimated = estimate(lot)
    if (!estimated) return null
    const { logValue, comparables } = estimated
    const { miss, low, high } = experienceIn(lessons.experience, logValue)
    const percentiles = percentilesOf(comparables.map(({ position }) => corpus.priceCents[position]!))
    const evidence = percentiles ? evidenceOf(comparables, percentiles) : 0
    return {
      value_cents: centsOf(logValue),
      band: { likely_low_cents: centsOf(logValue + low), likely_high_cents: centsOf(logValue + high) },
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

/**
 * How far an estimate can be trusted, 0 to 1: one through the factor by which estimates of its size missed, halved where
 * there is no evidence of comparables.
 */
export function confidenceOf(miss: number, evidence: number): number {
  return (Math.exp(-miss) * (1 + evidence)) / 2
}

/**
 * How much the comparables say, 0 to 1: enough similar recent sales × agreement of their prices × the best similarity. One
 * comparable fewer never raises it while the quartiles stay.
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
