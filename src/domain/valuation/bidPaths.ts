import { errorFactor, percent } from './measures.ts'
import { percentileCont } from './percentiles.ts'
import { type BidMoment, closeCents, risenCents, shareToCome } from './projection.ts'

/** The bid on a lot some hours before the end that was then known, and the price at which the lot closed. Amounts in US cents. */
export interface BidPoint {
  lot_id: string
  /** One of `MOMENT_HOURS`. */
  hours: number
  bid_cents: number
  final_bid_cents: number
  /** `roomAbove` the bid, by the value that was estimated while the lot was open; null without one. */
  room: number | null
}

/** What ended lots say about the rise of bids, and how far projections of lots that were left out were off. */
export type BidPaths = NonNullable<ReturnType<typeof learnBidPaths>>

/** Lots with observed bids that must have closed before anything is learned from them. */
export const LEAST_LOTS = 200
export const MOMENT_HOURS = [0.1, 0.25, 0.5, 1, 2, 3, 6, 12, 24, 48, 72, 168]
const CHECKED_HOURS = [24, 6, 1]
/** With fewer lots at a moment the formula holds there. */
const LEAST_LOTS_AT_MOMENT = 50
/** Of the rises: the ends of the band that holds half of the closes, and of the one that holds 80 %. */
const BAND_ENDS = [0.25, 0.75, 0.1, 0.9]
const SHARES = Array.from({ length: 11 }, (_, n) => n / 10)
const FOLDS = 5

/**
 * Learns how bids rise to the close. For each moment: rise = share of the room + the same amount for all, fitted by least absolute
 * errors, so that half of the lots rose by more. Null with fewer than 200 lots.
 * @param points those of one lot together; the lots in the order in which they ended.
 */
export function learnBidPaths(points: readonly BidPoint[]) {
  const lots = [...new Set(points.map(point => point.lot_id))]
  if (lots.length < LEAST_LOTS) return null
  /** Ascending by hours. */
  const moments = learnMoments(points).map(({ hours, share, rise }): BidMoment => ({ hours, share, rise }))
  return { lots: lots.length, moments, accuracy: checkedMoments(points, lots) }
}

/** A moment with bands: what the rises beyond the share of the room were at `BAND_ENDS`. */
interface FittedMoment extends BidMoment {
  bands: number[]
}

function learnMoments(points: readonly BidPoint[]): FittedMoment[] {
  return MOMENT_HOURS.map(hours => {
    const own = points.filter(point => point.hours === hours)
    return own.length < LEAST_LOTS_AT_MOMENT
      ? { hours, share: shareToCome(hours), rise: 0, bands: BAND_ENDS.map(() => 0) }
      : { hours, ...fitted(own) }
  })
}

function fitted(points: readonly BidPoint[]): Omit<FittedMoment, 'hours'> {
  const rises = points.map(point => Math.log(point.final_bid_cents / point.bid_cents))
  const rooms = knownRooms(points)
  const fits = SHARES.map(share => {
    const rest = Float64Array.from(rises, (rise, n) => rise - share * rooms[n]!).sort()
    const rise = percentileCont(rest, 0.5)
    return { share, rise, rest, miss: rest.reduce((sum, one) => sum + Math.abs(one - rise), 0) }
  })
  const { share, rise, rest } = fits.reduce((best, fit) => (fit.miss < best.miss ? fit : best))
  return { share, rise, bands: BAND_ENDS.map(end => percentileCont(rest, end)) }
}

/** The rooms; the median of the others where no value was known, 0 where none was. */
function knownRooms(points: readonly BidPoint[]) {
  const known = Float64Array.from(points.flatMap(({ room }) => (room === null ? [] : [room]))).sort()
  const middle = known.length === 0 ? 0 : percentileCont(known, 0.5)
  return points.map(({ room }) => room ?? middle)
}

/** The lots in five groups by their end: each group is projected from the other four, and by the formula. */
function checkedMoments(points: readonly BidPoint[], lots: readonly string[]) {
  const folds = new Map(lots.map((lot, n) => [lot, Math.floor((n * FOLDS) / lots.length)]))
  const checked = Array.from({ length: FOLDS }, (_, fold) => {
    const isTested = (point: BidPoint) => folds.get(point.lot_id) === fold
    const moments = learnMoments(points.filter(point => !isTested(point)))
    const tested = points.filter(point => CHECKED_HOURS.includes(point.hours) && isTested(point))
    const rooms = knownRooms(tested)
    return tested.map(({ hours, bid_cents, final_bid_cents: price }, n) => {
      const room = rooms[n]!
      const { share, bands } = moments.find(moment => moment.hours === hours)!
      const [likelyLow, likelyHigh, low, high] = bands.map(end => risenCents(bid_cents, share * room + end))
      return {
        hours,
        price,
        close: closeCents(bid_cents, room, hours, moments),
        byFormula: closeCents(bid_cents, room, hours, null),
        isLikely: price >= likelyLow! && price <= likelyHigh!,
        isInRange: price >= low! && price <= high!,
      }
    })
  }).flat()
  return CHECKED_HOURS.map(hours => {
    const own = checked.filter(one => one.hours === hours)
    const prices = own.map(({ price }) => price)
    const closes = own.map(({ close }) => close)
    const byFormula = own.map(one => one.byFormula)
    return {
      hours,
      lots: own.length,
      /** The typical factor by which the projection missed, and the formula. Null without a lot. */
      error_factor: errorFactor(closes, prices),
      formula_error_factor: errorFactor(byFormula, prices),
      /** The share of the prices in the bands around the projection, ideally 50 and 80. Null without a lot. */
      likely_hold_percent: percent(own.filter(({ isLikely }) => isLikely).length, own.length),
      range_hold_percent: percent(own.filter(({ isInRange }) => isInRange).length, own.length),
    }
  })
}
