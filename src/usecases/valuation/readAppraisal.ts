import type { Listing, Schemas } from '../../contract/types.ts'
import { SCORE_VERSION } from '../../domain/appraisal/flipScore.ts'
import { limitOf } from '../../domain/appraisal/limit.ts'
import { neighborsPercent } from '../../domain/appraisal/neighbors.ts'
import { scoreReason } from '../../domain/appraisal/verdict.ts'
import type { Caller } from '../../domain/caller.ts'
import { aboutDollars, rounded } from '../../domain/price.ts'
import type { Category } from '../../domain/titles/categories.ts'
import { isByWeight } from '../../domain/titles/priceWords.ts'
import {
  bandOf,
  type ValueBand,
} from '../../domain/valuation/calibratedValue.ts'
import { gradeWords } from '../../domain/valuation/grade.ts'
import {
  projectedClose,
  TARGET_MARGIN_PERCENT,
} from '../../domain/valuation/projection.ts'
import type { SqlContext } from '../../infra/postgres/sql.ts'
import {
  type ModelAccuracy,
  readAccuracy,
} from '../../infra/valuation/models.ts'
import {
  findAppraisals,
  findUnvalued,
  type Appraisal as StoredAppraisal,
} from '../../infra/valuation/storedAppraisals.ts'
import type { Deps } from '../deps.ts'

type Appraisal = NonNullable<Schemas['Appraisal']>

/** What an appraisal is made from. Amounts in US cents. */
type Estimated = ValueBand &
  Pick<
    StoredAppraisal,
    | 'source'
    | 'category'
    | 'estimated_value_cents'
    | 'confidence'
    | 'grade'
    | 'like_count'
    | 'neighbor_factor'
    | 'premium_percent'
    | 'seen_factor'
    | 'no_bid_chance'
    | 'score_version'
  >

/**
 * An appraisal of the contract, with how it is known in words: "from 25 similar
 * sales".
 */
export interface KnownAppraisal extends Appraisal {
  known: string
}

/**
 * The appraisal that may be shown; null once the bids have passed its value.
 */
export function knownAppraisal(stored: StoredAppraisal): KnownAppraisal | null {
  if (stored.value_note !== null) return null
  return {
    ...storedAppraisalOf(stored),
    known: gradeWords(stored.grade, stored.comparables_count, stored.category),
  }
}

/** Reads the appraisals of those of these lots that have one, by their ids. */
export async function readKnownAppraisals(
  { reads }: Deps,
  ids: readonly string[],
  caller: Caller,
): Promise<Map<string, KnownAppraisal>> {
  const stored = await reads.read(caller, context =>
    findAppraisals(context, ids),
  )
  const known = stored.map(
    one => [one.listing_id, knownAppraisal(one)] as const,
  )
  return new Map(known.flatMap(([id, one]) => (one ? [[id, one]] : [])))
}

/** What everybody may see of an appraisal. */
export interface AppraisalShown {
  estimated: number
  likelyLow: number
  likelyHigh: number
  grade: string
  /** How the value is known: "from 25 similar sales". */
  known: string
  neighbors_percent: number | null
  seen_factor: number | null
  /** What the limit follows from; null where none may be named. */
  resale: number | null
  /**
   * The band that holds half of the closes; the likely close can be rounded up
   * too.
   */
  closeLow: number | null
  closeHigh: number | null
  /** Whether the rise of bids was learned from lots that closed here. */
  isLearned: boolean
  /** What the score rests on; null without a score. */
  reason: string | null
}

/** The appraisals of lots by their ids. */
export type AppraisalsShown = ReadonlyMap<string, AppraisalShown>

/**
 * Reads the appraisals of those of these lots that have one, in one statement.
 */
export async function readAppraisals(
  { reads }: Deps,
  lots: readonly Pick<Listing, 'id'>[],
  caller: Caller,
): Promise<AppraisalsShown> {
  if (lots.length === 0) return new Map()
  return reads.read(caller, context => findAppraisalsShown(context, lots))
}

/** The same outside of the queue of a caller. */
export async function findAppraisalsShown(
  context: SqlContext,
  lots: readonly Pick<Listing, 'id'>[],
): Promise<Map<string, AppraisalShown>> {
  const ids = lots.map(({ id }) => id)
  const stored = await findAppraisals(context, ids)
  const shown = stored.filter(({ value_note }) => value_note === null)
  return new Map(shown.map(one => [one.listing_id, appraisalShown(one)]))
}

/**
 * A stored appraisal for pages and mails: amounts in US cents rounded to two
 * digits.
 */
