import { bareLetters } from '../../contract/text.ts'
import { DAY_MS } from '../durations.ts'
import { grouped } from '../grouped.ts'
import type { BidPoint } from './bidPaths.ts'
import { type CalibratedValue, calibratedValue } from './calibratedValue.ts'
import type { Calibration } from './calibration.ts'
import type { Trial } from './crossValidation.ts'
import { LIKE } from './grade.ts'
import { closeOfSale } from './learnedPrice.ts'
import { priceDistribution } from './priceDistribution.ts'

/**
 * How the chance behind the score follows from the step of a cost in the
 * distribution of prices (`priceDistribution`): chance = 1 / (1 + 3^(offset +
 * slope · step)). A bid is a judgement too: a lot that goes far below its value
 * is often worth less than others with its title. So outcomes give a slope
 * below 1.
 */
export type ChanceCurve = { offset: number; slope: number }

/**
 * A closed lot, what was estimated without its price and its twins', and the
 * bids that were seen on it. Amounts in US cents.
 */
export interface ValuedSale
  extends Pick<CalibratedValue, 'value_cents' | 'band'> {
  title: string
  zip?: string | null
  sold_at_ms: number
  final_bid_cents: number
  /** At several moments, the last one included. */
  bids_cents: readonly number[]
}

/**
 * A bid on a lot that has twins, lots with the very same title that were sold
 * elsewhere or on another day.
 */
export interface TwinOutcome {
  /** Of the bid, by the estimate of the lot. */
  step: number
  /** The share of the twins that brought more, 0 to 1. */
  above: number
  /** The bids on one lot weigh 1 together. */
  weight: number
}

/** Without outcomes the distribution counts as it is. */
export const UNLEARNED: ChanceCurve = { offset: 0, slope: 1 }
/**
 * Of the offset and of the slope from those of `UNLEARNED`: precision that a
 * few lots outweigh.
 */
const PRIOR_WEIGHT = 5
const NEWTON_STEPS = 20
/**
 * More lots with one title say no more, and comparing all with all takes time.
 */
const MOST_ALIKE = 100
/** A better price never lowers the chance. */
const LEAST_SLOPE = 0.1
const LN_3 = Math.log(3)

/**
 * The chance, 0 to 1, that such a lot is worth more than a cost at this step.
 */
export function chanceAt(step: number, { offset, slope }: ChanceCurve): number {
  return 1 / (1 + 3 ** (offset + slope * step))
}

/**
 * The outcomes of the sales that have a twin among them: a title of the same
 * letters and digits. The estimate of none may rest on another of them.
 */
export function twinOutcomes(sales: readonly ValuedSale[]): TwinOutcome[] {
  const placeOf = (sale: ValuedSale) =>
    `${sale.zip ?? ''} ${Math.floor(sale.sold_at_ms / DAY_MS)}`
  const placed = sales.map(sale => ({ ...sale, place: placeOf(sale) }))
  const groups = grouped(placed, ({ title }) => bareLetters(title))
  return [...groups.values()]
    .map(all => all.slice(0, MOST_ALIKE))
    .flatMap(own =>
      own.flatMap(({ place, value_cents, band, bids_cents }) => {
        const twins = own.filter(other => other.place !== place)
        if (twins.length === 0) return []
        const { stepAt } = priceDistribution(value_cents, band)
        return bids_cents.map(bid => ({
          step: stepAt(bid),
          above:
            twins.filter(twin => twin.final_bid_cents > bid).length /
            twins.length,
          weight: 1 / bids_cents.length,
        }))
      }),
    )
}

/**
 * The curve that the outcomes of cross-validated sales follow.
 * @param bids that were seen on them before the close; the price of each sale
 * is one more.
 */
export function chanceCurve(
  trials: readonly Trial[],
  calibration: Calibration,
  bids: readonly BidPoint[],
) {
  // A guess from words has no score.
  const isScored = ({ estimate }: Trial) =>
    estimate.comparables.some(({ similarity }) => similarity >= LIKE)
  const bidsOf = grouped(bids, ({ lot_id }) => lot_id)
  const folds = grouped(trials.filter(isScored), ({ fold }) => fold)
  const outcomes = [...folds.values()].flatMap(own =>
    twinOutcomes(
      own.map(({ sale, estimate }) => ({
        ...sale,
        final_bid_cents: closeOfSale(sale),
        ...calibratedValue(sale, estimate, calibration),
        bids_cents: [
          closeOfSale(sale),
          ...(bidsOf.get(sale.id) ?? []).map(({ bid_cents }) => bid_cents),
        ],
      })),
    ),
  )
  return fittedCurve(outcomes)
}

/**
 * By logistic regression (Newton's method), held near `UNLEARNED` where
 * outcomes are few. With two decimals, as it is published.
 */
export function fittedCurve(outcomes: readonly TwinOutcome[]): ChanceCurve {
  let curve = UNLEARNED
  for (let n = 0; n < NEWTON_STEPS; n++) {
    let atOffset = PRIOR_WEIGHT * (UNLEARNED.offset - curve.offset)
    let atSlope = PRIOR_WEIGHT * (UNLEARNED.slope - curve.slope)
    let [oo, os, ss] = [PRIOR_WEIGHT, 0, PRIOR_WEIGHT]
    for (const { step, above, weight } of outcomes) {
      const chance = chanceAt(step, curve)
      const missed = weight * LN_3 * (chance - above)
      const bend = weight * LN_3 * LN_3 * chance * (1 - chance)
      atOffset += missed
      atSlope += missed * step
      oo += bend
      os += bend * step
      ss += bend * step * step
    }
    const determinant = oo * ss - os * os
    curve = {
      offset: curve.offset + (ss * atOffset - os * atSlope) / determinant,
      slope: Math.max(
        LEAST_SLOPE,
        curve.slope + (oo * atSlope - os * atOffset) / determinant,
      ),
    }
  }
  const published = (number: number) => Math.round(100 * number) / 100
  return { offset: published(curve.offset), slope: published(curve.slope) }
}
