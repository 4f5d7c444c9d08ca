import { DAY_MS, HOUR_MS } from '../durations.ts'
import { grouped } from '../grouped.ts'
import {
  bandOf,
  type CalibratedValue,
  type ValueBand,
} from '../valuation/calibratedValue.ts'
import { percentileCont } from '../valuation/percentiles.ts'

/**
 * A live lot. Its neighbors are the other lots of its sale: those of one ZIP
 * code that end on the same day.
 */
export interface NeighborLot {
  zip: string
  ends_at_ms: number
  title: string
  /** Its tracked item, or its title. */
  kind: string
  /** Estimated without the neighbors, in US cents. */
  value_cents: number
  /** Null without a bid. */
  current_bid_cents: number | null
}

/**
 * Bids are compared with those of lots that have about as many hours left:
 * these are the bounds.
 */
const BAND_HOURS = [1, 6, 24, 72, 168]
/** A median of fewer lots says nothing. */
const LEAST_IN_BAND = 20
/**
 * No bid deviates by more, in ln of the price, so that an absurd one moves
 * little.
 */
const MOST_DEVIATION = 2
/**
 * Beside the bids of a sale stand so many that are as usual, and beside those
 * of a kind in it so many that are as its sale.
 */
const SALE_SHRINKAGE = 3
const KIND_SHRINKAGE = 1.5
/** An auction day begins at 10:00 UTC, as in `auction_day` of the database. */
const DAY_BEGINS_MS = 10 * HOUR_MS
const ENOUGH_SALES = 100

/**
 * The exponent of the factors: 1, or ½ while values rest on fewer than 100
 * sales.
 */
export function trustInNeighbors(sales: number): number {
  return sales < ENOUGH_SALES ? 0.5 : 1
}

/**
 * The factor at which each lot's sale goes today, relative to the values of its
 * lots; 1 where no neighbor has a bid. A bid never moves the factor of its own
 * lot, unless the sale has others of the same title: these have one factor, the
 * mean of theirs.
 *
 * Deviation of a bid: ln(bid ÷ value), less the median of all lots with bids in
 * the same band of hours before the end. ln factor = trust · (m + k), where m =
 * Σ deviations in the sale ÷ (their number + 3) and k = Σ (deviations of the
 * same kind in the sale − m) ÷ (their number + 1.5).
 * @param trust from `trustInNeighbors`.
 */
export function neighborFactors(
  lots: readonly NeighborLot[],
  nowMs: number,
  trust: number,
): number[] {
  const deviations = deviationsOf(lots, nowMs)
  const bidders = lots.flatMap((lot, n) =>
    deviations[n] === null ? [] : [{ lot, deviation: deviations[n]! }],
  )
  const totalsBy = (keyOf: (lot: NeighborLot) => string) =>
    new Map(
      [...grouped(bidders, ({ lot }) => keyOf(lot))].map(([key, own]) => [
        key,
        totalOf(own),
      ]),
    )
  const [ofSales, ofKinds] = [totalsBy(saleOf), totalsBy(kindOf)]
  const logFactors = lots.map((lot, n) => {
    const own = deviations[n]
    const others = ({ sum, bids } = { sum: 0, bids: 0 }) =>
      own == null ? { sum, bids } : { sum: sum - own, bids: bids - 1 }
    const sale = others(ofSales.get(saleOf(lot)))
    const kind = others(ofKinds.get(kindOf(lot)))
    const mean = sale.sum / (sale.bids + SALE_SHRINKAGE)
    return (
      trust *
      (mean + (kind.sum - kind.bids * mean) / (kind.bids + KIND_SHRINKAGE))
    )
  })
  const titleOf = (lot: NeighborLot) => `${saleOf(lot)} ${lot.title}`
  const twins = grouped([...lots.keys()], n => titleOf(lots[n]!))
  return lots.map(lot => {
    const same = twins.get(titleOf(lot))!
    return Math.exp(
      same.reduce((sum, n) => sum + logFactors[n]!, 0) / same.length,
    )
  })
}

/** An estimate with its bands, moved by a factor. */
export function movedBy(
  { value_cents, band }: Pick<CalibratedValue, 'value_cents' | 'band'>,
  factor: number,
): Pick<CalibratedValue, 'value_cents' | 'band'> {
  const moved = (cents: number) => Math.max(1, Math.round(cents * factor))
  const ends = Object.entries(bandOf(band)).map(([end, cents]) => [
    end,
    moved(cents),
  ])
  return {
    value_cents: moved(value_cents),
    band: Object.fromEntries(ends) as ValueBand,
  }
}

/**
 * By lot; null without a bid, and where too few lots have bids at that distance
 * from their end.
 */
function deviationsOf(lots: readonly NeighborLot[], nowMs: number) {
  // A bid of nothing has no ratio.
  const hasBid = ({ current_bid_cents }: NeighborLot) =>
    (current_bid_cents ?? 0) > 0
  const hoursOf = ({ ends_at_ms }: NeighborLot) =>
    BAND_HOURS.findIndex(hours => ends_at_ms - nowMs <= hours * HOUR_MS)
  const ratioOf = ({ current_bid_cents, value_cents }: NeighborLot) =>
    Math.log(current_bid_cents! / value_cents)
  const withBids = lots.filter(hasBid)
  const bands = grouped(withBids, hoursOf)
  const usualOf = (own: NeighborLot[]) =>
    percentileCont(Float64Array.from(own, ratioOf).sort(), 0.5)
  const usual = new Map([...bands].map(([band, own]) => [band, usualOf(own)]))
  return lots.map(lot => {
    if (!hasBid(lot) || bands.get(hoursOf(lot))!.length < LEAST_IN_BAND)
      return null
    const deviation = ratioOf(lot) - usual.get(hoursOf(lot))!
    return Math.min(MOST_DEVIATION, Math.max(-MOST_DEVIATION, deviation))
  })
}

function totalOf(own: readonly { deviation: number }[]) {
  return {
    sum: own.reduce((sum, { deviation }) => sum + deviation, 0),
    bids: own.length,
  }
}

function saleOf({ zip, ends_at_ms }: NeighborLot) {
  return `${zip} ${Math.floor((ends_at_ms - DAY_BEGINS_MS) / DAY_MS)}`
}

function kindOf(lot: NeighborLot) {
  return `${saleOf(lot)} ${lot.kind}`
}

/** Smaller effects are not worth a sentence. */
const LEAST_SHOWN = 0.1

/**
 * A factor from `neighborFactors` as it is published: in percent, in steps of
 * 5; null where it hardly moves a value.
 */
export function neighborsPercent(factor: number): number | null {
  return Math.abs(factor - 1) < LEAST_SHOWN ? null : Math.round(factor * 20) * 5
}

/**
 * What people read beside a value that its neighbors moved.
 * @param percent from `neighborsPercent`.
 */
export function neighborsSentence(percent: number): string {
  return `Lots of this sale go for about ${percent}% of their values today.`
}
