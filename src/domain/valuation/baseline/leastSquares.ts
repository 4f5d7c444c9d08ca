/** Sparse rows: row n has the entries `column[start[n]]` to `column[start[n + 1] - 1]` with the values beside them. */
export interface SparseRows {
  columns: number
  start: Int32Array
  column: Int32Array
  value: Float64Array
}

/**
 * Rows whose features have parts of their own: feature f counts as itself and as `parts` row f. The columns of `rows` are
 * the features; an unknown is an effect of each feature, then of each part.
 */
export interface LayeredRows {
  rows: SparseRows
  parts: SparseRows
}

const STEPS = 8
const ENOUGH = 1e-6

/** The sum of `vector` over one row. */
export function rowSum({ start, column, value }: SparseRows, n: number, vector: Float64Array): number {
  let sum = 0
  for (let i = start[n]!; i < start[n + 1]!; i++) sum += value[i]! * vector[column[i]!]!
  return sum
}

/** What each feature adds to a row all told: its own effect and those of its parts. */
export function withParts({ rows, parts }: LayeredRows, effects: Float64Array): Float64Array {
  const ofParts = effects.subarray(rows.columns)
  return effects.slice(0, rows.columns).map((effect, feature) => effect + rowSum(parts, feature, ofParts))
}

/**
 * Takes at most 8 steps of preconditioned conjugate gradients towards the effects that minimise
 * Σ weight · (target − row · effects)² + strength · |effects|², starting from `effects`, which it changes.
 */
export function solve(
  layered: LayeredRows,
  target: Float64Array,
  weight: Float64Array,
  strength: number,
  effects: Float64Array,
): void {
  const size = effects.length
  const diagonal = diagonalOf(layered, weight, strength)
  const residual = transposed(layered, pulls(layered, weight, effects, target))
  for (let f = 0; f < size; f++) residual[f]! -= strength * effects[f]!
  const direction = residual.map((r, f) => r / diagonal[f]!)
  let energy = inner(residual, direction)
  const enough = energy * ENOUGH
  for (let step = 0; step < STEPS && energy > enough && energy > 0; step++) {
    const image = transposed(layered, pulls(layered, weight, direction, null))
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

/** weight · (target − row · effects) of every row; without a target it counts as 0. */
function pulls(
  layered: LayeredRows,
  weight: Float64Array,
  effects: Float64Array,
  target: Float64Array | null,
): Float64Array {
  const told = withParts(layered, effects)
  return weight.map((w, n) => w * ((target?.[n] ?? 0) - rowSum(layered.rows, n, told)))
}

function transposed({ rows, parts }: LayeredRows, pull: Float64Array): Float64Array {
  const sums = new Float64Array(rows.columns + parts.columns)
  addColumns(rows, pull, sums)
  addColumns(parts, sums.slice(0, rows.columns), sums.subarray(rows.columns))
  return sums
}

/** Of the matrix that is solved; for parts as if no row had a part twice. It only has to be near. */
function diagonalOf({ rows, parts }: LayeredRows, weight: Float64Array, strength: number): Float64Array {
  const sums = new Float64Array(rows.columns + parts.columns)
  addColumns({ ...rows, value: rows.value.map(value => value ** 2) }, weight, sums)
  addColumns(
    { ...parts, value: parts.value.map(value => value ** 2) },
    sums.slice(0, rows.columns),
    sums.subarray(rows.columns),
  )
  return sums.map(sum => sum + strength)
}

/** Adds `factor` of each row times the row to `sums`. */
function addColumns({ start, column, value }: SparseRows, factor: Float64Array, sums: Float64Array): void {
  for (let n = 0; n < factor.length; n++) {
    const f = factor[n]!
    for (let i = start[n]!; i < start[n + 1]!; i++) sums[column[i]!]! += value[i]! * f
  }
}

function inner(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let f = 0; f < a.length; f++) sum += a[f]! * b[f]!
  return sum
}
