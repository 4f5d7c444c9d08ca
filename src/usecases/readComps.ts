import type { Input, Schemas } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { ApiError } from '../domain/errors.ts'
import {
  type Appraisal,
  findAppraisal,
  findComparables,
  listingExists,
  soldStatsOf,
} from '../infra/listings/soldPrices.ts'
import type { Deps } from './deps.ts'

type Comps = Schemas['Comps']

/** Fewer sales are too few for statistics of an item. */
const ITEM_MINIMUM = 5
const COMPARABLES_SHOWN = 10

/** The fields that do not apply to the requested kind. */
const NOT_APPLICABLE = {
  item: null,
  listing_id: null,
  resale_margin: null,
  confidence: null,
  comparables: null,
} satisfies Partial<Comps>

/**
 * Sold-price statistics of exactly one kind: of a listing, of an item, or of a category and/or state.
 * @throws ApiError invalid_request when no kind or more than one is requested; not_found without a sale.
 */
export async function readComps(deps: Deps, input: Input<'getComps'>, caller: Caller): Promise<Comps> {
  const kinds = [input.listing_id, input.item, input.category ?? input.state]
  if (kinds.filter(kind => kind !== undefined).length !== 1) {
    throw new ApiError(
      'invalid_request',
      'Ask with exactly one of "listing_id", "item", or "category" and/or "state".',
    )
  }
  if (input.listing_id !== undefined) return compsOfListing(deps, input.listing_id, caller)
  if (input.item !== undefined) return compsOfItem(deps, input.item, caller)
  const market = { category: input.category ?? null, state: input.state?.toUpperCase() ?? null }
  return compsOfMarket(deps, market, caller)
}

async function compsOfMarket(
  { reads }: Deps,
  market: { category: string | null; state: string | null },
  caller: Caller,
): Promise<Comps> {
  const stats = await reads.read(caller, ({ sql, now }) => soldStatsOf(sql, now, { item: null, ...market }))
  if (!stats) {
    const place = [market.category, market.state].filter(Boolean).join(' in ')
    throw new ApiError('not_found', `No sale of ${place} is known from the last 365 days.`)
  }
  return { ...stats, ...NOT_APPLICABLE }
}

async function compsOfItem({ reads }: Deps, item: string, caller: Caller): Promise<Comps> {
  const stats = await reads.read(caller, ({ sql, now }) =>
    soldStatsOf(sql, now, { item, category: null, state: null }),
  )
  if (!stats)
    throw new ApiError(
      'not_found',
      'No sale of this item is known from the last 365 days, or it is not tracked.',
    )
  if (stats.sold_count < ITEM_MINIMUM) {
    throw new ApiError(
      'not_found',
      `Only ${stats.sold_count} sales of "${item}" are known from the last 365 days; statistics need at least ${ITEM_MINIMUM}.`,
    )
  }
  return { ...stats, ...NOT_APPLICABLE, item }
}

async function compsOfListing({ reads, publicUrl }: Deps, listingId: string, caller: Caller): Promise<Comps> {
  const [appraisal, found] = await Promise.all([
    reads.read(caller, ({ sql }) => findAppraisal(sql, listingId)),
    reads.read(caller, ({ sql }) => findComparables({ sql, publicUrl }, listingId, COMPARABLES_SHOWN)),
  ])
  if (!appraisal || !found) {
    const exists = await reads.read(caller, ({ sql }) => listingExists(sql, listingId))
    throw new ApiError(
      'not_found',
      exists
        ? 'No sale of the last 365 days is similar enough to this listing. Ask by its category instead.'
        : `No listing has the id "${listingId}".`,
    )
  }
  return {
    ...NOT_APPLICABLE,
    ...found,
    listing_id: appraisal.listing_id,
    confidence: appraisal.confidence,
    resale_margin: marginOf(appraisal),
  }
}

function marginOf(appraisal: Appraisal): Comps['resale_margin'] {
  const { estimated_value_cents, all_in_cost_cents, resale_margin_cents, resale_margin_percent } = appraisal
  if (all_in_cost_cents === null || resale_margin_cents === null || resale_margin_percent === null)
    return null
  return {
    estimated_value_cents,
    all_in_cost_cents,
    margin_cents: resale_margin_cents,
    margin_percent: resale_margin_percent,
  }
}
