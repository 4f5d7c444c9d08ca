import { readFileSync } from 'node:fs'
import { parseFile } from 'fast-csv'
import { beforeAll, describe, expect, it } from 'vitest'
import items from '../../../data/items.json' with { type: 'json' }
import { projectFile } from '../../../src/contract/projectFile.ts'
import { accuracyOf } from '../../../src/domain/appraisal/accuracy.ts'
import { flipScore } from '../../../src/domain/appraisal/flipScore.ts'
import { classifyCategory, isCategory } from '../../../src/domain/titles/categories.ts'
import { itemTagger } from '../../../src/domain/titles/items.ts'
import { UNLEARNED } from '../../../src/domain/valuation/chance.ts'
import type { Sale, UnsoldLot } from '../../../src/domain/valuation/comparables/saleColumns.ts'
import { LIKE } from '../../../src/domain/valuation/grade.ts'
import { type JudgedSale, judgeWeeks } from '../../../src/domain/valuation/judgedWeeks.ts'
import { closeOfSale } from '../../../src/domain/valuation/learnedPrice.ts'
import { isPoor } from '../../../src/domain/valuation/lotFacts.ts'
import { errorFactor, rankCorrelation } from '../../../src/domain/valuation/measures.ts'
import { buildModel, estimator } from '../../../src/domain/valuation/model.ts'
import { percentilesOf } from '../../../src/domain/valuation/percentiles.ts'
import { ON_REAL_LOTS, REAL_LOTS } from '../../support/run/realLots.ts'

/** The start of the last seven days. */
const LAST_WEEK = Date.parse('2026-05-22T00:00:00Z')
const AFTER_ALL = Date.parse('2026-05-29T00:00:00Z')

/** The dataset names the day of the end; loads take its last moment. */
const DAY_MS = 86_400_000

interface ClosedLot {
  title: string
  category: string
  sale: Sale
}

async function closedLots(): Promise<ClosedLot[]> {
  const tagItem = itemTagger(items)
  const lots: ClosedLot[] = []
  for await (const row of parseFile<Record<string, string>, Record<string, string>>(REAL_LOTS!, {
    headers: true,
  })) {
    const { id, title, category: stated, state, zip, current_or_final_bid: bid, ended_at } = row
    const category = isCategory(stated!) ? stated : 'other'
    const final_bid_cents = Math.round(Number(bid) * 100)
    const sold_at_ms = Date.parse(`${ended_at}T00:00:00Z`) + DAY_MS
    const item = tagItem(title!, category)
    lots.push({
      title: title!,
      category: stated!,
      sale: {
        ...{
          id: id!,
          title: title!,
          category,
          state: state!,
          zip: zip!,
          item,
          final_bid_cents,
          sold_at_ms,
        },
        seen_by: 'open-data',
      },
    })
  }
  return lots
}

