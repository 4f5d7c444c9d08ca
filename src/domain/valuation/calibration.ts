import { grouped } from '../grouped.ts'
import type { LotToDescribe } from './comparables/saleColumns.ts'
import type { Trial } from './crossValidation.ts'
import { type Grade, gradeOf } from './grade.ts'
import type { LogEstimate } from './logEstimate.ts'
import { percentileCont } from './percentiles.ts'

/** Trials count by how near their size is: e^(−½·(ln ratio / 0.4)²), which is half at a ratio of ×1.6. */
const WIDTH = 0.4
const FARTHEST_MISS = 2
/** A prior that counts as ten trials, off by these factors of two, so that a few sales prove nothing. */
const PRIOR_MISSES = [-2.5, -1.5, -1, -0.5, 0.5, 1, 1.5, 2.5].map(power => power * Math.LN2)
const PRIOR_WEIGHT = 10 / PRIOR_MISSES.length
/** The table covers sizes from a cent to ten billion dollars in steps of e^¼; between steps it is interpolated. */
const STEP = 0.25
const STEPS = 110
/** The shares of prices below the ends of the bands, from the lowest to the highest. */
const SHARES = [0.1, 0.25, 0.75, 0.9]
const COLUMNS = 1 + SHARES.length

/** How far estimates were off: by size, and how much more or less those of a grade or a category were. */
export interface Calibration {
  /** Rows of `COLUMNS` numbers, see `calibrationAt`. */
  table: Float64Array
  /** How often as wide as in the table the likely band and the range are; absent for a grade or a category with too few trials. */
  stretches: Partial<Record<string, number[]>>
}

/**
 * Learns from estimates that were made without the price they are held against: for each step of size the mean miss and the quantiles of
 * ln(price / estimate), in units of `scaleOf` (split conformal prediction, weighted by size), then how far the bands of each
 * grade, and with those the bands of each category, must be stretched to hold what they promise.
 */
export function buildCalibration(trials: readonly Trial[]): Calibration {
  const table = buildTable(trials)
  const ofGrades = stretchesOf(trials, { table, stretches: {} }, (_, grade) => grade)
  const ofCategories = stretchesOf(trials, { table, stretches: ofGrades }, ({ sale }) => sale.category)
  return { table, stretches: { ...ofGrades, ...ofCategories } }
}

function buildTable(trials: readonly Trial[]) {
  const misses = trials.map(({ sale, estimate: { logValue, evidence } }) => ({
    logValue,
    miss: (Math.log(sale.final_bid_cents) - logValue) / scaleOf(evidence),
  }))
  const prior = PRIOR_MISSES.map(miss => ({ logValue: Number.NaN, miss }))
  const sorted = [...misses, ...prior].sort((a, b) => a.miss - b.miss)
  const ascending = Float64Array.from(sorted, ({ miss }) => miss)
  const sizes = Float64Array.from(sorted, ({ logValue }) => logValue)
  const rows = Array.from({ length: STEPS }, (_, step) => calibrationAt(step * STEP, ascending, sizes))
  return Float64Array.from(rows.flat())
}

/** The shares of the prices that the likely band and the range hold. */
const PROMISED = [0.5, 0.8]
/** A group with fewer trials is left as it is. */
const LEAST_OF_GROUP = 30
/** Beside the trials of a group count so many that say the bands are right. */
const SHRINKAGE = 30

function stretchesOf(
  trials: readonly Trial[],
  calibration: Calibration,
  groupOf: (trial: Trial, grade: Grade) => string,
): Calibration['stretches'] {
  const missed = trials.map(trial => {
    const { grade, quantiles } = calibrationFor(calibration, trial.sale, trial.estimate)
    const miss = Math.log(trial.sale.final_bid_cents) - trial.estimate.logValue
    const [range, likely] = miss < 0 ? quantiles : quantiles.toReversed()
    // How much of each band's side the miss takes, up to 1 inside. A side without a width says nothing.
    const shares = [likely!, range!].map(side => (side === 0 ? 1 : miss / side))
    return { group: groupOf(trial, grade), shares }
  })
  const groups = [...grouped(missed, ({ group }) => group)].filter(([, own]) => own.length >= LEAST_OF_GROUP)
  const stretches = groups.map(([group, own]) => {
    const needed = PROMISED.map((promised, band) => {
      const sorted = Float64Array.from(own, ({ shares }) => shares[band]!).sort()
      return (own.length * percentileCont(sorted, promised) + SHRINKAGE) / (own.length + SHRINKAGE)
    })
    return [group, needed]
  })
  return Object.fromEntries(stretches)
}

/** Estimates with full evidence miss half as far as those without any. */
function scaleOf(evidence: number) {
  return 1 - evidence / 2
}

/**
 * What is known of an estimate from those of its size, evidence, grade and category. `miss` is the mean |ln(price / estimate)|, each capped at 2; `quantiles` are those of ln(price / estimate) that bound 80 % and half of
 * the prices, ascending, two of at most 0 and two of at least 0.
 */
export function calibrationFor(
  { table, stretches }: Calibration,
  { title, category }: Pick<LotToDescribe, 'title' | 'category'>,
  { logValue, evidence, comparables }: Pick<LogEstimate, 'logValue' | 'evidence' | 'comparables'>,
) {
  const place = Math.min(STEPS - 1, Math.max(0, logValue / STEP))
  const below = Math.floor(place)
  const above = Math.ceil(place)
  const between = (column: number) => {
    const least = table[below * COLUMNS + column]!
    const most = table[above * COLUMNS + column]!
    return scaleOf(evidence) * (least + (place - below) * (most - least))
  }
  const miss = between(0)
  const confidence = confidenceOf(miss, evidence)
  const grade = gradeOf(
    title,
    comparables.map(({ similarity }) => similarity),
    confidence,
  )
  const stretch = (band: number) => (stretches[grade]?.[band] ?? 1) * (stretches[category]?.[band] ?? 1)
  const quantiles = [1, 0, 0, 1].map((band, n) => stretch(band) * between(1 + n))
  return { miss, confidence, grade, quantiles }
}

/** The confidence of an estimate, 0 to 1: 1 / (factor by which estimates like it missed), halved without evidence. */
export function confidenceOf(miss: number, evidence: number) {
  return (Math.exp(-miss) * (1 + evidence)) / 2
}

/** `misses` are ascending. A size of NaN is the prior's, which is near to every size. */
function calibrationAt(logValue: number, misses: Float64Array, sizes: Float64Array) {
  const weights = sizes.map(size =>
    Number.isNaN(size) ? PRIOR_WEIGHT : Math.exp(-0.5 * ((size - logValue) / WIDTH) ** 2),
  )
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const missed = weights.reduce(
    (sum, weight, n) => sum + weight * Math.min(FARTHEST_MISS, Math.abs(misses[n]!)),
    0,
  )
  const quantile = (share: number) => {
    let left = share * total
    const found = misses.find((_, n) => {
      left -= weights[n]!
      return left <= 0
    })!
    return share < 0.5 ? Math.min(0, found) : Math.max(0, found)
  }
  return [missed / total, ...SHARES.map(quantile)]
}
