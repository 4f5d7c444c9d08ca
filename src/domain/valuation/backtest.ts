import { type Appraisal, appraiser } from './appraisal.ts'
import { errorFactor, rankCorrelation } from './backtestMeasures.ts'
import { buildSalesIndex } from './comparables.ts'
import type { Sale } from './comparablesCorpus.ts'
import { percentileCont } from './percentiles.ts'

/** How one way of estimating did on sales it had not seen. */
export interface BacktestRow {
  estimator: string
  /** The share of the tested sales it gave an estimate for. */
  answers_percent: number
  /** exp(median |ln(estimate / price)|): the typical multiple by which it missed. Null when it answered none. */
  error_factor: number | null
  /** Spearman's. Null when it cannot be computed. */
  rank_correlation: number | null
  /** The share of prices inside its published band, p25 to p75; null when it publishes none. */
  band_hold_percent: number | null
}

export interface Backtest {
  trained_on: number
  tested_on: number
  rows: BacktestRow[]
}

interface Estimate {
  valueCents: number
  band: { p25_cents: number; p75_cents: number } | null
}

type Estimator = (sale: Sale) => Estimate | null

/** A state's median needs this many sales; under that the category's median stands in. */
const STATE_MINIMUM = 5
/** From this confidence on an estimate counts as confident: on the real federal lots, about the better half. */
const CONFIDENT = 0.1
/** A band needs this many comparables. */
const BAND_MINIMUM = 5

/**
 * Estimates every sale at or after `splitMs` from the sales before it alone, in four ways, and measures the misses.
 * Sales without a price are left out. Deterministic.
 */
export function backtest(closedSales: readonly Sale[], splitMs: number): Backtest {
  const sales = closedSales.filter(sale => sale.final_bid_cents > 0)
  const known = sales.filter(sale => sale.sold_at_ms < splitMs)
  const tested = sales.filter(sale => sale.sold_at_ms >= splitMs)
  const { ours, oursWhenConfident } = ourEstimators(known, splitMs)
  const byCategory = medianEstimator(known, sale => sale.category)
  const byState = medianEstimator(known, sale => `${sale.category} ${sale.state ?? ''}`, STATE_MINIMUM)
  return {
    trained_on: known.length,
    tested_on: tested.length,
    rows: [
      measure('category median', tested, byCategory),
      measure(
        `category and state median (at least ${STATE_MINIMUM} sales)`,
        tested,
        sale => byState(sale) ?? byCategory(sale),
      ),
      measure('this estimate', tested, ours),
      measure(`this estimate, where its confidence is at least ${CONFIDENT}`, tested, oursWhenConfident),
    ],
  }
}

function ourEstimators(
  known: readonly Sale[],
  splitMs: number,
): { ours: Estimator; oursWhenConfident: Estimator } {
  const appraise = appraiser(buildSalesIndex(known, splitMs))
  const made = new Map<Sale, Appraisal | null>()
  const appraisalOf = (sale: Sale): Appraisal | null => {
    const known = made.get(sale)
    if (known !== undefined) return known
    const appraisal = appraise(sale)
    made.set(sale, appraisal)
    return appraisal
  }
  const ours: Estimator = sale => {
    const appraisal = appraisalOf(sale)
    if (!appraisal) return null
    const { value_cents, comparables, percentiles } = appraisal
    return { valueCents: value_cents, band: comparables.length >= BAND_MINIMUM ? percentiles : null }
  }
  const confident = (sale: Sale) => (appraisalOf(sale)?.confidence ?? 0) >= CONFIDENT
  return { ours, oursWhenConfident: sale => (confident(sale) ? ours(sale) : null) }
}

function medianEstimator(known: readonly Sale[], groupOf: (sale: Sale) => string, minimum = 1): Estimator {
  const prices = new Map<string, number[]>()
  for (const sale of known) {
    const group = groupOf(sale)
    const own = prices.get(group)
    if (own) own.push(sale.final_bid_cents)
    else prices.set(group, [sale.final_bid_cents])
  }
  const medians = new Map<string, number>()
  for (const [group, own] of prices) {
    if (own.length >= minimum) medians.set(group, percentileCont(Float64Array.from(own).sort(), 0.5))
  }
  return sale => {
    const valueCents = medians.get(groupOf(sale))
    return valueCents === undefined ? null : { valueCents, band: null }
  }
}

function measure(estimator: string, tested: readonly Sale[], estimate: Estimator): BacktestRow {
  const answers = tested.flatMap(sale => {
    const answer = estimate(sale)
    return answer ? [{ ...answer, price: sale.final_bid_cents }] : []
  })
  const estimates = answers.map(answer => answer.valueCents)
  const prices = answers.map(answer => answer.price)
  const banded = answers.filter(answer => answer.band !== null)
  const held = banded.filter(({ band, price }) => band && price >= band.p25_cents && price <= band.p75_cents)
  return {
    estimator,
    answers_percent: percent(answers.length, tested.length) ?? 0,
    error_factor: errorFactor(estimates, prices),
    rank_correlation: rankCorrelation(estimates, prices),
    band_hold_percent: percent(held.length, banded.length),
  }
}

/** One decimal; null of nothing. */
function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 1000) / 10
}
