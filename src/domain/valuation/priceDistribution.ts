import type { ValueBand } from './calibratedValue.ts'

/**
 * Steps of ln 3 in ln odds: 10, 25, 50, 75 and 90 % of the prices lie below −2,
 * −1, 0, 1 and 2. The far ones close the tails: of 10 billion prices one is
 * beyond them.
 */
const STEPS = [-21, -2, -1, 0, 1, 2, 21] as const
const TAIL_STEPS = 19
/**
 * The known amounts differ by at least 1 %, so that bands of whole cents around
 * a cent have a width.
 */
const LEAST_WIDTH = 0.01

/** How the prices of such lots are spread. */
interface PriceDistribution {
  /**
   * Where `cents` (more than 0) is: −2, −1, 0, 1 and 2 are the five amounts,
   * below and beyond them it goes on.
   */
  stepAt(cents: number): number
  /** The share of the prices above `cents` (more than 0), 0 to 1. */
  shareAbove(cents: number): number
  /**
   * The amount in cents that this share of the prices (more than 0, less than
   * 1) exceeds.
   */
  centsExceededBy(share: number): number
}

/**
 * The distribution of the prices that such lots bring, from the estimated
 * value, which half of them reach, and its two bands alone. Between the five
 * amounts the ln odds are linear in the ln of the price; beyond them they go on
 * with the mean slope of their side. Amounts in US cents.
 */
export function priceDistribution(
  value_cents: number,
  band: ValueBand,
): PriceDistribution {
  const middle = Math.log(value_cents)
  const likelyLow = Math.min(
    middle - LEAST_WIDTH,
    Math.log(band.likely_low_cents),
  )
  const likelyHigh = Math.max(
    middle + LEAST_WIDTH,
    Math.log(band.likely_high_cents),
  )
  const low = Math.min(likelyLow - LEAST_WIDTH, Math.log(band.range_low_cents))
  const high = Math.max(
    likelyHigh + LEAST_WIDTH,
    Math.log(band.range_high_cents),
  )
  const farLow = low - (TAIL_STEPS / 2) * (middle - low)
  const farHigh = high + (TAIL_STEPS / 2) * (high - middle)
  const logPrices = [farLow, low, likelyLow, middle, likelyHigh, high, farHigh]
  const stepAt = (cents: number) =>
    interpolated(logPrices, STEPS, Math.log(cents))
  return {
    stepAt,
    shareAbove: (cents: number) => 1 / (1 + 3 ** stepAt(cents)),
    centsExceededBy: (share: number) =>
      Math.exp(
        interpolated(STEPS, logPrices, Math.log(1 / share - 1) / Math.log(3)),
      ),
  }
}

/**
 * The height at `place`, linear between the points (ascending `places`,
 * `heights`), constant beyond the first and the last.
 */
export function interpolated(
  places: readonly number[],
  heights: readonly number[],
  place: number,
): number {
  if (place <= places[0]!) return heights[0]!
  const next = places.findIndex(end => place < end)
  if (next < 0) return heights.at(-1)!
  const share =
    (place - places[next - 1]!) / (places[next]! - places[next - 1]!)
  return heights[next - 1]! + share * (heights[next]! - heights[next - 1]!)
}
