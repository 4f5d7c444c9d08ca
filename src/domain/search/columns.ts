/** Some lots. */
export interface LotList {
  ordinals: Uint32Array
  /** Where they are there, the facts and prices of each, beside it: looked up by the ordinal they lie far apart in memory. */
  facts: Uint32Array | null
  price_cents: Float64Array | null
}

/** Lots by one of their properties: those of group `g` are `ordinals[starts[g]]` to before `ordinals[starts[g + 1]]`. */
export interface Groups {
  ordinals: Uint32Array
  starts: Uint32Array
  /** How many of each group had begun when the index was made. */
  begun: Uint32Array
  /** The facts of the lots, in the order of `ordinals`. */
  facts: Uint32Array
}

/** The ordinals of all keys, by key and then by ordinal. @param keys finite or infinite, never NaN. */
export function orderBy(keys: Float64Array): Uint32Array {
  const count = keys.length
  const sorted = keys.slice().sort()
  // Numbers sort ten times as fast as what needs a comparison of our own: rank and ordinal fit one number up to 94 million lots.
  const packed = new Float64Array(count)
  for (let ordinal = 0; ordinal < count; ordinal++)
    packed[ordinal] = firstAtLeast(count, at => sorted[at]!, keys[ordinal]!) * count + ordinal
  packed.sort()
  const ordinals = new Uint32Array(count)
  for (let place = 0; place < count; place++) ordinals[place] = packed[place]! % count
  return ordinals
}

/** Places from one to before another. */
export type Stretch = readonly [from: number, to: number]

/** Counting sort. @param order of the lots in each group. @param codes the group of each lot, below `groups`. */
export function groupBy(
  order: Uint32Array,
  codes: ArrayLike<number>,
  groups: number,
  facts: Uint32Array,
  hasBegun: (ordinal: number) => boolean,
): Groups {
  const starts = new Uint32Array(groups + 1)
  const begun = new Uint32Array(groups)
  for (let ordinal = 0; ordinal < codes.length; ordinal++) {
    starts[codes[ordinal]! + 1]! += 1
    if (hasBegun(ordinal)) begun[codes[ordinal]!]! += 1
  }
  for (let group = 0; group < groups; group++) starts[group + 1]! += starts[group]!
  const next = starts.slice()
  const ordinals = new Uint32Array(codes.length)
  for (const ordinal of order) ordinals[next[codes[ordinal]!]!++] = ordinal
  return { ordinals, starts, begun, facts: ordinals.map(ordinal => facts[ordinal]!) }
}

/** Where the lots of one group are; nowhere for a group that there is not. */
export function stretchOf({ starts }: Groups, group: number): Stretch {
  return group < 0 ? [0, 0] : [starts[group]!, starts[group + 1]!]
}

/** The part of a stretch with values from the least to the most. @param valueAt ascending. */
export function stretchBetween(
  [from, to]: Stretch,
  valueAt: (place: number) => number,
  least: number,
  most: number,
): Stretch {
  const first = from + firstAtLeast(to - from, place => valueAt(from + place), least)
  return [first, first + firstAbove(to - first, place => valueAt(first + place), most)]
}

/** The lots of a stretch. */
export function listOf({ ordinals, facts }: Groups, [from, to]: Stretch): LotList {
  return {
    ordinals: ordinals.subarray(from, to),
    facts: facts.subarray(from, to),
    price_cents: null,
  }
}

/** How many of those before each place are counted; one number more than there are ordinals. */
export function runningCount(ordinals: Uint32Array, isCounted: (ordinal: number) => boolean): Uint32Array {
  const counts = new Uint32Array(ordinals.length + 1)
  for (let place = 0; place < ordinals.length; place++)
    counts[place + 1] = counts[place]! + (isCounted(ordinals[place]!) ? 1 : 0)
  return counts
}

/** The first place whose value is `least` or more; `count` when there is none. @param valueAt ascending. */
export function firstAtLeast(count: number, valueAt: (place: number) => number, least: number): number {
  return countBefore(count, place => valueAt(place) < least)
}

/** The first place whose value is more than `most`; `count` when there is none. @param valueAt ascending. */
export function firstAbove(count: number, valueAt: (place: number) => number, most: number): number {
  return countBefore(count, place => valueAt(place) <= most)
}

/** How many places come before an edge, found by halves. @param isBefore true up to the edge, then false. */
function countBefore(count: number, isBefore: (place: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
