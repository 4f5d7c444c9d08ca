import { DAY_MS } from '../domain/durations.ts'
import type { DemoLot } from './makeLot.ts'
import type { Random } from './random.ts'

/** The amounts of a feed row, in US dollars. */
export type Bidding = ReturnType<typeof openBidding>

type BiddingFacts = Pick<DemoLot, 'source' | 'profile' | 'value'>

/** A lot that sold at its true value, above the starting bid. */
export function soldBidding(random: Random, facts: BiddingFacts): Bidding {
  const final_bid = bidAmount(random, facts.value)
  const starting_bid = startingBid(random, facts)
  return {
    current_bid: final_bid,
    starting_bid:
      starting_bid === null ? null : Math.min(starting_bid, final_bid),
    buy_now: buyNowPrice(random, facts, final_bid),
    num_bids: bidCount(random, facts, 1),
    final_bid,
  }
}

/** A lot without bids or, in one case of five, with bids below the reserve. */
export function unsoldBidding(random: Random, facts: BiddingFacts) {
  if (facts.source.bids > 0 && random.chance(0.2))
    return openBidding(random, facts, random.between(0.2, 0.7), 0.6)
  return openBidding(
    random,
    { ...facts, value: facts.value * random.between(1, 2.5) },
    0,
    0,
  )
}

/** Start and end of a lot, in milliseconds since 1970. */
export interface Schedule {
  startsAt: number
  endsAt: number
}

/**
 * A live lot. The current bid is a share of the true value that rises, with
 * random scatter, from an eighth at the start to two fifths a day before the
 * end, and to nine tenths at it; cheap lots wait longest for the first bid.
 * Over a third have none, as on GSA Auctions in November 2026 (36 %).
 * @param now from its start to its end, in milliseconds since 1970.
 */
export function liveBidding(
  random: Random,
  facts: BiddingFacts,
  { now, startsAt, endsAt }: Schedule & { now: number },
): Bidding {
  const elapsed = (now - startsAt) / (endsAt - startsAt)
  const patience = atAmount(PATIENCE, facts.value)
  const quiet = random.chance(
    1.2 * facts.profile.unsold + patience * (1 - elapsed),
  )
  if (facts.source.bids === 0 || quiet) return openBidding(random, facts, 0, 0)
  const lastDay = Math.min(1, (endsAt - now) / DAY_MS)
  const share = Math.exp(
    -0.1 - 1.2 * (1 - elapsed) - 0.8 * lastDay + 0.3 * random.normal(),
  )
  return openBidding(random, facts, Math.min(0.97, share), 0.3 + 0.7 * elapsed)
}

function openBidding(
  random: Random,
  facts: BiddingFacts,
  share: number,
  activity: number,
) {
  const starting_bid = startingBid(random, facts)
  const bid =
    share === 0
      ? null
      : Math.max(bidAmount(random, facts.value * share), starting_bid ?? 0)
  return {
    current_bid: bid,
    starting_bid,
    buy_now: buyNowPrice(random, facts, bid ?? 0),
    num_bids: bid === null ? 0 : bidCount(random, facts, activity),
    final_bid: null as number | null,
  }
}

function startingBid(random: Random, { source, value }: BiddingFacts) {
  return random.chance(source.starting)
    ? askingPrice(value * random.between(0.06, 0.35))
    : null
}

function buyNowPrice(
  random: Random,
  { source, value }: BiddingFacts,
  atLeast: number,
) {
  return random.chance(source.buy_now)
    ? askingPrice(Math.max(value * random.between(1.15, 1.7), atLeast * 1.2))
    : null
}

/** What holds below each amount of dollars. */
type Steps = readonly (readonly [below: number, holds: number])[]

/** How long the bidders of a lot wait, by its value. */
const PATIENCE: Steps = [
  [100, 0.7],
  [1_000, 0.5],
  [Infinity, 0.3],
]
/** The amounts that most bids and all asking prices are multiples of. */
const BID_STEPS: Steps = [
  [500, 5],
  [5_000, 25],
  [100_000, 50],
  [Infinity, 500],
]
const ASKING_STEPS: Steps = [
  [100, 5],
  [1_000, 25],
  [20_000, 100],
  [Infinity, 1_000],
]

function atAmount(steps: Steps, dollars: number): number {
  return steps.find(([below]) => dollars < below)![1]
}

/**
 * At least one. On closed federal lots the mean is 2 at 80 dollars, 4.4 at
 * 1,280 and 5.4 at 5,120.
 */
function bidCount(
  random: Random,
  { source, value }: BiddingFacts,
  activity: number,
) {
  return (
    1 +
    random.poisson(
      Math.min(
        18,
        0.7 * source.bids * activity * Math.log(Math.max(value, 14) / 13),
      ),
    )
  )
}

/**
 * The amount of a bid, at least 5 dollars. Three in four are round, because of
 * bid increments.
 */
function bidAmount(random: Random, dollars: number) {
  const step = atAmount(BID_STEPS, dollars)
  return Math.max(
    5,
    random.chance(0.75)
      ? Math.round(dollars / step) * step
      : Math.round(dollars),
  )
}

/** A seller's asking price, which is rounder than a bid. */
function askingPrice(dollars: number) {
  const step = atAmount(ASKING_STEPS, dollars)
  return Math.max(5, Math.round(dollars / step) * step)
}
