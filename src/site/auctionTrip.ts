import type { Input, Listing } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import {
  countLotsOfAuctions,
  findTrip,
  type Trip,
} from '../infra/site/siteReads.ts'
import type { Deps } from '../usecases/deps.ts'

/**
 * The auction that a search asks for; null for another search, and where no lot
 * of the auction is live.
 */
export async function readTrip(
  { reads }: Deps,
  { auction }: Input<'searchListings'>,
  caller: Caller,
): Promise<Trip | null> {
  if (auction === undefined) return null
  return reads.read(caller, context => findTrip(context, auction))
}

/** How many live lots the auctions of these lots have, by their ids. */
export async function readAuctionSizes(
  { reads }: Deps,
  lots: readonly Listing[],
  caller: Caller,
): Promise<Map<string, number>> {
  const auctions = lots.flatMap(({ auction_id }) => auction_id ?? [])
  if (auctions.length === 0) return new Map<string, number>()
  return reads.read(caller, context => countLotsOfAuctions(context, auctions))
}