describe('on the real closed lots', ON_REAL_LOTS, () => {
  let lots: ClosedLot[] = []
  let sales: Sale[] = []
  let unsold: UnsoldLot[] = []
  let judged: JudgedSale[] = []
  const knownSales = (ms: number) => sales.filter(sale => sale.sold_at_ms < ms)

  beforeAll(async () => {
    lots = await closedLots()
    sales = lots.map(lot => lot.sale)
    unsold = sales
      .filter(sale => sale.final_bid_cents === 0)
      .map(({ sold_at_ms, ...lot }) => ({ ...lot, ended_at_ms: sold_at_ms }))
    const sold = sales
      .filter(sale => sale.final_bid_cents > 0)
      .sort((a, b) => b.sold_at_ms - a.sold_at_ms)
    judged = judgeWeeks(sold, unsold).judged
  })

  it('in every week the estimates beat the median price of the category before it', () => {
    for (const week of new Set(judged.map(one => one.week))) {
      const own = judged.filter(one => one.week === week)
      const first = Math.min(...own.map(({ sale }) => sale.sold_at_ms))
      const medians = own.map(({ sale }) => {
        const known = knownSales(first).filter(other => other.category === sale.category)
        return percentilesOf(known.map(closeOfSale).filter(cents => cents > 0))!.p50_cents
      })
      const prices = own.map(one => one.price_cents)
      const values = own.map(one => one.value_cents)
      expect(errorFactor(values, prices)!).toBeLessThan(errorFactor(medians, prices)!)
      expect(rankCorrelation(values, prices)!).toBeGreaterThan(rankCorrelation(medians, prices)!)
    }
  })

  it('over the weeks they miss by less than ×2.5 and rank better than .74, those from comparables by less than ×1.75', () => {
    const { error_factor, rank_correlation, by_grade } = accuracyOf(judged)
    expect(error_factor!).toBeLessThan(2.5)
    expect(rank_correlation!).toBeGreaterThan(0.74)
    expect(by_grade[0]!.error_factor!).toBeLessThan(1.75)
  })

  it('over the weeks the likely band holds 42 to 58 % of the prices, the range 72 to 88 %', () => {
    const { likely_hold_percent, range_hold_percent } = accuracyOf(judged)
    expect(Math.abs(likely_hold_percent! - 50)).toBeLessThan(8)
    expect(Math.abs(range_hold_percent! - 80)).toBeLessThan(8)
  })

  it('buying at up to the maximum bid was profitable', () => {
    const { bought, actual_margin_cents } = accuracyOf(judged).money
    expect(bought).toBeGreaterThan(30)
    expect(actual_margin_cents).toBeGreaterThan(0)
  })

  it('of the lots without a bid at least 85 % have a value', () => {
    const appraise = estimator(buildModel(knownSales(LAST_WEEK), LAST_WEEK))
    const later = lots.filter(
      ({ sale }) => sale.sold_at_ms >= LAST_WEEK && sale.final_bid_cents === 0,
    )
    const valued = later.filter(({ sale }) => appraise(sale) !== null)
    expect(later.length).toBeGreaterThan(300)
    expect(valued.length / later.length).toBeGreaterThan(0.85)
  })

  it('no value of a sound lot lies outside the middle half of eight like sales', () => {
    const appraise = estimator(buildModel(knownSales(LAST_WEEK), LAST_WEEK))
    let checked = 0
    for (const { sale } of lots.filter(lot => lot.sale.sold_at_ms >= LAST_WEEK)) {
      const { comparables = [], percentiles, value_cents = 0 } = appraise(sale) ?? {}
      if (isPoor(sale) || (comparables[7]?.similarity ?? 0) < LIKE) continue
      checked += 1
      expect(value_cents).toBeGreaterThanOrEqual(percentiles!.p25_cents)
      expect(value_cents).toBeLessThanOrEqual(percentiles!.p75_cents)
    }
    expect(checked).toBeGreaterThan(30)
  })

  it('of the names of tracked items with five comparables, 95 % have a value in the 10th to 90th percentile of those, 80 % in the middle half', () => {
    const appraise = estimator(buildModel(sales, AFTER_ALL, unsold))
    const tagItem = itemTagger(items)
    const estimates = items.flatMap(({ name: title }) => {
      const category = classifyCategory(title)
      const estimate = appraise({ id: '', title, category, item: tagItem(title, category) })
      return estimate && estimate.comparables.length >= 5 ? [estimate] : []
    })
    const shareIn = (low: 'p10_cents' | 'p25_cents', high: 'p75_cents' | 'p90_cents') =>
      estimates.filter(
        ({ value_cents, percentiles }) =>
          value_cents >= percentiles![low] && value_cents <= percentiles![high],
      ).length / estimates.length
    expect(estimates.length).toBeGreaterThan(75)
    expect(shareIn('p10_cents', 'p90_cents')).toBeGreaterThanOrEqual(0.95)
    expect(shareIn('p25_cents', 'p75_cents')).toBeGreaterThanOrEqual(0.8)
  })

  it('the score of a lot that was seen at 1/16 to all of its close ranks with the discount', () => {
    const index = buildModel(knownSales(LAST_WEEK), LAST_WEEK, unsold)
    const appraise = estimator(index)
    const seen = sales
      .filter(({ sold_at_ms, final_bid_cents }) => sold_at_ms >= LAST_WEEK && final_bid_cents > 0)
      .flatMap((sale, n) => {
        const appraisal = appraise(sale)
        if (!appraisal) return []
        // Log-evenly spread, the same on every run: the fractional parts of multiples of the golden
        // ratio.
        const discount = Math.log(16) * ((n * 0.618_033_988_7) % 1)
        const score = flipScore({
          ...appraisal,
          comparables_count: appraisal.comparables.length,
          all_in_cost_cents: Math.max(1, Math.round(sale.final_bid_cents * Math.exp(-discount))),
          price_kind: 'current_bid',
          num_bids: 0,
          no_bid_chance: null,
          condition_grade: null,
          hours_left: 0,
          sell_through: null,
          chance: UNLEARNED,
        })!
        return [{ discount, score: score.flip_score }]
      })
    const scores = seen.map(({ score }) => score)
    expect(
      rankCorrelation(
        scores,
        seen.map(({ discount }) => discount),
      ),
    ).toBeGreaterThan(0.47)
    expect(Math.max(...scores)).toBeGreaterThan(97)
    expect(Math.min(...scores)).toBeLessThan(10)
  })

  it('docs/flip-score.md quotes what is measured here', () => {
    const { sales, bought, promised_margin_cents, actual_margin_cents } = accuracyOf(judged).money
    const kept = Math.round((100 * actual_margin_cents) / promised_margin_cents)
    const measured = `of the federal lots (${bought} bought of ${sales}) ${kept}% of the promised margin was made`
    expect(readFileSync(projectFile('docs', 'flip-score.md'), 'utf8')).toContain(measured)
  })

  it('four of five titles are filed as the seller filed them', () => {
    const filed = lots.filter(lot => isCategory(lot.category))
    const agreed = filed.filter(lot => classifyCategory(lot.title) === lot.category)
    expect(filed.length).toBeGreaterThan(2_000)
    expect(agreed.length / filed.length).toBeGreaterThan(0.79)
  })

  it('three of five titles are of a tracked item', () => {
    expect(lots.filter(lot => lot.sale.item).length / lots.length).toBeGreaterThan(0.58)
  })
})