function appraisalShown(stored: StoredAppraisal): AppraisalShown {
  const { factors, price_kind, comparables_count } = stored
  const {
    grade,
    projected_close_cents,
    projection_basis,
    resale_value_cents,
    ...appraisal
  } = storedAppraisalOf(stored)
  return {
    estimated: rounded(appraisal.estimated_value_cents),
    likelyLow: rounded(appraisal.likely_low_cents),
    likelyHigh: rounded(appraisal.likely_high_cents),
    grade,
    known: gradeWords(grade, comparables_count, stored.category),
    neighbors_percent: appraisal.neighbors_percent,
    seen_factor: appraisal.seen_factor,
    resale: resale_value_cents && rounded(resale_value_cents),
    closeLow: stored.close_low_cents && rounded(stored.close_low_cents),
    closeHigh:
      stored.close_high_cents && rounded(stored.close_high_cents, Math.ceil),
    isLearned: projection_basis === 'observed',
    reason: factors && price_kind && scoreReason(factors, price_kind),
  }
}

/** Why a lot has no value, as a sentence; null when no lot has the id. */
export async function explainNoValue(
  { reads }: Deps,
  listingId: string,
  caller: Caller,
): Promise<string | null> {
  const lot = await reads.read(caller, context =>
    findUnvalued(context, listingId),
  )
  if (!lot) return null
  const { title, value_note, estimated_value_cents: cents, is_queued } = lot
  if (cents === null && is_queued)
    return 'Its value is being estimated. Look again in a minute.'
  if (cents === null) return whyNoEstimate(title, lot.category)
  return value_note === 'bids_above'
    ? `Bids have passed our estimate of about ${aboutDollars(cents)}.`
    : 'The bids contradict our estimate.'
}

/** Why nobody can say what a title is worth, as a sentence. */
export function whyNoEstimate(title: string, category: Category): string {
  if (isByWeight(title)) return 'Goods sold by weight are not valued.'
  return category === 'real-estate'
    ? 'No sales of such property are loaded.'
    : 'Nothing like it was sold.'
}

/** With grade words no bid is advised. */
const NO_ADVICE = {
  projected_close_cents: null,
  projection_basis: null,
  target_margin_percent: null,
  max_bid_cents: null,
  resale_value_cents: null,
}

/**
 * The appraisal of the contract, with a projected close: the estimate, and what
 * follows from the premium.
 */
export function appraisalOf(
  estimated: Estimated,
  close: Pick<Appraisal, 'projected_close_cents' | 'projection_basis'>,
): Appraisal {
  const { estimated_value_cents, grade, seen_factor, no_bid_chance } = estimated
  const confidence = Math.round(estimated.confidence * 100) / 100
  const neighbors_percent = neighborsPercent(estimated.neighbor_factor)
  const known = {
    estimated_value_cents,
    ...bandOf(estimated),
    confidence,
    grade,
    neighbors_percent,
    seen_factor,
    no_bid_chance,
  }
  if (grade === 'words') return { ...known, ...NO_ADVICE }
  const value = {
    value_cents: estimated_value_cents,
    band: bandOf(estimated),
    grade,
  }
  // With scores of earlier versions highest bids followed from the value
  // itself.
  const isEarlier = estimated.score_version !== SCORE_VERSION
  const limit = limitOf(
    estimated,
    value,
    isEarlier ? estimated_value_cents : undefined,
  )
  const advice = limit && {
    ...limit,
    target_margin_percent: TARGET_MARGIN_PERCENT,
  }
  return { ...known, ...NO_ADVICE, ...close, ...advice }
}

/** The appraisal of a lot, with its close by the bid and the time left. */
export function storedAppraisalOf(stored: StoredAppraisal): Appraisal {
  const projected_close_cents = closeOf(stored)
  const basis =
    stored.bid_moments && stored.current_bid_cents ? 'observed' : 'formula'
  const projection_basis = projected_close_cents === null ? null : basis
  return appraisalOf(stored, { projected_close_cents, projection_basis })
}

/**
 * The projected close that was stored with the score; scores of earlier
 * versions have none. Nobody sees how sealed bids rise.
 */
function closeOf(stored: StoredAppraisal) {
  if (stored.score_version === SCORE_VERSION)
    return stored.projected_close_cents
  if (stored.is_sealed) return null
  const {
    estimated_value_cents: value_cents,
    current_bid_cents: bid_cents,
    hours_left,
    bid_moments,
  } = stored
  const close = projectedClose(
    { value_cents, band: stored, bid_cents, hours_left },
    bid_moments,
  )
  // By the formula of 1.0.0 bids went the whole way.
  return bid_cents && !bid_moments ? close.likely_high_cents : close.cents
}

/** Estimates of fewer sales say nothing about the others. */
const LEAST_SALES = 50

/**
 * How well the estimates of the loaded sales held, and the moment of these
 * sales (RFC 3339); null while fewer than 50 are judged, and where
 * `readAccuracy` has none.
 */
export async function accuracyOfEstimates(
  { reads }: Deps,
  caller: Caller,
): Promise<ModelAccuracy | null> {
  const read = await reads.read(caller, ({ sql }) => readAccuracy(sql))
  return read && read.accuracy.sales >= LEAST_SALES ? read : null
}
