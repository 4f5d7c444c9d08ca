import type { Schemas } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { ApiError } from '../domain/errors.ts'
import { findAppraisal } from '../infra/listings/soldPrices.ts'
import type { Deps } from './deps.ts'
import { readListing } from './readListing.ts'

/**
 * Reads the Flip Score of a lot with its factors, by id or slug.
 * @throws ApiError not_found when there is no such lot, or it has no score; the message says which.
 */
export async function readFlipScore(
  deps: Deps,
  idOrSlug: string,
  caller: Caller,
): Promise<Schemas['FlipScore']> {
  const listing = await readListing(deps, idOrSlug, caller)
  const appraisal = await deps.reads.read(caller, ({ sql }) => findAppraisal(sql, listing.id))
  if (!appraisal) {
    throw new ApiError(
      'not_found',
      'This listing has no Flip Score: nothing comparable was sold in the last 365 days.',
    )
  }
  const { flip_score, factors, resale_margin_cents, score_version, scored_at, estimated_at } = appraisal
  if (flip_score === null || factors === null) {
    throw new ApiError('not_found', 'This listing has no Flip Score: it has no price yet.')
  }
  return { id: listing.id, flip_score, factors, resale_margin_cents, score_version, scored_at, estimated_at }
}
