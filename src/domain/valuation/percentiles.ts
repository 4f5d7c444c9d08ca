/** Prices in cents below which 10, 25, 50, 75 and 90 % of the sales lie. */
export type Percentiles = NonNullable<ReturnType<typeof percentilesOf>>

/**
 * The value at `share` (0 to 1) of ascending numbers, interpolated between the
 * two nearest: PostgreSQL's `percentile_cont`. At least one number is needed.
 */
export function percentileCont(
  ascending: ArrayLike<number>,
  share: number,
): number {
  const place = share * (ascending.length - 1)
  const below = Math.floor(place)
  const low = ascending[below]
  if (low === undefined)
    throw new RangeError('A percentile needs at least one number.')
  const high = ascending[below + 1] ?? low
  return low + (high - low) * (place - below)
}

/**
 * The five percentiles of prices in any order, rounded to a cent; null without
 * a price.
 */
export function percentilesOf(pricesCents: readonly number[]) {
  if (pricesCents.length === 0) return null
  const ascending = Float64Array.from(pricesCents).sort()
  const at = (share: number) => Math.round(percentileCont(ascending, share))
  return {
    p10_cents: at(0.1),
    p25_cents: at(0.25),
    p50_cents: at(0.5),
    p75_cents: at(0.75),
    p90_cents: at(0.9),
  }
}
