import { type Prices, withPremium } from '../price.ts'
import type { CalibratedValue } from './calibratedValue.ts'
import type { Grade } from './grade.ts'
import { type BidMoment, projectedCloseCents } from './projection.ts'

/** The share of a value that counts, by how it is known. */
const WEIGHTS = { comparables: 1, few: 0.7 } satisfies Partial<Record<Grade, number>>

/** A stored profit changes with time alone at these hours before the end; between them the close is projected from the earlier one. */
const STEP_HOURS = [168, 72, 48, 24, 12, 6, 3, 1]

/**
 * What a lot is expected to bring above its cost, in whole cents, negative for a loss: its weighted value less the projected close, or
 * a lower fixed price, with the buyer's premium. Without a bid the close is projected from the starting bid.
 * @param moments as for `projectedCloseCents`.
 */
export function expectedProfitCents(
  lot: Prices & { premium_percent: number },
  {
    value_cents,
    band,
    grade,
  }: Pick<CalibratedValue, 'value_cents' | 'band'> & { grade: keyof typeof WEIGHTS },
  hours_left: number | null,
  moments: readonly BidMoment[] | null,
): number {
  const bid_cents = lot.current_bid_cents ?? lot.starting_bid_cents
  const step = STEP_HOURS.findLast(hours => hours > (hours_left ?? Number.POSITIVE_INFINITY)) ?? null
  const close = projectedCloseCents({ value_cents, band, bid_cents, hours_left: step }, moments)
  const price = Math.min(close, lot.buy_now_cents ?? close)
  return Math.round(value_cents * WEIGHTS[grade]) - withPremium(price, lot.premium_percent)
}

/** How many hours before the end the profit changes next, if only time passes; 0 when it stays the same until the end. */
export function hoursLeftAtNextProfit(hoursLeft: number): number {
  return STEP_HOURS.find(hours => hours < hoursLeft) ?? 0
}
