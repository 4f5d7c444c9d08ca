import sources from '../../../data/sources.json' with { type: 'json' }
import type { CalibratedValue, ValueBand } from './calibratedValue.ts'
import type { Grade } from './grade.ts'
import { interpolated, priceDistribution } from './priceDistribution.ts'

/** What such lots bring. Amounts in US cents. */
export type KnownValue = Pick<CalibratedValue, 'value_cents' | 'band' | 'grade'>

/** The margin that `maxBidCents` leaves, in percent of the all-in cost. */
export const TARGET_MARGIN_PERCENT = 25

/**
 * Before it, nothing says where a lot will close while nothing was learned of
 * how bids rise.
 */
export const LAST_HOURS = 24

/** What the close of a lot is projected from. Amounts in US cents. */
interface Projected {
  value_cents: number
  band: ValueBand
  /** 0 or null: no bid. */
  bid_cents: number | null
  /** 0 or less after the end; null when no end is known. */
  hours_left: number | null
}

/**
 * How the bids of ended lots rose from one moment to their close, in ln of the
 * price: half of them by `share` · room + `rise` or less.
 */
export type BidMoment = {
  /** Before the end that was known at that moment. */
  hours: number
  /** 0 to 1, of `roomAbove`. */
  share: number
  rise: number
  /**
   * The rises beyond the share of the room that a quarter and three quarters of
   * the lots stayed below; absent in older models.
   */
  quartiles?: [low: number, high: number]
}

/**
 * By the formula half of the expected rise is still to come this long before
 * the end; twice as long before it, three quarters.
 */
const HALF_OF_RISE_HOURS = 6
/**
 * Of the room: a bid far below a value also says that the value is too high for
 * this lot. Decision 42 has what was measured.
 */
const EXPECTED_SHARE = 0.5
/** The largest amount of the contract. */
const MOST_CENTS = 1_000_000_000_000

/**
 * A projected close with the band that holds half of the closes, in US cents.
 */
export interface Close {
  cents: number
  likely_low_cents: number
  likely_high_cents: number
}

/**
 * Where a lot will close. Without a bid at its value. With a bid, at the bid
 * and the rise still to come: never below the bid, at the bid at the end, and
 * neither a higher bid nor more time left lowers it.
 * @param moments what was learned from ended lots, ascending by hours; null for
 * the formula.
 */
export function projectedClose(
  { value_cents, band, bid_cents, hours_left }: Projected,
  moments: readonly BidMoment[] | null,
): Close {
  const { likely_low_cents, likely_high_cents } = band
  if (!bid_cents)
    return { cents: value_cents, likely_low_cents, likely_high_cents }
  const room = roomAbove(value_cents, band, bid_cents)
  const hours = Math.max(0, hours_left ?? Number.POSITIVE_INFINITY)
  const [low, middle, high] = moments
    ? learnedRises(room, hours, moments)
    : formulaRises(room, hours)
  return {
    cents: risenCents(bid_cents, middle),
    likely_low_cents: risenCents(bid_cents, Math.min(low, middle)),
    likely_high_cents: risenCents(bid_cents, Math.max(middle, high)),
  }
}

/**
 * ln(median of the prices of such lots that reach the bid / bid), at least 0:
 * how far bids would rise if only the value counted.
 */
export function roomAbove(
  value_cents: number,
  band: ValueBand,
  bid_cents: number,
): number {
  const { shareAbove, centsExceededBy } = priceDistribution(value_cents, band)
  return Math.max(
    0,
    Math.log(centsExceededBy(shareAbove(bid_cents) / 2) / bid_cents),
  )
}

/**
 * A bid after a rise in ln of the price, in whole cents; never below the bid.
 */
function risenCents(bid_cents: number, rise: number) {
  return Math.max(
    bid_cents,
    Math.min(MOST_CENTS, Math.round(bid_cents * Math.exp(rise))),
  )
}

/**
 * The share of the room that the formula expects bids to rise by in the hours
 * that are left.
 */
export function shareToCome(hours: number) {
  return EXPECTED_SHARE * (1 - 0.5 ** (hours / HALF_OF_RISE_HOURS))
}

/**
 * The rises in ln of the price that a quarter, half and three quarters of such
 * lots stay below.
 */
type Rises = [low: number, middle: number, high: number]

/**
 * Until rises are learned, the band ends where bids would be if only the value
 * counted.
 */
function formulaRises(room: number, hours: number): Rises {
  const middle = room * shareToCome(hours)
  return [middle / 2, middle, middle / EXPECTED_SHARE]
}

/**
 * Linear in time between the moments, none at the end. A moment never expects
 * less than a later one, whatever few lots say.
 */
function learnedRises(
  room: number,
  hours: number,
  moments: readonly BidMoment[],
): Rises {
  const places = [0, ...moments.map(moment => moment.hours)]
  let most = 0
  const rises = moments.map(({ share, rise }) => {
    most = Math.max(most, share * room + rise)
    return most
  })
  const middle = interpolated(places, [0, ...rises], hours)
  const [low, high] = [0, 1].map(end => {
    const beyond = moments.map(
      ({ rise, quartiles }) => (quartiles?.[end] ?? rise) - rise,
    )
    return middle + interpolated(places, [0, ...beyond], hours)
  })
  return [low!, middle, high!]
}

/**
 * The share of the prices of such lots that is above the value from which a
 * highest bid follows. At the shares of each grade, purchases replayed on later
 * weeks kept about the promised margin (`make bench ONLY=values`).
 */
const RESALE_SHARES: Record<Grade, number> = {
  comparables: 0.65,
  few: 0.6,
  words: 0.5,
}

/**
 * What a buyer who wins a lot can count on, in whole US cents: below its
 * estimated value, because those who win lots are those who overrated them.
 */
export function resaleValueCents({
  value_cents,
  band,
  grade,
}: KnownValue): number {
  return Math.round(
    priceDistribution(value_cents, band).centsExceededBy(RESALE_SHARES[grade]),
  )
}

/**
 * A highest bid as its source takes it: some take whole dollars only
 * (`whole_dollars` of data/sources.json).
 */
export function enterable(bid_cents: number, source: string): number {
  return WHOLE_DOLLARS.has(source) ? bid_cents - (bid_cents % 100) : bid_cents
}

const WHOLE_DOLLARS = new Set(
  sources.flatMap(({ key, whole_dollars }) => (whole_dollars ? key : [])),
)

/**
 * An outlook changes with time alone at these hours before the end; between
 * them the close is projected from the earlier one.
 */
const STEP_HOURS = [168, 72, 48, 24, 12, 6, 3, 1]

/**
 * The step that lies before a moment, in hours before the end; null for more
 * than a week or an unknown end.
 */
export function stepBefore(hours_left: number | null): number | null {
  return (
    STEP_HOURS.findLast(
      hours => hours >= (hours_left ?? Number.POSITIVE_INFINITY),
    ) ?? null
  )
}

/**
 * How many hours before the end the outlook changes next, if only time passes;
 * 0 when it stays the same until the end.
 */
export function hoursLeftAtNextStep(hoursLeft: number): number {
  return STEP_HOURS.find(hours => hours < hoursLeft) ?? 0
}
