import type { Listing } from '../../contract/types.ts'
import type { Caller } from '../../domain/caller.ts'
import { grouped } from '../../domain/grouped.ts'
import { BARGAIN, type JudgedLot, verdictOf } from '../../domain/valuation/verdict.ts'
import { readLots } from '../../infra/listings/byId.ts'
import { type Deal, type Overview, readOverview } from '../../infra/listings/siteReads.ts'
import type { Deps } from '../deps.ts'
import { type AppraisalsShown, readAppraisals } from '../valuation/readAppraisal.ts'

/** More are chosen than shown: some end before the page is opened. */
const CHOSEN = 16
const DEALS_OF_CATEGORY = 2

/** What the front page shows: the lots of the overview that are still live, and their values. */
export type FrontPage = Awaited<ReturnType<typeof showFrontPage>>

/**
 * Counts the live lots and chooses those of the front page: it reads all of them, so callers keep the result for a while. The deals are
 * bargains, the most expected profit first, at most two of a category.
 */
export async function chooseLots(deps: Deps, caller: Caller): Promise<Overview> {
  const overview = await deps.counts('overview', ({ sql, now }) => readOverview(sql, now, CHOSEN))
  const values = await readAppraisals(deps, overview.deals, caller)
  const bargains = overview.deals.filter(lot => isBargain(lot, values, deps)).toSorted(byProfit)
  const ofCategories = [...grouped(bargains, lot => lot.category).values()]
  const deals = ofCategories.flatMap(of => of.slice(0, DEALS_OF_CATEGORY)).toSorted(byProfit)
  return { ...overview, deals: deals.slice(0, CHOSEN) }
}

/** The chosen lots as they are now, and their appraisals. */
export async function showFrontPage(deps: Deps, overview: Overview, caller: Caller) {
  const chosen = [...overview.deals, ...overview.ending.map(id => ({ id }))]
  const ids = [...new Set(chosen.map(({ id }) => id))]
  const [{ text }, values] = await Promise.all([
    deps.reads.read(caller, context => readLots(context, ids, null)),
    readAppraisals(deps, chosen, caller),
  ])
  const lots = new Map((JSON.parse(text) as Listing[]).map(lot => [lot.id, lot]))
  return {
    overview,
    deals: overview.deals.flatMap(({ id }) => lots.get(id) ?? []).filter(lot => isBargain(lot, values, deps)),
    ending: overview.ending.flatMap(id => lots.get(id) ?? []),
    values,
  }
}

function byProfit(one: Deal, other: Deal) {
  return other.expected_profit_cents - one.expected_profit_cents
}

function isBargain(lot: JudgedLot & { id: string }, values: AppraisalsShown, { now }: Deps) {
  return verdictOf(lot, now() ?? new Date(), values.get(lot.id)?.closesLow ?? false) === BARGAIN
}
