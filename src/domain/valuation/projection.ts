import sources from '../../../data/sources.json' with { type: 'json' }
import { type Prices, RESALE_COST_SHARE, withPremium } from '../price.ts'
import type { CalibratedValue, ValueBand } from './calibratedValue.ts'
import type { Grade } from './grade.ts'
import { interpolated, priceDistribution } from './priceDistribution.ts'

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

/** How the bids of ended lots rose from one moment to their close, in ln of the price: half of them by `share` · room + `rise` or less. */
export type BidMoment = {
  /** Before the end that was known at that moment. */
  hours: number
  /** 0 to 1, of `roomAbove`. */
  share: number
  rise: number
}

/** By the formula half of the expected rise is still to come this long before the end; twice as long before it, three quarters. */
const HALF_OF_RISE_HOURS = 6
/** The largest amount of the contract. */
const MOST_CENTS = 1_000_000_000_000

/**
 * The likely closing price of a lot in cents: without a bid its value. With a bid, the bid and the rise still to come. It is never
 * below the bid, meets it at the end, and neither a higher bid nor more time left lowers it.
 * @param moments what was learned from ended lots, ascending by hours; null for the formula.
 */
export function projectedCloseCents(
  { value_cents, band, bid_cents, hours_left }: Projected,
  moments: readonly BidMoment[] | null,
) {
  return bid_cents
    ? closeCents(bid_cents, roomAbove(value_cents, band, bid_cents), hours_left, moments)
    : value_cents
}

/** ln(median of the prices of such lots that reach the bid / bid), at least 0: how far bids would rise if only the value counted. */
export function roomAbove(value_cents: number, band: ValueBand, bid_cents: number) {
  const { shareAbove, centsExceededBy } = priceDistribution(value_cents, band)
  return Math.max(0, Math.log(centsExceededBy(shareAbove(bid_cents) / 2) / bid_cents))
}

/** The projected close in cents from a bid and the room above it. */
export function closeCents(
  bid_cents: number,
  room: number,
  hours_left: number | null,
  moments: readonly BidMoment[] | null,
) {
  const hours = Math.max(0, hours_left ?? Number.POSITIVE_INFINITY)
  return risenCents(bid_cents, moments ? learnedRise(room, hours, moments) : room * shareToCome(hours))
}

/** A bid after a rise in ln of the price, in whole cents; never below the bid. */
export function risenCents(bid_cents: number, rise: number) {
  return Math.max(bid_cents, Math.min(MOST_CENTS, Math.round(bid_cents * Math.exp(rise))))
}

/** The share of the room that the formula expects bids to rise by in the hours that are left. */
export function shareToCome(hours: number) {
  return 1 - 0.5 ** (hours / HALF_OF_RISE_HOURS)
}

/** Linear in time between the moments, none at the end. A moment never expects less than a later one, whatever few lots say. */
function learnedRise(room: number, hours: number, moments: readonly BidMoment[]) {
  let most = 0
  const rises = moments.map(({ share, rise }) => {
    most = Math.max(most, share * room + rise)
    return most
  })
  return interpolated([0, ...moments.map(moment => moment.hours)], [0, ...rises], hours)
}

/**
 * The highest bid in whole cents, from 0, at which the resale margin is at least this much of the all-in cost.
 * @param premium_percent the source's buyer's premium, in percent of the bid.
 */
export function maxBidCents(
  value_cents: number,
  premium_percent: number,
  margin_percent = TARGET_MARGIN_PERCENT,
) {
  const proceeds = value_cents - Math.round(value_cents * RESALE_COST_SHARE)
  const mostCost = Math.floor((proceeds * 100) / (100 + margin_percent))
  let bid = Math.ceil((mostCost + 1) / (1 + premium_percent / 100))
  while (bid > 0 && withPremium(bid, premium_percent) > mostCost) bid--
  return bid
}

/** A highest bid as its source takes it: some take whole dollars only (`whole_dollars` of data/sources.json). */
export function enterable(bid_cents: number, source: string) {
  return WHOLE_DOLLARS.has(source) ? bid_cents - (bid_cents % 100) : bid_cents
}

const WHOLE_DOLLARS = new Set(sources.flatMap(({ key, whole_dollars }) => (whole_dollars ? key : [])))

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
) {
  const bid_cents = lot.current_bid_cents ?? lot.starting_bid_cents
  const step = STEP_HOURS.findLast(hours => hours > (hours_left ?? Number.POSITIVE_INFINITY)) ?? null
  const close = projectedCloseCents({ value_cents, band, bid_cents, hours_left: step }, moments)
  const price = Math.min(close, lot.buy_now_cents ?? close)
  return Math.round(value_cents * WEIGHTS[grade]) - withPremium(price, lot.premium_percent)
}

/** How many hours before the end the profit changes next, if only time passes; 0 when it stays the same until the end. */
export function hoursLeftAtNextProfit(hoursLeft: number) {
  return STEP_HOURS.find(hours => hours < hoursLeft) ?? 0
}
