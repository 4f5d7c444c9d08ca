import type { Listing } from '../contract/types.ts'
import { verdictColor } from '../domain/appraisal/verdict.ts'
import type { Caller } from '../domain/caller.ts'
import { grouped } from '../domain/grouped.ts'
import { findNamedListings } from '../infra/search/byId.ts'
import {
  type Deal,
  type Overview,
  readOverview,
} from '../infra/site/siteReads.ts'
import type { Deps } from '../usecases/deps.ts'
import {
  type AppraisalsShown,
  readAppraisals,
} from '../usecases/valuation/readAppraisal.ts'

/** More are chosen than shown: some end before the page is opened. */
const CHOSEN = 16
const DEALS_OF_CATEGORY = 2

/**
 * What the front page shows: the lots of the overview that are still live, and
 * their values.
 */
export interface FrontPage {
  overview: Overview
  /** Whose room is decided, the most room first. */
  deals: Listing[]
  /** With the most room now. */
  room: Listing[]
  /** Lots that end next. */
  ending: Listing[]
  /** The appraisals of all of them. */
  values: AppraisalsShown
}

/**
 * Counts the live lots and chooses those of the front page: at most two deals
 * of a category, goods before houses.
 */
async function chooseLots(deps: Deps): Promise<Overview> {
  const overview = await deps.counts(
    'overview',
    context => readOverview(context, CHOSEN),
    {
      mayRest: true,
    },
  )
  const ofCategories = [
    ...grouped(overview.deals.toSorted(byDeal), lot => lot.category).values(),
  ]
  const deals = ofCategories
    .flatMap(of => of.slice(0, DEALS_OF_CATEGORY))
    .toSorted(byDeal)
  return { ...overview, deals: deals.slice(0, CHOSEN) }
}

/** The chosen lots as they are now, and their appraisals. */
export async function showFrontPage(
  deps: Deps,
  caller: Caller,
): Promise<FrontPage> {
  const overview = await chooseLots(deps)
  const ids = [
    ...new Set([
      ...overview.deals.map(({ id }) => id),
      ...overview.room,
      ...overview.ending,
    ]),
  ]
  const keys = ids.map(id => ({ id }))
  const [found, values] = await Promise.all([
    deps.reads.read(caller, context => findNamedListings(context, keys)),
    readAppraisals(deps, keys, caller),
  ])
  const listings = found.flatMap(({ value }): Listing[] =>
    value === null ? [] : JSON.parse(value),
  )
  const lots = new Map(
    listings
      .filter(({ status }) => status === 'live')
      .map(lot => [lot.id, lot]),
  )
  const live = (some: readonly string[]) =>
    some.flatMap(id => lots.get(id) ?? [])
  const now = deps.now()
  const isGreen = (lot: Listing) => verdictColor(lot, null, now) === 'good'
  return {
    overview,
    deals: live(overview.deals.map(({ id }) => id)).filter(isGreen),
    room: live(overview.room),
    ending: live(overview.ending),
    values,
  }
}

function byDeal(one: Deal, other: Deal) {
  const isHouse = ({ category }: Deal) => Number(category === 'real-estate')
  return isHouse(one) - isHouse(other) || other.room_rank - one.room_rank
}
