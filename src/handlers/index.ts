import { RawJson } from '../contract/rawJson.ts'
import type { Input, Ok, OperationId } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import type { Deps } from '../usecases/deps.ts'
import { searchOrSuggest } from '../usecases/suggestions.ts'
import { exportListings } from './exportListings.ts'
import { readComps } from './getComps.ts'
import { readFlipScore } from './getFlipScore.ts'
import { readListingText } from './getListing.ts'
import { listArchives } from './listArchives.ts'
import { readBids } from './listBids.ts'
import { listChanges } from './listChanges.ts'
import { listItemsText } from './listItems.ts'
import { listSources } from './listSources.ts'
import { searchSalesText } from './searchSales.ts'

/** What answers an operation; a throw of ApiError refuses. */
type Handler<Op extends OperationId> = (
  deps: Deps,
  input: Input<Op>,
  caller: Caller,
) => Promise<Ok<Op> | RawJson<Ok<Op>>>

/** The agent endpoint has a door of its own (src/mcp). */
type HandlerMap = { [Op in Exclude<OperationId, 'callMcp'>]: Handler<Op> }

/** A handler as the router sees it: validation has made the input fit. */
export type AnyHandler = (deps: Deps, input: never, caller: Caller) => Promise<unknown>

/** One handler per operation of the contract: a forgotten one does not compile. */
export const handlers: HandlerMap = {
  searchListings: searchOrSuggest,
  getListing: async (deps, { id }, caller) => {
    const { value, ...validity } = await readListingText(deps, id, caller)
    return new RawJson(`{"data":${value}}`, { validity })
  },
  listBids: (deps, { id }, caller) => readBids(deps, id, caller),
  listChanges,
  listSources: async (deps, _input, caller) => ({ data: await listSources(deps, caller) }),
  listItems: (deps, _input, caller) => listItemsText(deps, caller),
  searchSales: searchSalesText,
  getComps: async (deps, input, caller) => ({ data: await readComps(deps, input, caller) }),
  getFlipScore: async (deps, { id }, caller) => ({ data: (await readFlipScore(deps, id, caller)).score }),
  exportListings,
  listArchives,
}
