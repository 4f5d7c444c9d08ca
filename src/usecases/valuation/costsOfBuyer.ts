import { invalidRequest } from '../../contract/errors.ts'
import type { Input } from '../../contract/types.ts'
import { priceToPay } from '../../domain/appraisal/appraisalRow.ts'
import {
  BUYER_PARAMETERS,
  type Buyer,
  type BuyerCosts,
  buyerCosts,
  USUAL_BUYER,
} from '../../domain/appraisal/buyerCosts.ts'
import type { Caller } from '../../domain/caller.ts'
import { listingFrom } from '../../infra/alerts/distances.ts'
import { findZip } from '../../infra/places/zipTables.ts'
import {
  type Appraisal,
  findAppraisal,
} from '../../infra/valuation/storedAppraisals.ts'
import type { Deps } from '../deps.ts'
import { storedAppraisalOf } from './readAppraisal.ts'

/**
 * The buyer that a call describes, as usual in what it leaves out; null where
 * it describes none.
 * @throws ApiError invalid_request for a ZIP code that does not exist, which
 * the message does not name: logs have messages.
 */
export function buyerOf(
  input: Pick<Input<'getComps'>, keyof Buyer>,
): Buyer | null {
  assertKnownZip(input.buyer_zip ?? null)
  return BUYER_PARAMETERS.some(name => name in input)
    ? { ...USUAL_BUYER, ...input }
    : null
}

/**
 * @throws ApiError invalid_request for a ZIP code that does not exist, which
 * the message does not name: logs have messages.
 */
export function assertKnownZip(zip: string | null): void {
  if (zip !== null && !findZip(zip.slice(0, 5)))
    throw invalidRequest('"buyer_zip": there is no such ZIP code.')
}

/**
 * What a lot costs a buyer; null where it has no value.
 * @param listingId its id.
 */
export async function readCosts(
  { reads }: Deps,
  buyer: Buyer,
  listingId: string,
  caller: Caller,
): Promise<BuyerCosts | null> {
  const stored = await reads.read(caller, context =>
    findAppraisal(context, listingId),
  )
  return stored && costsOfBuyer(buyer, stored)
}

/**
 * What a lot with an appraisal costs a buyer; no limit and nothing left while
 * bids contradict its value.
 */
export function costsOfBuyer(buyer: Buyer, stored: Appraisal): BuyerCosts {
  const value = stored.value_note === null ? storedAppraisalOf(stored) : null
  return buyerCosts(buyer, {
    source: stored.source,
    premium_percent: stored.published_premium_percent,
    // No source of data/sources.json publishes it.
    premium_is_taxed: null,
    distance_miles: listingFrom(buyer.buyer_zip, stored).distance_miles ?? null,
    resale_value_cents: value?.resale_value_cents ?? null,
    next_cents: priceToPay(stored)?.cents ?? null,
    likely_cents: value?.projected_close_cents ?? null,
  })
}
