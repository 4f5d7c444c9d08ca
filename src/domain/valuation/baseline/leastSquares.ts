/** Sparse rows: row n has the entries `column[start[n]]` to `column[start[n + 1] - 1]` with the values beside them. */
export interface SparseRows {
  columns: number
  start: Int32Array
  column: Int32Array
  value: Float64Array
}

/** Makes `count` rows from the entries of each, columns and values beside each other. */
export function sparseRows(
  count: number,
  entriesOf: (n: number) => { ids: readonly number[]; values: readonly number[] },
): Omit<SparseRows, 'columns'> {
  const start = new Int32Array(count + 1)
  const column: number[] = []
  const value: number[] = []
  for (let n = 0; n < count; n++) {
    const { ids, values } = entriesOf(n)
    for (const id of ids) column.push(id)
    for (const number of values) value.push(number)
    start[n + 1] = column.length
  }
  return { start, column: Int32Array.from(column), value: Float64Array.from(value) }
}

const STEPS = 8
const ENOUGH = 1e-6

function rowSum({ start, column, value }: SparseRows, n: number, vector: Float64Array) {
  let sum = 0
  for (let i = start[n]!; i < start[n + 1]!; i++) sum += value[i]! * vector[column[i]!]!
  return sum
}

/**
 * Takes at most 8 steps of preconditioned conjugate gradients towards the effects that minimize
 * Σ weight · (target − row · effects)² + strength · |effects|², starting from `effects`, which it changes.
 */
function solve(
  rows: SparseRows,
  target: Float64Array,
  weight: Float64Array,
  strength: number,
  effects: Float64Array,
) {
  const size = effects.length
  const diagonal = diagonalOf(rows, weight, strength)
  const residual = transposed(rows, pulls(rows, weight, effects, target))
  for (let f = 0; f < size; f++) residual[f]! -= strength * effects[f]!
  const direction = residual.map((r, f) => r / diagonal[f]!)
  let energy = inner(residual, direction)
  const enough = energy * ENOUGH
  for (let step = 0; step < STEPS && energy > enough && energy > 0; step++) {
    const image = transposed(rows, pulls(rows, weight, direction, null))
    for (let f = 0; f < size; f++) image[f] = strength * direction[f]! - image[f]!
    const along = energy / inner(direction, image)
    let next = 0
    for (let f = 0; f < size; f++) {
      effects[f]! += along * direction[f]!
      residual[f]! -= along * image[f]!
      next += residual[f]! ** 2 / diagonal[f]!
    }
    for (let f = 0; f < size; f++)
      direction[f] = residual[f]! / diagonal[f]! + (next / energy) * direction[f]!
    energy = next
  }
}

/** weight · (target − row · effects) of every row; a missing target is 0. */
function pulls(rows: SparseRows, weight: Float64Array, effects: Float64Array, target: Float64Array | null) {
  return weight.map((w, n) => w * ((target?.[n] ?? 0) - rowSum(rows, n, effects)))
}

function transposed({ columns, start, column, value }: SparseRows, factor: Float64Array): Float64Array {
  const sums = new Float64Array(columns)
  for (let n = 0; n < factor.length; n++) {
    const f = factor[n]!
    for (let i = start[n]!; i < start[n + 1]!; i++) sums[column[i]!]! += value[i]! * f
  }
  return sums
}

/** The diagonal of the matrix, for preconditioning. */
function diagonalOf(rows: SparseRows, weight: Float64Array, strength: number): Float64Array {
  const squared = { ...rows, value: rows.value.map(value => value ** 2) }
  return transposed(squared, weight).map(sum => sum + strength)
}

function inner(a: Float64Array, b: Float64Array) {
  let sum = 0
  for (let f = 0; f < a.length; f++) sum += a[f]! * b[f]!
  return sum
}

/** How often the weights are recomputed; the solver continues from the last effects. */
const ROUNDS = 4
/** The weight of a row under its ceiling. With 0 the rounds would oscillate. */
const UNDER_CEILING = 0.05

/**
 * Robust ridge regression by iteratively reweighted least squares: minimizes Σ importance · loss(target − row · effects) +
 * strength · |effects|². The loss is quadratic for misses well under `softness` and linear well above it (pseudo-Huber), so
 * outliers pull little. Rows from `ceilingsFrom` on are upper bounds: where the sum is lower, they hardly count. Returns the
 * effects of the columns.
 */
export function robustRidge(
  rows: SparseRows,
  target: Float64Array,
  importance: Float64Array,
  { strength, softness, ceilingsFrom }: { strength: number; softness: number; ceilingsFrom: number },
): Float64Array {
  const effects = new Float64Array(rows.columns)
  const weight = importance.slice()
  for (let round = 0; round < ROUNDS; round++) {
    solve(rows, target, weight, strength, effects)
    for (let n = 0; n < target.length; n++) {
      const miss = (target[n]! - rowSum(rows, n, effects)) / softness
      // A miss of 1 (a factor of e) keeps its weight; smaller misses gain weight, larger ones lose it.
      const usual = Math.sqrt((1 + 1 / softness ** 2) / (1 + miss ** 2))
      weight[n] = importance[n]! * usual * (n >= ceilingsFrom && miss > 0 ? UNDER_CEILING : 1)
    }
  }
  solve(rows, target, weight, strength, effects)
  return effects
}
