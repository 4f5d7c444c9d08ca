import type { OperationId } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import type { Deps } from '../usecases/deps.ts'
import { exportListings } from './exportListings.ts'
import { getComps } from './getComps.ts'
import { getFlipScore } from './getFlipScore.ts'
import { getListing } from './getListing.ts'
import type { Handler } from './handler.ts'
import { listItems } from './listItems.ts'
import { listSources } from './listSources.ts'
import { searchListings } from './searchListings.ts'
import { searchSales } from './searchSales.ts'

/** The agent endpoint has a door of its own (src/mcp). */
type HandlerMap = { [Op in Exclude<OperationId, 'callMcp'>]: Handler<Op> }

/** A handler as the router sees it: validation has made the input fit. */
export type AnyHandler = (deps: Deps, input: never, caller: Caller) => Promise<unknown>

/** One handler per operation of the contract: a forgotten one does not compile. */
export const handlers = {
  searchListings,
  getListing,
  listSources,
  listItems,
  searchSales,
  getComps,
  getFlipScore,
  exportListings,
} satisfies HandlerMap
