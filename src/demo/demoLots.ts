import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/durations.ts'
import {
  completedRow,
  type LotRow,
  type Outcome,
} from '../domain/feeds/lotRow.ts'
import {
  type Bidding,
  liveBidding,
  type Schedule,
  soldBidding,
  unsoldBidding,
} from './bidding.ts'
import { drawClosingSource, drawSource } from './catalogue.ts'
import { type DemoLot, describe, makeLot } from './makeLot.ts'
import { Random } from './random.ts'

export interface DemoSize {
  /** How many live lots; about 3 % more are announced and not open yet. */
  lots: number
  /** How many sales with a price; about 15 % more closed without a buyer. */
  sales: number
  /**
   * Any whole number. The same four values give the same rows, byte for byte.
   */
  seed: number
  /** When the live lots are live, and the end of the year of sales. */
  asOf: Date
}

const UPCOMING_SHARE = 0.03

/** Far above the numbers in use: no demo row overwrites a real lot. */
const FIRST_ID = 9_000_000_000

/**
 * Instead of an address: the function `official_page` of the database makes it
 * the page of the lot on this service.
 */
export const DEMO_PAGE = '/'

/**
 * Closed, live and upcoming lots have separate numbers, so that a larger demo
 * of the same seed contains a smaller one.
 */
const SERIES = [closedLot, liveLot, upcomingLot]

/** What one lot is drawn from. */
interface Draw {
  random: Random
  seed: number
  serial: number
  now: number
}

/**
 * Generates lots of every category, source and state that look like real ones:
 * the closed lots first, one at a time, in constant memory. The rows of every
 * seed have the same ids.
 */
export function* demoLots({
  lots,
  sales,
  seed,
  asOf,
}: DemoSize): Generator<LotRow, void, undefined> {
  const now = Math.floor(asOf.getTime() / 1000) * 1000
  const random = new Random()
  const lotOf = (make: (draw: Draw) => LotRow, index: number) => {
    const serial = index * SERIES.length + SERIES.indexOf(make)
    random.restart(seed, serial)
    return make({ random, seed, serial, now })
  }
  for (let index = 0, sold = 0; sold < sales; index += 1) {
    const row = lotOf(closedLot, index)
    if (row.outcome === 'sold') sold += 1
    yield row
  }
  for (let index = 0; index < lots; index += 1) yield lotOf(liveLot, index)
  const upcoming = Math.round(lots * UPCOMING_SHARE)
  for (let index = 0; index < upcoming; index += 1)
    yield lotOf(upcomingLot, index)
}

/**
 * The share of lots that are one of a batch, such as a fleet that is sold in
 * the course of a year: the same title at nearly the same price.
 */
const BATCH_SHARE = 0.25
const BATCHES = 400
/** The standard deviation of ln(price) within a batch. */
const BATCH_SIGMA = 0.08

/**
 * A lot, alone or of a batch. Low batches are drawn more often, so that a small
 * demo has some with several sales.
 */
function drawLot({ random, seed, serial }: Draw, draw: typeof drawSource) {
  if (!random.chance(BATCH_SHARE)) return makeLot(random, draw(random))
  random.restart(seed, -1 - Math.floor(BATCHES * random.next() ** 2))
  const lot = makeLot(random, drawClosingSource(random))
  random.restart(seed, -1 - BATCHES - serial)
  // A home is sold alone.
  if (lot.profile.vocabulary === 'property')
    return makeLot(random, draw(random))
  return { ...lot, value: lot.value * Math.exp(BATCH_SIGMA * random.normal()) }
}

function closedLot(draw: Draw) {
  const { random, now } = draw
  const lot = drawLot(draw, drawClosingSource)
  const outcome = random.chance(lot.profile.unsold) ? 'unsold' : 'sold'
  const bidding =
    outcome === 'sold' ? soldBidding(random, lot) : unsoldBidding(random, lot)
  return rowOf(draw, lot, closedSchedule(random, now), bidding, outcome)
}

function liveLot(draw: Draw) {
  const { random, now } = draw
  const lot = drawLot(draw, drawSource)
  const schedule = liveSchedule(random, now)
  return rowOf(
    draw,
    lot,
    schedule,
    liveBidding(random, lot, { now, ...schedule }),
  )
}

