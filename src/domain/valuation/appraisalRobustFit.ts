import { type LayeredRows, rowSum, solve, withParts } from './baseline/leastSquares.ts'

/** How many times the weights are made anew; each time the solver goes on from where it was. */
const ROUNDS = 4
/** What a row under its ceiling counts for; nothing at all would let the rounds swing. */
const UNDER_CEILING = 0.05

/**
 * Ridge regression that outliers cannot pull: minimises Σ importance · loss(target − row · effects) + strength · |effects|²,
 * where the loss is square for misses well under `softness` and linear well above it (pseudo-Huber), by iteratively
 * reweighted least squares. Rows from `ceilingsFrom` on say only that the sum is no higher than the target: where it is
 * lower, they hardly count. Returns the effect of each feature, then of each part.
 */
export function robustRidge(
  layered: LayeredRows,
  target: Float64Array,
  importance: Float64Array,
  { strength, softness, ceilingsFrom }: { strength: number; softness: number; ceilingsFrom: number },
): Float64Array {
  const { rows, parts } = layered
  const effects = new Float64Array(rows.columns + parts.columns)
  const weight = importance.slice()
  for (let round = 0; round < ROUNDS; round++) {
    solve(layered, target, weight, strength, effects)
    const told = withParts(layered, effects)
    for (let n = 0; n < target.length; n++) {
      const miss = (target[n]! - rowSum(rows, n, told)) / softness
      // A miss of 1 (a factor of e) keeps its weight; nearer ones gain, farther ones lose.
      const usual = Math.sqrt((1 + 1 / softness ** 2) / (1 + miss ** 2))
      weight[n] = importance[n]! * usual * (n >= ceilingsFrom && miss > 0 ? UNDER_CEILING : 1)
    }
  }
  solve(layered, target, weight, strength, effects)
  return effects
}
