import { grouped } from '../grouped.ts'
import { accuracyOf, errorFactor, percent, rankCorrelation } from './accuracy.ts'
import type { Sale, UnsoldLot } from './comparables/saleColumns.ts'
import { buildModel, estimator, type Model } from './model.ts'
import { percentileCont } from './percentiles.ts'

/** The accuracy of one estimator on sales it had not seen. */
export type BacktestRow = ReturnType<typeof measure>

interface Estimated {
  value_cents: number
  likely: [low: number, high: number] | null
}

type Estimator = (sale: Sale) => Estimated | null

/** A state's median needs this many sales; otherwise the category's median is used. */
const STATE_MINIMUM = 5
/** Fewer comparables are too few for a median and quartiles. */
const COMPARABLES_MINIMUM = 5

/**
 * Estimates every sale at or after `splitMs` from the sales before it alone, in five ways, and measures the misses,
 * the bands and the score.
 * It skips sales without a price, and lots without a bid that ended after the split. Deterministic.
 */
export function backtest(
  closedSales: readonly Sale[],
  splitMs: number,
  unsoldLots: readonly UnsoldLot[] = [],
) {
  const sales = closedSales.filter(sale => sale.final_bid_cents > 0)
  const known = sales.filter(sale => sale.sold_at_ms < splitMs)
  const tested = sales.filter(sale => sale.sold_at_ms >= splitMs)
  const { confident_from, accuracy, ours, oursWhenConfident, ofComparables } = ourEstimators(
    buildModel(known, splitMs, {
      counts: {},
      lots: unsoldLots.filter(lot => lot.ended_at_ms < splitMs),
    }),
    tested,
  )
  const byCategory = medianEstimator(known, sale => sale.category)
  const byState = medianEstimator(known, sale => `${sale.category} ${sale.state ?? ''}`, STATE_MINIMUM)
  return {
    trained_on: known.length,
    tested_on: tested.length,
    /** Estimates of at least this confidence form the more confident half; null without an estimate. */
    confident_from,
    /** Of this estimate. */
    accuracy,
    rows: [
      measure('category median', tested, byCategory),
      measure(
        `category and state median (at least ${STATE_MINIMUM} sales)`,
        tested,
        sale => byState(sale) ?? byCategory(sale),
      ),
      measure(`median of the comparables (at least ${COMPARABLES_MINIMUM})`, tested, ofComparables),
      measure('this estimate', tested, ours),
      measure('this estimate, the more confident half', tested, oursWhenConfident),
    ],
  }
}

function ourEstimators(model: Model, tested: readonly Sale[]) {
  const appraise = estimator(model)
  const made = new Map(tested.map(sale => [sale, appraise(sale)]))
  const confidences = [...made.values()].flatMap(appraisal => (appraisal ? [appraisal.confidence] : []))
  const confident_from =
    confidences.length === 0 ? null : percentileCont(Float64Array.from(confidences).sort(), 0.5)
  const ours: Estimator = sale => {
    const { value_cents, band } = made.get(sale) ?? {}
    return band
      ? { value_cents: value_cents!, likely: [band.likely_low_cents, band.likely_high_cents] }
      : null
  }
  const isConfident = (sale: Sale) => (made.get(sale)?.confidence ?? 0) >= (confident_from ?? 1)
  const oursWhenConfident: Estimator = sale => (isConfident(sale) ? ours(sale) : null)
  const ofComparables: Estimator = sale => {
    const { percentiles, comparables = [] } = made.get(sale) ?? {}
    if (!percentiles || comparables.length < COMPARABLES_MINIMUM) return null
    return { value_cents: percentiles.p50_cents, likely: [percentiles.p25_cents, percentiles.p75_cents] }
  }
  const accuracy = accuracyOf(
    tested.flatMap(sale => {
      const appraisal = made.get(sale)
      return appraisal ? [{ ...appraisal, category: sale.category, price_cents: sale.final_bid_cents }] : []
    }),
  )
  return { confident_from, accuracy, ours, oursWhenConfident, ofComparables }
}

function medianEstimator(known: readonly Sale[], groupOf: (sale: Sale) => string, minimum = 1): Estimator {
  const medians = new Map<string, number>()
  for (const [group, own] of grouped(known, groupOf)) {
    const prices = Float64Array.from(own, sale => sale.final_bid_cents).sort()
    if (own.length >= minimum) medians.set(group, percentileCont(prices, 0.5))
  }
  return sale => {
    const value_cents = medians.get(groupOf(sale))
    return value_cents === undefined ? null : { value_cents, likely: null }
  }
}

function measure(estimator: string, tested: readonly Sale[], estimate: Estimator) {
  const answers = tested.flatMap(sale => {
    const answer = estimate(sale)
    return answer ? [{ ...answer, price: sale.final_bid_cents }] : []
  })
  const estimates = answers.map(({ value_cents }) => value_cents)
  const prices = answers.map(({ price }) => price)
  const held = answers.flatMap(({ likely, price }) =>
    likely ? [price >= likely[0] && price <= likely[1]] : [],
  )
  return {
    estimator,
    /** The share of the tested sales with an estimate. */
    answers_percent: percent(answers.length, tested.length) ?? 0,
    /** The typical factor by which it missed. Null without an estimate. */
    error_factor: errorFactor(estimates, prices),
    /** Null when it cannot be computed. */
    rank_correlation: rankCorrelation(estimates, prices),
    /** The share of prices inside its band, ideally half; null for an estimator without a band. */
    band_hold_percent: percent(held.filter(Boolean).length, held.length),
  }
}
