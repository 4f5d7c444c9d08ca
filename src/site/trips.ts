import type { Listing } from '../contract/types.ts'
import type { Buyer } from '../domain/appraisal/buyerCosts.ts'
import type { Caller } from '../domain/caller.ts'
import { grouped } from '../domain/grouped.ts'
import { readDescriptions } from '../infra/site/siteReads.ts'
import { findAppraisals } from '../infra/valuation/storedAppraisals.ts'
import type { Deps } from '../usecases/deps.ts'
import { filterOf, searchLots, withDefaults } from '../usecases/searchLots.ts'
import { costsOfBuyer } from '../usecases/valuation/costsOfBuyer.ts'
import { removalDays } from '../words/listingWords.ts'

/** The farthest that a search reaches. */
const RADIUS_MILES = 200
/** Those with the most room; a buyer looks at few sales. */
const MOST_LOTS = 500
const MOST_TRIPS = 20

/**
 * One drive to the lots of a source in a city that have room for a buyer.
 * Amounts in US cents.
 */
export interface TripThatPays {
  place: string
  source_name: string
  /** Those with the most left first. */
  lots: (Listing & { limit: number; left: number })[]
  distance_miles: number
  /** What the drive costs. */
  drive: number
  /**
   * What is left of all lots, each bought at the buyer's limit, less one drive.
   */
  left: number
  /** As the text of a lot says; null where none does. */
  pickup: string | null
}

/**
 * The drives that leave a buyer the most, those that pay first.
 * @param buyer with a ZIP code.
 */
export async function findTripsThatPay(
  deps: Deps,
  buyer: Buyer,
  caller: Caller,
): Promise<TripThatPays[]> {
  const zip = buyer.buyer_zip!.slice(0, 5)
  const search = filterOf(withDefaults({ zip, radius_miles: RADIUS_MILES }))
  const { text } = await searchLots(
    deps,
    search,
    { sort: 'room', offset: 0, limit: MOST_LOTS },
    caller,
  )
  const near = new Map(
    (JSON.parse(text) as Listing[]).map(lot => [lot.id, lot]),
  )
  const stored = await deps.reads.read(caller, context =>
    findAppraisals(context, [...near.keys()]),
  )
  // The drive is paid once.
  const lots = stored.flatMap(one => {
    const costs = costsOfBuyer({ ...buyer, cost_per_mile: 0 }, one)
    const limit = costs.limit_cents
    const left = costs.at_limit?.left_cents ?? 0
    const hasRoom =
      limit !== null && left > 0 && (costs.at_next?.bid_cents ?? 0) <= limit
    return hasRoom ? [{ ...near.get(one.listing_id)!, limit, left }] : []
  })
  // Nobody fetches a house.
  const placed = lots.filter(
    lot =>
      lot.city !== null && lot.state !== null && lot.category !== 'real-estate',
  )
  const trips = [
    ...grouped(
      placed,
      ({ source, city, state }) => `${source} ${city} ${state}`,
    ).values(),
  ].map(tripOf(buyer))
  const paying = trips
    .filter(({ left }) => left > 0)
    .toSorted((a, b) => b.left - a.left)
    .slice(0, MOST_TRIPS)
  const ids = paying.flatMap(trip => trip.lots.map(({ id }) => id))
  const descriptions = await deps.reads.read(caller, context =>
    readDescriptions(context, ids),
  )
  return paying.map(trip => {
    const days = trip.lots.map(({ id }) =>
      removalDays(descriptions.get(id) ?? ''),
    )
    return { ...trip, pickup: days.find(day => day !== null) ?? null }
  })
}

function tripOf({ cost_per_mile }: Buyer) {
  return (own: TripThatPays['lots']): Omit<TripThatPays, 'pickup'> => {
    const lots = own.toSorted((a, b) => b.left - a.left)
    const { city, state, source_name } = lots[0]!
    const distance_miles = Math.max(...lots.map(lot => lot.distance_miles ?? 0))
    const drive = Math.round(100 * cost_per_mile * distance_miles)
    const left = lots.reduce((sum, lot) => sum + lot.left, -drive)
    return {
      place: `${city}, ${state}`,
      source_name,
      lots,
      distance_miles,
      drive,
      left,
    }
  }
}
