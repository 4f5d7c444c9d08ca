/** Sparse rows: row n has the features `feature[start[n]]` to `feature[start[n + 1] - 1]` with the values beside them. */
export interface SparseRows {
  features: number
  start: Int32Array
  feature: Int32Array
  value: Float64Array
}

/** How many times the weights are made anew, and how many steps the solver takes each time, warm from the last. */
const ROUNDS = 3
const STEPS = 8
const ENOUGH = 1e-6

/**
 * Ridge regression that outliers cannot pull: minimises Σ importance · loss(target − row · effects) + strength · |effects|²,
 * where the loss is square for misses well under `softness` and linear well above it (pseudo-Huber), by iteratively
 * reweighted least squares, each solved with preconditioned conjugate gradients. Returns the effect of each feature.
 */
export function robustRidge(
  rows: SparseRows,
  target: Float64Array,
  importance: Float64Array,
  { strength, softness }: { strength: number; softness: number },
): Float64Array {
  const effects = new Float64Array(rows.features)
  const weight = importance.slice()
  for (let round = 0; round < ROUNDS; round++) {
    solve(rows, target, weight, strength, effects)
    for (let n = 0; n < target.length; n++) {
      const miss = (target[n]! - dot(rows, n, effects)) / softness
      // A miss of 1 (a factor of e) keeps its weight; nearer ones gain, farther ones lose.
      weight[n] = importance[n]! * Math.sqrt((1 + 1 / softness ** 2) / (1 + miss ** 2))
    }
  }
  solve(rows, target, weight, strength, effects)
  return effects
}

/** The sum of effects of one row. */
function dot(rows: SparseRows, n: number, effects: Float64Array): number {
  let sum = 0
  for (let i = rows.start[n]!; i < rows.start[n + 1]!; i++) sum += rows.value[i]! * effects[rows.feature[i]!]!
  return sum
}

/** (XᵀWX + strength·I) effects = XᵀW target, starting from `effects`, which it changes. */
function solve(
  rows: SparseRows,
  target: Float64Array,
  weight: Float64Array,
  strength: number,
  effects: Float64Array,
) {
  const size = rows.features
  const residual = new Float64Array(size)
  const diagonal = new Float64Array(size).fill(strength)
  for (let n = 0; n < target.length; n++) {
    const pull = weight[n]! * (target[n]! - dot(rows, n, effects))
    for (let i = rows.start[n]!; i < rows.start[n + 1]!; i++) {
      residual[rows.feature[i]!]! += rows.value[i]! * pull
      diagonal[rows.feature[i]!]! += weight[n]! * rows.value[i]! ** 2
    }
  }
  for (let f = 0; f < size; f++) residual[f]! -= strength * effects[f]!
  const direction = residual.map((r, f) => r / diagonal[f]!)
  let energy = inner(residual, direction)
  const enough = energy * ENOUGH
  const image = new Float64Array(size)
  for (let step = 0; step < STEPS && energy > enough && energy > 0; step++) {
    apply(rows, weight, strength, direction, image)
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

function apply(
  rows: SparseRows,
  weight: Float64Array,
  strength: number,
  vector: Float64Array,
  image: Float64Array,
) {
  for (let f = 0; f < vector.length; f++) image[f] = strength * vector[f]!
  for (let n = 0; n < weight.length; n++) {
    const pull = weight[n]! * dot(rows, n, vector)
    for (let i = rows.start[n]!; i < rows.start[n + 1]!; i++)
      image[rows.feature[i]!]! += rows.value[i]! * pull
  }
}

function inner(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let f = 0; f < a.length; f++) sum += a[f]! * b[f]!
  return sum
}
