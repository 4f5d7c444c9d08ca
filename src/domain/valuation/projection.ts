import type { ValueBand } from './calibratedValue.ts'
import { priceDistribution } from './priceDistribution.ts'
import { RESALE_COST_SHARE, withPremium } from './resaleMargin.ts'

/** The margin that `maxBidCents` leaves, in percent of the all-in cost. */
export const TARGET_MARGIN_PERCENT = 25

/** What the close of a lot is projected from. Amounts in US cents. */
interface Projected {
  value_cents: number
  band: ValueBand
  /** 0 or null: no bid. */
  bid_cents: number | null
  /** 0 or less after the end; null when no end is known. */
  hours_left: number | null
}

/** This long before the end, half of the expected rise (in ln of the price) is still to come; twice as long before it, three quarters. */
const HALF_OF_RISE_HOURS = 6
/** The largest amount of the contract. */
const MOST_CENTS = 1_000_000_000_000

/**
 * The likely closing price of a lot in cents: without a bid its value. With a bid, the median of the prices of such lots that reach
 * the bid, which moves to the bid as the end nears and meets it there. It is never below the bid, and a higher bid never lowers it.
 *
 * This is a formula. Bids of auctions in progress, with which it could be calibrated, are not recorded.
 */
export function projectedCloseCents({ value_cents, band, bid_cents, hours_left }: Projected): number {
  if (!bid_cents) return value_cents
  const { shareAbove, centsExceededBy } = priceDistribution(value_cents, band)
  const median = Math.max(bid_cents, centsExceededBy(shareAbove(bid_cents) / 2))
  const toCome = hours_left === null ? 1 : 1 - 0.5 ** (Math.max(0, hours_left) / HALF_OF_RISE_HOURS)
  return Math.max(bid_cents, Math.min(MOST_CENTS, Math.round(bid_cents * (median / bid_cents) ** toCome)))
}

/**
 * The highest bid in whole cents, from 0, at which the resale margin is at least `TARGET_MARGIN_PERCENT` of the all-in cost.
 * @param premium_percent the source's buyer's premium, in percent of the bid.
 */
export function maxBidCents(value_cents: number, premium_percent: number): number {
  const proceeds = value_cents - Math.round(value_cents * RESALE_COST_SHARE)
  const mostCost = Math.floor((proceeds * 100) / (100 + TARGET_MARGIN_PERCENT))
  let bid = Math.ceil((mostCost + 1) / (1 + premium_percent / 100))
  while (bid > 0 && withPremium(bid, premium_percent) > mostCost) bid--
  return bid
}
