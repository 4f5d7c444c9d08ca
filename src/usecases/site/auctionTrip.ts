import type { Input } from '../../contract/types.ts'
import type { Caller } from '../../domain/caller.ts'
import { findTrip } from '../../infra/listings/siteReads.ts'
import type { Deps } from '../deps.ts'

/** The auction that a search asks for; null for another search, and where no lot of the auction is live. */
export async function readTrip(
  { reads, publicUrl }: Deps,
  { auction }: Input<'searchListings'>,
  caller: Caller,
) {
  if (auction === undefined) return null
  return reads.read(caller, context => findTrip({ ...context, publicUrl }, auction))
}
