import type { Listing, Schemas } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { rounded, withPremium } from '../domain/price.ts'
import {
  enterable,
  TARGET_MARGIN_PERCENT,
} from '../domain/valuation/projection.ts'
import { findComparables } from '../infra/prices/soldPrices.ts'
import {
  type LoggedEstimate,
  readLoggedEstimate,
} from '../infra/valuation/provenLogs.ts'
import type { Deps } from '../usecases/deps.ts'
import {
  type ListingWithBids,
  readListingWithBids,
} from '../usecases/namedLots.ts'
import {
  type AppraisalShown,
  explainNoValue,
  readAppraisals,
} from '../usecases/valuation/readAppraisal.ts'

/** What the page of a lot shows. */
export interface ListingShown extends LotShown {
  /** What similar lots sold for; null when none did. */
  market: Market | null
}

/** A lot, its price and its value, without what similar lots sold for. */
export interface LotShown {
  listing: Omit<ListingWithBids, 'sale'>
  /** Null while it is not known. */
  sale: ListingWithBids['sale']
  /**
   * What was said of its price before that was known; null where nothing was.
   */
  said: LoggedEstimate | null
  /** Null where no value is known. */
  value: AppraisalShown | null
  /** Why none is known, as a sentence. */
  whyNoValue: string | null
  /**
   * For each margin; empty where a value is unknown or a rough guess from the
   * title.
   */
  highestBids: {
    margin_percent: number
    bid_cents: number
    all_in_cents: number
  }[]
}

/** What similar lots sold for, with less than the Pro plan of the API shows. */
export interface Market extends NonNullable<Schemas['Comps']['percentiles']> {
  /** Of each sale. */
  prices: number[]
  comparables: Omit<Schemas['Comparable'], 'similarity'>[]
  /** Whether these are prices of closes; else last bids seen. */
  isReal: boolean
  soldCount: number
}

const COMPARABLES_SHOWN = 3
/** No estimate rests on more. */
const COMPARABLES_DRAWN = 25

/** The margins that the page shows, in percent of the all-in cost. */
const MARGINS = [10, 20, TARGET_MARGIN_PERCENT, 30, 40, 50]

/**
 * One lot by its id or slug, with the part of its market data that is public.
 * @throws ApiError not_found for anything else.
 */
export async function showListing(
  deps: Deps,
  idOrSlug: string,
  caller: Caller,
): Promise<ListingShown> {
  const { reads } = deps
  const { value: listing } = await readListingWithBids(deps, idOrSlug, caller)
  const [offer, found] = await Promise.all([
    readLotShown(deps, listing, caller),
    reads.read(caller, context =>
      findComparables(
        context,
        { listingId: listing.id },
        COMPARABLES_DRAWN,
        'one kind of price',
      ),
    ),
  ])
  return { ...offer, market: found && marketOf(found) }
}

/** The same without the market. @throws ApiError not_found. */
export async function showLot(
  deps: Deps,
  idOrSlug: string,
  caller: Caller,
): Promise<LotShown> {
  return readLotShown(
    deps,
    (await readListingWithBids(deps, idOrSlug, caller)).value,
    caller,
  )
}

async function readLotShown(
  deps: Deps,
  { sale: known, ...listing }: ListingWithBids,
  caller: Caller,
): Promise<LotShown> {
  const value =
    (await readAppraisals(deps, [listing], caller)).get(listing.id) ?? null
  const sale = listing.status === 'sold' ? known : null
  return {
    listing,
    sale,
    said:
      sale &&
      (await deps.reads.read(caller, ({ sql }) =>
        readLoggedEstimate(sql, listing.id),
      )),
    value,
    whyNoValue: value ? null : await explainNoValue(deps, listing.id, caller),
    highestBids: highestBids(listing.limit_cents ?? 0, listing),
  }
}

/**
 * The limit for each margin, rounded down to two digits, from that for the
 * usual one, and what it costs with the premium, in US cents.
 */
function highestBids(
  usual_cents: number,
  { source, buyers_premium_percent }: Listing,
) {
  const bids = MARGINS.map(margin_percent => {
    const share = (100 + TARGET_MARGIN_PERCENT) / (100 + margin_percent)
    const bid_cents = enterable(
      rounded(usual_cents * share, Math.floor),
      source,
    )
    return {
      margin_percent,
      bid_cents,
      all_in_cents: withPremium(bid_cents, buyers_premium_percent ?? 0),
    }
  })
  return bids.filter(({ bid_cents }) => bid_cents > 0)
}

/**
 * Less than the Pro plan of the API shows: amounts in US cents rounded to two
 * digits, no margin, no similarity, three sales of ten.
 */
function marketOf(
  found: NonNullable<Awaited<ReturnType<typeof findComparables>>>,
): Market {
  const percentiles = Object.entries(found.percentiles).map(([name, cents]) => [
    name,
    rounded(cents),
  ])
  return {
    isReal: found.price_basis !== 'last_observed',
    soldCount: found.sold_count,
    ...(Object.fromEntries(percentiles) as typeof found.percentiles),
    prices: found.comparables.map(({ price_cents }) => rounded(price_cents)),
    comparables: found.comparables
      .slice(0, COMPARABLES_SHOWN)
      .map(({ similarity: _similarity, ...sale }) => sale),
  }
}
