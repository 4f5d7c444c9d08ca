import { percentileCont } from './percentiles.ts'
import { type BidMoment, shareToCome } from './projection.ts'

/**
 * The bid on a lot some hours before the end that was then known, and the price
 * at which the lot closed. Amounts in US cents.
 */
export interface BidPoint {
  lot_id: string
  /** One of `MOMENT_HOURS`. */
  hours: number
  bid_cents: number
  final_bid_cents: number
  /**
   * `roomAbove` the bid, by the value that was estimated while the lot was
   * open; null without one.
   */
  room: number | null
}

/**
 * Lots with observed bids that must have closed before anything is learned from
 * them.
 */
export const LEAST_LOTS = 300
export const MOMENT_HOURS = [0.1, 0.25, 0.5, 1, 2, 3, 6, 12, 24, 48, 72, 168]
/** With fewer lots at a moment the formula holds there. */
const LEAST_LOTS_AT_MOMENT = 50
const SHARES = Array.from({ length: 11 }, (_, n) => n / 10)

/** How the bids of ended lots rose. */
export type BidPaths = {
  /** How many ended lots it was learned from. */
  lots: number
  moments: BidMoment[]
}

/**
 * Learns how bids rise to the close. For each moment: rise = share of the room
 * + the same amount for all, fitted by least absolute errors, so that half of
 * the lots rose by more. Null with fewer than 300 lots.
 * @param points those of one lot together; the lots in the order in which they
 * ended.
 */
export function learnBidPaths(points: readonly BidPoint[]): BidPaths | null {
  const lots = [...new Set(points.map(point => point.lot_id))]
  if (lots.length < LEAST_LOTS) return null
  /** Ascending by hours. */
  const moments = MOMENT_HOURS.map((hours): BidMoment => {
    const own = points.filter(point => point.hours === hours)
    return own.length < LEAST_LOTS_AT_MOMENT
      ? { hours, share: shareToCome(hours), rise: 0 }
      : { hours, ...fitted(own) }
  })
  return { lots: lots.length, moments }
}

function fitted(points: readonly BidPoint[]) {
  const rises = points.map(point =>
    Math.log(point.final_bid_cents / point.bid_cents),
  )
  const rooms = knownRooms(points)
  const fits = SHARES.map(share => {
    const rest = Float64Array.from(
      rises,
      (rise, n) => rise - share * rooms[n]!,
    ).sort()
    const rise = percentileCont(rest, 0.5)
    return {
      share,
      rise,
      rest,
      miss: rest.reduce((sum, one) => sum + Math.abs(one - rise), 0),
    }
  })
  const { share, rise, rest } = fits.reduce((best, fit) =>
    fit.miss < best.miss ? fit : best,
  )
  const quartiles: [number, number] = [
    percentileCont(rest, 0.25),
    percentileCont(rest, 0.75),
  ]
  return { share, rise, quartiles }
}

/**
 * The rooms; the median of the others where no value was known, 0 where none
 * was.
 */
function knownRooms(points: readonly BidPoint[]) {
  const known = Float64Array.from(
    points.flatMap(({ room }) => (room === null ? [] : [room])),
  ).sort()
  const middle = known.length === 0 ? 0 : percentileCont(known, 0.5)
  return points.map(({ room }) => room ?? middle)
}
