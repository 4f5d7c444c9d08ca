import { ENOUGH_LIKE } from '../valuation/grade.ts'
import { type KnownValue, resaleValueCents } from '../valuation/projection.ts'
import { limitFor, USUAL_BUYER } from './buyerCosts.ts'

/**
 * What decides whether a limit may be named, and which bids the source takes.
 */
export interface LimitedLot {
  category: string
  source: string
  /** Of the price, in percent. */
  premium_percent: number
  /** How many of its comparables are of such a thing. */
  like_count: number
}

/**
 * The highest bid that leaves the usual margin, as the source takes it, and the
 * resale value that it follows from, in US cents. Null with grade words, and
 * for heavy equipment with few like sales, whose prices differ too much.
 * @param resale_value_cents that of the value, where no earlier version of the
 * score decided another.
 */
export function limitOf(
  lot: LimitedLot,
  value: KnownValue,
  resale_value_cents = resaleValueCents(value),
): { max_bid_cents: number; resale_value_cents: number } | null {
  if (
    value.grade === 'words' ||
    (lot.category === 'heavy-equipment' && lot.like_count < ENOUGH_LIKE)
  )
    return null
  const { premium_percent, source } = lot
  return {
    max_bid_cents: maxBidCents(resale_value_cents, premium_percent, source),
    resale_value_cents,
  }
}

/**
 * The highest bid in whole cents, from 0, that leaves the usual buyer the usual
 * margin of a resale value.
 * @param premium_percent the buyer's premium, in percent of the bid.
 * @param source whose bids they are; empty where none decides which it takes.
 */
export function maxBidCents(
  resale_value_cents: number,
  premium_percent: number,
  source = '',
): number {
  return (
    limitFor(USUAL_BUYER, { premium_percent, resale_value_cents, source }) ?? 0
  )
}
