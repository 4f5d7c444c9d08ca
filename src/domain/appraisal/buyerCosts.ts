import type { Schemas } from '../../contract/types.ts'
import { RESALE_COST_SHARE, withPremium } from '../price.ts'
import { enterable, TARGET_MARGIN_PERCENT } from '../valuation/projection.ts'

/** What buying and reselling costs one buyer. */
export interface Buyer {
  /** Five digits, with or without four more; null where it is not known. */
  buyer_zip: string | null
  /** US dollars for each mile from that ZIP code to the lot. */
  cost_per_mile: number
  /**
   * Sales tax, in percent of the bid, and of the premium where the source taxes
   * it.
   */
  tax_percent: number
  /** Of paying by card, in percent of bid, premium and tax. */
  surcharge_percent: number
  /** In percent of the resale price. */
  resale_cost_percent: number
  /** In percent of all that the lot costs. */
  margin_percent: number
  /** For each lot, in US cents. */
  fixed_cost_cents: number
}

/** Whom limits are for until a buyer says more. */
export const USUAL_BUYER: Buyer = {
  buyer_zip: null,
  cost_per_mile: 0,
  tax_percent: 0,
  surcharge_percent: 0,
  resale_cost_percent: 100 * RESALE_COST_SHARE,
  margin_percent: TARGET_MARGIN_PERCENT,
  fixed_cost_cents: 0,
}

/**
 * The names of all that describes a buyer, which are also parameters of the
 * contract.
 */
export const BUYER_PARAMETERS = Object.keys(USUAL_BUYER) as (keyof Buyer)[]

/** What the costs of a lot depend on besides the bid, and what it brings. */
interface LotCosts {
  source: string
  /**
   * Of the lot, else of its source, in percent of the bid; null where neither
   * publishes it.
   */
  premium_percent: number | null
  /**
   * Whether sales tax is due on the premium too; null where the source does not
   * say.
   */
  premium_is_taxed?: boolean | null
  /** From the buyer to the lot; null where either place is unknown. */
  distance_miles?: number | null
  /**
   * What a buyer can count on, in US cents; null where no limit may be named.
   */
  resale_value_cents: number | null
}

/** A lot that somebody thinks of buying. Amounts in US cents. */
export interface LotToBuy extends Required<LotCosts> {
  /** What has to be paid or bid now; null while nobody has named a price. */
  next_cents: number | null
  /** Where it will close; null where that is not known. */
  likely_cents: number | null
}

/**
 * What a lot costs a buyer, and up to which bid it pays, as the contract has
 * them.
 */
export type BuyerCosts = NonNullable<Schemas['YourCosts']>

/** What one bid costs in all, each line rounded to the cent, half up. */
export function costsOfBid(
  buyer: Buyer,
  lot: LotCosts,
  bid_cents: number,
): NonNullable<Schemas['BidCosts']> {
  const { cost_per_mile, fixed_cost_cents } = buyer
  const { premium_percent, distance_miles, resale_value_cents: resale } = lot
  const price = withPremium(bid_cents, premium_percent ?? 0)
  const tax_cents = shareOf(
    lot.premium_is_taxed ? price : bid_cents,
    buyer.tax_percent,
  )
  const surcharge_cents = shareOf(price + tax_cents, buyer.surcharge_percent)
  const transport = Math.round(100 * cost_per_mile * (distance_miles ?? 0))
  const total_cents =
    price + tax_cents + surcharge_cents + transport + fixed_cost_cents
  return {
    bid_cents,
    premium_cents: premium_percent === null ? null : price - bid_cents,
    tax_cents,
    surcharge_cents,
    transport_cents:
      cost_per_mile && distance_miles === null ? null : transport,
    fixed_cost_cents,
    total_cents,
    left_cents:
      resale === null
        ? null
        : resale - shareOf(resale, buyer.resale_cost_percent) - total_cents,
  }
}

function shareOf(cents: number, percent: number) {
  return Math.round((cents * percent) / 100)
}

/**
 * The highest bid that the source takes and that leaves the buyer's margin, in
 * US cents; null where not even a bid of 0 leaves it.
 */
export function limitFor(buyer: Buyer, lot: LotCosts): number | null {
  let most = -1
  let tooMuch = (lot.resale_value_cents ?? most) + 1
  while (tooMuch - most > 1) {
    const bid = Math.floor((most + tooMuch) / 2)
    const { total_cents, left_cents } = costsOfBid(buyer, lot, bid)
    if (left_cents! * 100 < total_cents * buyer.margin_percent) tooMuch = bid
    else most = bid
  }
  return most < 0 ? null : enterable(most, lot.source)
}

/**
 * What a lot costs a buyer now, at the buyer's limit, and at the likely price.
 */
export function buyerCosts(buyer: Buyer, lot: LotToBuy): BuyerCosts {
  const { distance_miles, premium_is_taxed } = lot
  const limit_cents = limitFor(buyer, lot)
  const at = (bid_cents: number | null) =>
    bid_cents === null ? null : costsOfBid(buyer, lot, bid_cents)
  return {
    distance_miles,
    premium_is_taxed,
    limit_cents,
    at_next: at(lot.next_cents),
    at_limit: at(limit_cents),
    at_likely: at(lot.likely_cents),
  }
}
