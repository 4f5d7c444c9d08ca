import {
  ApiError,
  invalidRequest,
  notFound,
  unavailable,
} from '../contract/errors.ts'
import type { Input, Ok, Schemas } from '../contract/types.ts'
import { seenFactorShown } from '../domain/appraisal/appraisalRow.ts'
import { BUYER_PARAMETERS, type Buyer } from '../domain/appraisal/buyerCosts.ts'
import { SCORE_VERSION } from '../domain/appraisal/flipScore.ts'
import type { Caller } from '../domain/caller.ts'
import { count } from '../domain/format.ts'
import { resaleMargin } from '../domain/price.ts'
import { type Category, pricedAs } from '../domain/titles/categories.ts'
import { assertTrackedItem } from '../domain/titles/trackedItems.ts'
import { likeCount } from '../domain/valuation/grade.ts'
import {
  findComparables,
  type Kinds,
  LEAST_SALES_OF_ITEM,
  type StatsOfComparables,
  soldStatsOf,
} from '../infra/prices/soldPrices.ts'
import {
  findAppraisal,
  findSalesIndex,
} from '../infra/valuation/storedAppraisals.ts'
import type { Deps } from '../usecases/deps.ts'
import { buyerOf, costsOfBuyer } from '../usecases/valuation/costsOfBuyer.ts'
import {
  appraisalOf,
  explainNoValue,
  storedAppraisalOf,
  whyNoEstimate,
} from '../usecases/valuation/readAppraisal.ts'

type Comps = Schemas['Comps']

const COMPARABLES_SHOWN = 10

/** The fields that do not apply to the requested kind. */
const NOT_APPLICABLE = {
  item: null,
  listing_id: null,
  resale_margin: null,
  confidence: null,
  comparables: null,
  stats_of: null,
  appraisal: null,
  your_costs: null,
} satisfies Partial<Comps>

/**
 * Sold-price statistics of exactly one kind: of a listing, of a title in words,
 * of several titles, of an item (in a state), or of a category and/or state.
 * @param prices of pages and agents never mixed, so that a median says what it
 * is.
 * @throws ApiError invalid_request when no kind or more than one is requested;
 * not_found without a sale.
 */
export async function getComps(
  deps: Deps,
  input: Input<'getComps'>,
  caller: Caller,
  prices: Kinds = 'all prices',
): Promise<Ok<'getComps'>> {
  const { listing_id, q, titles, item, category } = input
  const state = input.state?.toUpperCase() ?? null
  const kinds = [
    listing_id,
    q,
    titles,
    item,
    category ?? (item === undefined ? input.state : undefined),
  ]
  const isMixed = state !== null && (listing_id ?? q ?? titles) !== undefined
  if (kinds.filter(kind => kind !== undefined).length !== 1 || isMixed) {
    throw invalidRequest(
      'Send exactly one of: `listing_id`; `q`; `titles`; `item` (optional `state`); `category`, `state` or both.',
    )
  }
  const buyer = buyerOf(input)
  if (buyer && listing_id === undefined)
    throw invalidRequest(
      `What buying costs you goes with a \`listing_id\` only: send one, or leave out ${BUYER_PARAMETERS.map(name => `"${name}"`).join(', ')}.`,
    )
  if (titles !== undefined) return compsOfTitles(deps, titles, caller, prices)
  const comps = () => {
    if (listing_id !== undefined)
      return compsOfListing(deps, listing_id, buyer, caller, prices)
    if (q !== undefined) return compsOfTitle(deps, q, caller, prices)
    if (item !== undefined)
      return compsOfItem(deps, item, state, caller, prices)
    return compsOfMarket(
      deps,
      { category: category ?? null, state },
      caller,
      prices,
    )
  }
  return { data: await comps(), titles: null }
}

async function compsOfMarket(
  { reads }: Deps,
  market: { category: string | null; state: string | null },
  caller: Caller,
  prices: Kinds,
): Promise<Comps> {
  const stats = await reads.read(caller, context =>
    soldStatsOf(context, market, prices),
  )
  if (!stats) {
    const place = [market.category, market.state].filter(Boolean).join(' in ')
    throw notFound(
      `No sale${place && ` of ${place}`} is known from the last 365 days.`,
    )
  }
  return { ...stats, ...NOT_APPLICABLE, percentiles: null }
}

async function compsOfItem(
  { reads }: Deps,
  item: string,
  state: string | null,
  caller: Caller,
  prices: Kinds,
): Promise<Comps> {
  const stats = await reads.read(caller, context =>
    soldStatsOf(context, { item, state }, prices),
  )
  const sold_count = stats?.sold_count ?? 0
  if (!stats || sold_count < LEAST_SALES_OF_ITEM) {
    if (sold_count === 0) assertTrackedItem(item)
    throw notFound(tooFewSales(item, state, sold_count))
  }
  return { ...stats, ...NOT_APPLICABLE, item }
}

function tooFewSales(item: string, state: string | null, sales: number) {
  const known = sales === 0 ? 'No sale' : `Only ${count(sales, 'sale')}`
  const place = state === null ? '' : ` in ${state}`
  return `${known} of "${item}"${place} ${sales > 1 ? 'are' : 'is'} known from the last 365 days; statistics need at least ${LEAST_SALES_OF_ITEM}.`
}

