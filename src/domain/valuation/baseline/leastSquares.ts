/** What the effects of some columns should add up to. */
export interface Row {
  /** The columns in which it is not 0, and its values there. */
  ids: readonly number[]
  values: readonly number[]
  target: number
  importance: number
  /**
   * Whether the target is an upper bound: where the sum is lower, the row
   * hardly counts.
   */
  isCeiling: boolean
}

/**
 * The values of all rows beside each other: those of row n are at `start[n]` to
 * `start[n + 1] - 1`.
 */
function matrixOf(rows: readonly Row[], columns: number) {
  const column = Int32Array.from(rows.flatMap(({ ids }) => ids))
  const value = Float64Array.from(rows.flatMap(({ values }) => values))
  const start = new Int32Array(rows.length + 1)
  for (const [n, { ids }] of rows.entries())
    start[n + 1] = start[n]! + ids.length
  return {
    value,
    /** For each row the sum of value · number of the column. */
    rowSums(numbers: Float64Array) {
      const sums = new Float64Array(rows.length)
      for (let n = 0; n < rows.length; n++)
        for (let i = start[n]!; i < start[n + 1]!; i++)
          sums[n]! += value[i]! * numbers[column[i]!]!
      return sums
    },
    /** For each column the sum of value · number of the row. */
    columnSums(numbers: Float64Array, values = value) {
      const sums = new Float64Array(columns)
      for (let n = 0; n < rows.length; n++) {
        const number = numbers[n]!
        for (let i = start[n]!; i < start[n + 1]!; i++)
          sums[column[i]!]! += values[i]! * number
      }
      return sums
    },
  }
}

const STEPS = 8
const ENOUGH = 1e-6

/**
 * Takes at most 8 steps of preconditioned conjugate gradients towards the
 * effects that minimize Σ weight · (target − row · effects)² + strength ·
 * |effects|², starting from `effects`, which it changes.
 */
function solve(
  { value, rowSums, columnSums }: ReturnType<typeof matrixOf>,
  targets: Float64Array,
  weights: Float64Array,
  strength: number,
  effects: Float64Array,
) {
  const size = effects.length
  const weighted = (sums: Float64Array) =>
    sums.map((sum, n) => weights[n]! * sum)
  /** Of the matrix, for preconditioning. */
  const diagonal = columnSums(
    weights,
    value.map(one => one ** 2),
  ).map(sum => sum + strength)
  const misses = rowSums(effects).map((sum, n) => targets[n]! - sum)
  const residual = columnSums(weighted(misses)).map(
    (sum, f) => sum - strength * effects[f]!,
  )
  const direction = residual.map((r, f) => r / diagonal[f]!)
  let energy = inner(residual, direction)
  const enough = energy * ENOUGH
  for (let step = 0; step < STEPS && energy > enough && energy > 0; step++) {
    const changes = columnSums(weighted(rowSums(direction)))
    const image = changes.map((sum, f) => strength * direction[f]! + sum)
    const along = energy / inner(direction, image)
    let next = 0
    for (let f = 0; f < size; f++) {
      effects[f]! += along * direction[f]!
      residual[f]! -= along * image[f]!
      next += residual[f]! ** 2 / diagonal[f]!
    }
    for (let f = 0; f < size; f++)
      direction[f] =
        residual[f]! / diagonal[f]! + (next / energy) * direction[f]!
    energy = next
  }
}

function inner(a: Float64Array, b: Float64Array) {
  let sum = 0
  for (let f = 0; f < a.length; f++) sum += a[f]! * b[f]!
  return sum
}

/**
 * How often the weights are recomputed; the solver continues from the last
 * effects.
 */
const ROUNDS = 4
/** The weight of a row under its ceiling. With 0 the rounds would oscillate. */
const UNDER_CEILING = 0.05

/**
 * Robust ridge regression by iteratively reweighted least squares: minimizes Σ
 * importance · loss(target − row · effects) + strength · |effects|². The loss
 * is quadratic for misses well under `softness` and linear well above it
 * (pseudo-Huber), so outliers pull little. Returns the effects of the columns.
 */
export function robustRidge(
  rows: readonly Row[],
  columns: number,
  { strength, softness }: { strength: number; softness: number },
) {
  const matrix = matrixOf(rows, columns)
  const effects = new Float64Array(columns)
  const targets = Float64Array.from(rows, ({ target }) => target)
  let weights = Float64Array.from(rows, ({ importance }) => importance)
  for (let round = 0; round < ROUNDS; round++) {
    solve(matrix, targets, weights, strength, effects)
    weights = matrix.rowSums(effects).map((sum, n) => {
      const { importance, isCeiling } = rows[n]!
      const miss = (targets[n]! - sum) / softness
      // A miss of 1 (a factor of e) keeps its weight; smaller misses gain
      // weight, larger ones lose it.
      const usual = Math.sqrt((1 + 1 / softness ** 2) / (1 + miss ** 2))
      return importance * usual * (isCeiling && miss > 0 ? UNDER_CEILING : 1)
    })
  }
  solve(matrix, targets, weights, strength, effects)
  return effects
}
