import type { RawJson } from '../contract/rawJson.ts'
import type { Input, Ok, OperationId } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import type { Deps } from '../usecases/deps.ts'
import { callMcp } from './callMcp.ts'
import { exportListings } from './exportListings.ts'
import { getComps } from './getComps.ts'
import { getFlipScore } from './getFlipScore.ts'
import { getListing } from './getListing.ts'
import { listArchives } from './listArchives.ts'
import { listBids } from './listBids.ts'
import { listChanges } from './listChanges.ts'
import { listItems } from './listItems.ts'
import { listSources } from './listSources.ts'
import { searchListings } from './searchListings.ts'
import { searchSales } from './searchSales.ts'

/**
 * Answers an operation with the body of its 200; a thrown ApiError refuses.
 * Validation has made the input fit its type.
 */
type Handler<Op extends OperationId> = (
  deps: Deps,
  input: Input<Op>,
  caller: Caller,
) => Promise<Ok<Op> | RawJson<Ok<Op>>>

/**
 * One handler per operation of the contract: a forgotten one does not compile.
 */
export const handlers: { [Op in OperationId]: Handler<Op> } = {
  searchListings,
  getListing,
  listBids,
  listChanges,
  listSources,
  listItems,
  searchSales,
  getComps,
  getFlipScore,
  exportListings,
  listArchives,
  callMcp,
}
