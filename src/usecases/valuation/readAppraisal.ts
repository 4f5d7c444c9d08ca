import type { Schemas } from '../../contract/types.ts'
import type { Caller } from '../../domain/caller.ts'
import { isByWeight } from '../../domain/titles/priceWords.ts'
import { bandOf, type ValueBand } from '../../domain/valuation/calibratedValue.ts'
import { CONTRADICTED, type Grade } from '../../domain/valuation/grade.ts'
import {
  type BidMoment,
  maxBidCents,
  projectedCloseCents,
  TARGET_MARGIN_PERCENT,
} from '../../domain/valuation/projection.ts'
import { findAppraisal, findUnvalued } from '../../infra/listings/soldPrices.ts'
import { type ModelAccuracy, readAccuracy } from '../../infra/valuation/models.ts'
import type { Deps } from '../deps.ts'

type Appraisal = NonNullable<Schemas['Appraisal']>

/** What an appraisal is made from. Amounts in US cents. */
interface Estimated extends ValueBand {
  estimated_value_cents: number
  confidence: number
  grade: Grade
  current_bid_cents: number | null
  premium_percent: number
  hours_left: number | null
  bid_moments: BidMoment[] | null
}

/** What a lot is worth, by its id; null where no value is known or no lot has the id. */
export async function readAppraisal(
  { reads }: Deps,
  listingId: string,
  caller: Caller,
): Promise<Appraisal | null> {
  const stored = await reads.read(caller, ({ sql, now }) => findAppraisal(sql, now, listingId))
  return stored && appraisalOf(stored)
}

/** Why a lot has no value, as a sentence; null when no lot has the id. */
export async function explainNoValue(
  { reads }: Deps,
  listingId: string,
  caller: Caller,
): Promise<string | null> {
  const lot = await reads.read(caller, ({ sql }) => findUnvalued(sql, listingId))
  return lot && (lot.is_estimated ? CONTRADICTED : whyNoEstimate(lot.title))
}

/** Why nobody can say what a title is worth, as a sentence. */
export function whyNoEstimate(title: string): string {
  return isByWeight(title) ? 'Goods sold by weight are not valued.' : 'Nothing like it was sold.'
}

/** With grade words no bid is advised. */
const NO_ADVICE = {
  projected_close_cents: null,
  projection_basis: null,
  target_margin_percent: null,
  max_bid_cents: null,
}

/** The appraisal of the contract: the estimate, and what follows from the bid, the premium and the time left. */
export function appraisalOf(estimated: Estimated): Appraisal {
  const { estimated_value_cents, grade, current_bid_cents: bid_cents, hours_left, bid_moments } = estimated
  const band = bandOf(estimated)
  const confidence = Math.round(estimated.confidence * 100) / 100
  const known = { estimated_value_cents, ...band, confidence, grade }
  if (grade === 'words') return { ...known, ...NO_ADVICE }
  return {
    ...known,
    projected_close_cents: projectedCloseCents(
      { value_cents: estimated_value_cents, band, bid_cents, hours_left },
      bid_moments,
    ),
    projection_basis: bid_moments && bid_cents ? 'observed' : 'formula',
    target_margin_percent: TARGET_MARGIN_PERCENT,
    max_bid_cents: maxBidCents(estimated_value_cents, estimated.premium_percent),
  }
}

/** Estimates of fewer sales say nothing about the others. */
const LEAST_SALES = 50

/**
 * How well the estimates of the loaded sales held in cross-validation, and the moment of these sales (RFC 3339); null while there
 * are fewer than 50.
 */
export async function accuracyOfEstimates({ reads }: Deps, caller: Caller): Promise<ModelAccuracy | null> {
  const read = await reads.read(caller, ({ sql }) => readAccuracy(sql))
  return read && read.accuracy.sales >= LEAST_SALES ? read : null
}
