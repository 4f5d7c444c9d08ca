import { notFound } from '../contract/errors.ts'
import { includes } from '../contract/plans.ts'
import type { Input, ListingDetail, Ok, Schemas } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { aboutDollars } from '../domain/price.ts'
import {
  type Appraisal,
  findAppraisal,
} from '../infra/valuation/storedAppraisals.ts'
import type { Deps } from '../usecases/deps.ts'
import { explainNoValue } from '../usecases/valuation/readAppraisal.ts'
import { getListing } from './getListing.ts'

/**
 * The Flip Score of a lot, by id or slug, with its factors.
 * @throws ApiError as `readScore` does.
 */
export async function getFlipScore(
  deps: Deps,
  { id }: Input<'getFlipScore'>,
  caller: Caller,
): Promise<Ok<'getFlipScore'>> {
  return { data: (await readScore(deps, id, caller)).score }
}

/**
 * A lot by id or slug, its score, and the stored appraisal behind it.
 * @throws ApiError not_found when there is no such lot, or it has no score; the
 * message says which, and names the value to callers whose plan has appraisals.
 */
export async function readScore(
  deps: Deps,
  idOrSlug: string,
  caller: Caller,
): Promise<{
  listing: ListingDetail
  score: Schemas['FlipScore']
  appraisal: Appraisal
}> {
  const { data: listing } = (
    await getListing(deps, { id: idOrSlug }, caller)
  ).value()
  const appraisal = await deps.reads.read(caller, context =>
    findAppraisal(context, listing.id),
  )
  if (!appraisal) {
    const why = await explainNoValue(deps, listing.id, caller)
    throw notFound(
      `This listing has no Flip Score, because no value is known. ${why}`,
    )
  }
  const { flip_score, factors, price_kind } = appraisal
  if (flip_score === null || factors === null || price_kind === null) {
    const { plan } = caller.key ?? { plan: 'free' }
    const value = aboutDollars(appraisal.estimated_value_cents)
    const advice = `; its typical price is about ${value}, and its comps (listing_id ${listing.id}) say why`
    const isAdvised = includes(plan, 'pro') && appraisal.value_note === null
    const isFixed = listing.offer_kind === 'fixed_price'
    const ofPrice = isFixed
      ? 'its price is fixed, so no bid decides it'
      : 'it has no price yet'
    const isGuess = appraisal.grade === 'words'
    const why = isGuess ? 'its value is a rough guess from the title' : ofPrice
    throw notFound(
      `This listing has no Flip Score: ${why}${isAdvised ? advice : ''}.`,
    )
  }
  const { resale_margin_cents, score_version, scored_at, estimated_at } =
    appraisal
  const scored = {
    resale_margin_cents,
    score_version,
    price_kind,
    scored_at,
    estimated_at,
  }
  return {
    listing,
    score: { id: listing.id, flip_score, factors, ...scored },
    appraisal,
  }
}