async function compsOfListing(
  deps: Deps,
  listingId: string,
  buyer: Buyer | null,
  caller: Caller,
  prices: Kinds,
): Promise<Comps> {
  const { reads } = deps
  const [appraisal, found] = await Promise.all([
    reads.read(caller, context => findAppraisal(context, listingId)),
    reads.read(caller, context =>
      findComparables(context, { listingId }, COMPARABLES_SHOWN, prices),
    ),
  ])
  if (!appraisal) {
    const why = await explainNoValue(deps, listingId, caller)
    throw notFound(
      why === null
        ? `No listing has the id "${listingId}".`
        : `No value is known for this listing. ${why} Use its category instead.`,
      { isUnknownLot: why === null },
    )
  }
  const shown = storedAppraisalOf(appraisal)
  const { all_in_cost_cents: cost, price_kind } = appraisal
  const margin =
    shown.grade === 'words'
      ? null
      : resaleMargin(shown.estimated_value_cents, cost)
  // The bids have passed the value.
  const isShown = appraisal.value_note === null
  return {
    ...(await statisticsFor(deps, appraisal, found, caller, prices)),
    listing_id: appraisal.listing_id,
    confidence: shown.confidence,
    resale_margin:
      margin && price_kind && isShown ? { ...margin, price_kind } : null,
    appraisal: isShown ? shown : null,
    your_costs: buyer && costsOfBuyer(buyer, appraisal),
  }
}

/**
 * The same for a title that no listing has: it has no bid, and no source whose
 * premium counts.
 */
async function compsOfTitle(
  deps: Deps,
  title: string,
  caller: Caller,
  prices: Kinds,
): Promise<Comps> {
  const { reads, titleEstimator } = deps
  const model = await reads.read(caller, findSalesIndex)
  if (!model || model.sales === 0)
    throw notFound(
      'No sale of the last 365 days is known yet, so no title can be valued.',
    )
  const answer = await titleEstimator.estimate(
    { title, modelId: model.id },
    caller,
  )
  if (answer.kind === 'no model')
    throw unavailable(
      'The sales to estimate from are being read. Try again in a minute.',
      {
        retryAfterSeconds: 60,
      },
    )
  const { appraisal, category, asOf } = answer
  if (!appraisal)
    throw notFound(
      `No value is known for this title. ${whyNoEstimate(title, category)} Use more of its words, such as make, model and year.`,
    )
  const { comparables, value_cents, band, confidence, grade, seenFactor } =
    appraisal
  const found = await reads.read(caller, context =>
    findComparables(context, { comparables, asOf }, COMPARABLES_SHOWN, prices),
  )
  const estimated = {
    estimated_value_cents: value_cents,
    ...band,
    confidence,
    grade,
    category,
    like_count: likeCount(comparables.map(({ similarity }) => similarity)),
    source: '',
    premium_percent: 0,
    neighbor_factor: 1,
    seen_factor: seenFactorShown(seenFactor),
    no_bid_chance: null,
    score_version: SCORE_VERSION,
  }
  const shown = appraisalOf(estimated, {
    projected_close_cents: value_cents,
    projection_basis: 'formula',
  })
  return {
    ...(await statisticsFor(deps, { title, category }, found, caller, prices)),
    confidence: shown.confidence,
    appraisal: shown,
  }
}

/**
 * One entry per title, in order, beside the statistics of the first one that
 * has a value, or of all sales. One title after another, so that a call takes
 * one place in each queue.
 */
async function compsOfTitles(
  deps: Deps,
  titles: string[],
  caller: Caller,
  prices: Kinds,
): Promise<Ok<'getComps'>> {
  const entries = []
  let first: Comps | null = null
  for (const title of titles) {
    const comps = await compsOfTitle(deps, title, caller, prices).catch(
      reasonOf,
    )
    if (typeof comps !== 'string') first ??= comps
    entries.push(entryOf(title, comps))
  }
  return {
    data:
      first ??
      (await compsOfMarket(
        deps,
        { category: null, state: null },
        caller,
        prices,
      )),
    titles: entries,
  }
}

/** Why a title has no value. @throws any other error. */
function reasonOf(error: unknown) {
  if (error instanceof ApiError && error.code === 'not_found')
    return error.message
  throw error
}

/** @param comps the reason where there is no value. */
function entryOf(title: string, comps: Comps | string): Schemas['TitleComps'] {
  const known = typeof comps === 'string' ? null : comps
  return {
    title,
    sold_count: known?.sold_count ?? 0,
    median_cents: known?.median_cents ?? null,
    min_cents: known?.min_cents ?? null,
    max_cents: known?.max_cents ?? null,
    price_basis: known?.price_basis ?? null,
    real: known?.real ?? { count: 0, median_cents: null },
    confidence: known?.confidence ?? null,
    comparables: known?.comparables ?? [],
    stats_of: known?.stats_of ?? null,
    appraisal: known?.appraisal ?? null,
    reason: typeof comps === 'string' ? comps : null,
  }
}

/**
 * Statistics over the comparables; without one over the category, else over the
 * category whose prices apply, else over all sales.
 */
async function statisticsFor(
  { reads }: Deps,
  { title, category }: { title: string; category: Category },
  found: StatsOfComparables | null,
  caller: Caller,
  prices: Kinds,
): Promise<Comps> {
  if (found) return { ...NOT_APPLICABLE, ...found, stats_of: 'comparables' }
  for (const market of new Set([category, pricedAs(category, title), null])) {
    const stats = await reads.read(caller, context =>
      soldStatsOf(context, { category: market }, prices),
    )
    if (stats)
      return {
        ...NOT_APPLICABLE,
        ...stats,
        comparables: [],
        stats_of: market ? 'category' : 'all',
      }
  }
  throw notFound('No sale is known from the last 365 days.')
}
