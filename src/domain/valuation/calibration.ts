import { fitBaseline } from './baseline/fit.ts'
import { baselineOf, baselineTerms, estimator } from './baseline/predict.ts'
import type { Sale, UnsoldLot } from './comparables/corpus.ts'
import { buildSalesIndex } from './salesIndex.ts'

/** How many of the newest sales are cross-validated. */
export const CROSS_VALIDATED_SALES = 5_000
const FOLDS = 5
const DAY_MS = 86_400_000
/** Estimates count by how near their size is: e^(−½·(ln ratio / 0.7)²), which is half at a ratio of ×2.3. */
const WIDTH = 0.7
const FARTHEST_MISS = 2
/** A prior that counts as ten estimates, off by these factors of two, so that a few sales prove nothing. */
const PRIOR_MISSES = [-2.5, -1.5, -1, -0.5, 0.5, 1, 1.5, 2.5].map(power => power * Math.LN2)
const PRIOR_WEIGHT = 10 / PRIOR_MISSES.length
/** The table covers sizes from a cent to ten billion dollars in steps of e^¼; between steps it is interpolated. */
const STEP = 0.25
const STEPS = 110
/** The shares of prices below the ends of the bands, from the lowest to the highest. */
const SHARES = [0.1, 0.25, 0.75, 0.9]
const COLUMNS = 1 + SHARES.length

/** Builds the calibration table from past sales, newest first: COLUMNS for each step of size. */
export function buildCalibrationTable(sales: readonly Sale[], unsold: readonly UnsoldLot[]): Float64Array {
  const prior = PRIOR_MISSES.map(miss => ({ logValue: Number.NaN, miss }))
  const sorted = [...crossValidate(sales, unsold), ...prior].sort((a, b) => a.miss - b.miss)
  const misses = Float64Array.from(sorted, ({ miss }) => miss)
  const sizes = Float64Array.from(sorted, ({ logValue }) => logValue)
  const rows = Array.from({ length: STEPS }, (_, step) => calibrationAt(step * STEP, misses, sizes))
  return Float64Array.from(rows.flat())
}

/**
 * Looks up the size of an estimate, ln(cents), in the table: how far estimates of about that size were off in cross-validation.
 * `miss` is the mean |ln(price / estimate)|, each capped at 2; the others are
 * the quantiles of ln(price / estimate) that bound half and 80 % of the prices.
 */
export function calibrationFor(table: Float64Array, logValue: number) {
  const place = Math.min(STEPS - 1, Math.max(0, logValue / STEP))
  const below = Math.floor(place)
  const above = Math.ceil(place)
  const between = (column: number) => {
    const least = table[below * COLUMNS + column]!
    return least + (place - below) * (table[above * COLUMNS + column]! - least)
  }
  return {
    miss: between(0),
    rangeLow: between(1),
    likelyLow: between(2),
    likelyHigh: between(3),
    rangeHigh: between(4),
  }
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
    return misses.find((_, n) => {
      left -= weights[n]!
      return left <= 0
    })!
  }
  return [missed / total, ...SHARES.map(quantile)]
}

/**
 * Estimates sales, newest first, by cross-validation: their days form five folds of equally many days, and the sales of each
 * fold are estimated from the other four. Sales of one day stay together, because lots of one seller end together and are
 * alike. Returns ln(cents) and ln(price / estimate) of each; nothing when all were sold on one day.
 */
function crossValidate(sales: readonly Sale[], unsold: readonly UnsoldLot[]) {
  const foldOf = foldsByDay(sales)
  const asOfMs = sales[0]?.sold_at_ms ?? 0
  const estimates: { logValue: number; miss: number }[] = []
  for (let fold = 0; fold < FOLDS; fold++) {
    const others = sales.filter(sale => foldOf(sale.sold_at_ms) !== fold)
    if (others.length === 0 || others.length === sales.length) continue
    const otherUnsold = unsold.filter(lot => foldOf(lot.ended_at_ms) !== fold)
    const index = buildSalesIndex(others, asOfMs)
    const terms = baselineTerms(index.corpus)
    const fit = fitBaseline(index.corpus, otherUnsold, terms)
    const estimate = estimator(index, baselineOf(index.corpus, fit, terms))
    for (const sale of sales) {
      const estimated = foldOf(sale.sold_at_ms) === fold ? estimate(sale) : null
      if (!estimated) continue
      const { logValue } = estimated
      estimates.push({ logValue, miss: Math.log(sale.final_bid_cents) - logValue })
    }
  }
  return estimates
}

function foldsByDay(sales: readonly Sale[]): (ms: number) => number | undefined {
  const dayOf = (ms: number) => Math.floor(ms / DAY_MS)
  const days = [...new Set(sales.map(sale => dayOf(sale.sold_at_ms)))]
  const folds = new Map(days.map((day, n) => [day, Math.floor((n * FOLDS) / days.length)]))
  return ms => folds.get(dayOf(ms))
}