function upcomingLot(draw: Draw) {
  const { random, now } = draw
  const lot = drawLot(draw, drawClosingSource)
  const quiet = { ...lot, source: { ...lot.source, bids: 0 } }
  return rowOf(
    draw,
    lot,
    upcomingSchedule(random, now),
    liveBidding(random, quiet, { now, startsAt: now, endsAt: now + DAY_MS }),
  )
}

function rowOf(
  { random, serial }: Draw,
  lot: DemoLot,
  schedule: Schedule,
  bidding: Bidding,
  outcome: Outcome | null = null,
): LotRow {
  const { source, profile, place, grade } = lot
  const placeless = random.chance(0.006)
  return completedRow({
    source: source.source,
    source_id: String(FIRST_ID + serial),
    title: lot.title,
    description: random.chance(source.described) ? describe(random, lot) : null,
    category: profile.category,
    state: placeless ? null : place.state,
    city: placeless || random.chance(0.01) ? null : place.city,
    zip: placeless || random.chance(0.03) ? null : place.zip,
    current_bid_cents: cents(bidding.current_bid),
    buy_now_cents: cents(bidding.buy_now),
    starting_bid_cents: cents(bidding.starting_bid),
    num_bids: bidding.num_bids,
    condition_grade: random.chance(source.graded) ? grade : null,
    image_url: null,
    start_date: source.openEnded ? null : rfc3339(schedule.startsAt),
    end_date: source.openEnded ? null : rfc3339(schedule.endsAt),
    source_url: DEMO_PAGE,
    outcome,
    final_bid_cents: cents(bidding.final_bid),
    price_basis: outcome === 'sold' ? source.basis : null,
    offer_kind: 'auction',
    bid_increment_cents:
      outcome === null
        ? cents(stepAbove(bidding.current_bid ?? bidding.starting_bid))
        : null,
    auction_name: auctionOf(lot, schedule),
  })
}

/** What a bid must rise by, in dollars. */
function stepAbove(price: number | null) {
  if ((price ?? 0) < 100) return 5
  return price! < 1_000 ? 25 : 100
}

/**
 * A source auctions the goods of a state that end on one day together; homes
 * alone.
 */
function auctionOf({ source, profile, place }: DemoLot, { endsAt }: Schedule) {
  if (source.openEnded || profile.vocabulary === 'property') return null
  return `${place.state}-${rfc3339(endsAt).slice(0, 10)}`
}

function cents(dollars: number | null) {
  return dollars === null ? null : dollars * 100
}

function rfc3339(moment: number) {
  return `${new Date(moment).toISOString().slice(0, 19)}Z`
}

/** The longest and the shortest time that a live lot has left in a new demo. */
const LONGEST_DAYS_LEFT = 43
const SHORTEST_LEFT = 2 * HOUR_MS

/**
 * A lot that ended on one of the 364 days before the day of `asOf`, all equally
 * likely.
 */
function closedSchedule(random: Random, asOf: number) {
  const endsAt =
    startOfDay(asOf) - random.whole(1, 364) * DAY_MS + closingTime(random)
  return {
    startsAt:
      endsAt - random.whole(5, 14) * DAY_MS - random.whole(0, 300) * MINUTE_MS,
    endsAt,
  }
}

/**
 * A live lot: nine in ten end within ten days, none within two hours, none
 * after 45 days.
 */
function liveSchedule(random: Random, asOf: number) {
  const daysLeft = Math.min(
    LONGEST_DAYS_LEFT,
    Math.floor(-4.2 * Math.log(1 - random.next())),
  )
  let endsAt = startOfDay(asOf) + daysLeft * DAY_MS + closingTime(random)
  if (endsAt <= asOf + SHORTEST_LEFT) endsAt += DAY_MS
  return { startsAt: asOf - random.whole(30, 12 * 24 * 60) * MINUTE_MS, endsAt }
}

/** A lot that is announced and opens within ten days. */
function upcomingSchedule(random: Random, asOf: number) {
  const startsAt = asOf + random.whole(60, 10 * 24 * 60) * MINUTE_MS
  return {
    startsAt,
    endsAt:
      startOfDay(startsAt) + random.whole(4, 14) * DAY_MS + closingTime(random),
  }
}

/**
 * Sales close in US business hours: 14:00 to 23:59 UTC, most on five minutes.
 */
function closingTime(random: Random) {
  const minute = random.chance(0.7)
    ? random.whole(0, 11) * 5
    : random.whole(0, 59)
  return random.whole(14, 23) * HOUR_MS + minute * MINUTE_MS
}

function startOfDay(moment: number) {
  return moment - (moment % DAY_MS)
}
