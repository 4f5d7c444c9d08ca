import { readFileSync } from 'node:fs'
import { parseFile } from 'fast-csv'
import { beforeAll, describe, expect, it } from 'vitest'
import items from '../../../data/items.json' with { type: 'json' }
import { projectFile } from '../../../src/contract/projectFile.ts'
import { classifyCategory, isCategory } from '../../../src/domain/titles/categories.ts'
import { itemTagger } from '../../../src/domain/titles/items.ts'
import { rankCorrelation } from '../../../src/domain/valuation/accuracy.ts'
import { type BacktestRow, backtest } from '../../../src/domain/valuation/backtest.ts'
import { UNLEARNED } from '../../../src/domain/valuation/chance.ts'
import type { Sale, UnsoldLot } from '../../../src/domain/valuation/comparables/saleColumns.ts'
import { flipScore } from '../../../src/domain/valuation/flipScore.ts'
import { buildModel, estimator } from '../../../src/domain/valuation/model.ts'
import { REAL_LOTS, WITHOUT_REAL_LOTS } from '../../support/run/realLots.ts'

if (!REAL_LOTS) console.warn(WITHOUT_REAL_LOTS)

const SPLITS = ['2026-05-15', '2026-05-19', '2026-05-21', '2026-05-23', '2026-05-27']
/** The default split of `surplus backtest` (30 % of the sales are later). No formula was chosen on it; the page quotes it. */
const UNTOUCHED = Date.parse('2026-05-22T00:00:00Z')
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
      sale: { id: id!, title: title!, category, state: state!, zip: zip!, item, final_bid_cents, sold_at_ms },
    })
  }
  return lots
}

function geometricMean(rows: readonly BacktestRow[]): number {
  return Math.exp(rows.reduce((sum, row) => sum + Math.log(row.error_factor!), 0) / rows.length)
}

function meanOf(rows: readonly BacktestRow[], column: Exclude<keyof BacktestRow, 'estimator'>): number {
  return rows.reduce((sum, row) => sum + row[column]!, 0) / rows.length
}

describe.skipIf(!REAL_LOTS)('on the real closed lots', () => {
  let lots: ClosedLot[] = []
  let sales: Sale[] = []
  let unsold: UnsoldLot[] = []
  let bySplit: ReturnType<typeof backtest>[] = []
  let measured: ReturnType<typeof backtest> | undefined
  const of = (estimator: number) => bySplit.map(({ rows }) => rows[estimator]!)
  const knownSales = (ms: number) => sales.filter(sale => sale.sold_at_ms < ms)
  const splitAt = (ms: number) => backtest(sales, ms, unsold)
  const untouched = () => (measured ??= splitAt(UNTOUCHED))

  beforeAll(async () => {
    lots = await closedLots()
    sales = lots.map(lot => lot.sale)
    unsold = sales
      .filter(sale => sale.final_bid_cents === 0)
      .map(({ sold_at_ms, ...lot }) => ({ ...lot, ended_at_ms: sold_at_ms }))
    bySplit = SPLITS.map(day => splitAt(Date.parse(`${day}T00:00:00Z`)))
  })

  it('this estimate beats the category median on every time split', () => {
    for (const [n, ours] of of(3).entries()) expect(ours.error_factor!).toBeLessThan(of(0)[n]!.error_factor!)
    for (const [n, ours] of of(3).entries())
      expect(ours.rank_correlation!).toBeGreaterThan(of(0)[n]!.rank_correlation!)
  })

  it('over the splits it misses by less than ×2.2 and ranks better than .75', () => {
    expect(geometricMean(of(3))).toBeLessThan(2.2)
    expect(meanOf(of(3), 'rank_correlation')).toBeGreaterThan(0.75)
  })

  it('its more confident half misses by at most ×1.85 and ranks better than .8', () => {
    expect(geometricMean(of(4))).toBeLessThan(1.855)
    expect(meanOf(of(4), 'rank_correlation')).toBeGreaterThan(0.8)
    for (const { answers_percent } of of(4)) expect(Math.abs(answers_percent - 50)).toBeLessThan(3)
  })

  it('about half of the prices lie in its band, on every time split', () => {
    for (const { band_hold_percent } of of(3)) expect(Math.abs(band_hold_percent! - 50)).toBeLessThan(12)
    expect(Math.abs(meanOf(of(3), 'band_hold_percent') - 50)).toBeLessThan(5)
  })

  it('of the lots without a bid at least 95 % have a value', () => {
    const appraise = estimator(buildModel(knownSales(UNTOUCHED), UNTOUCHED))
    const later = lots.filter(({ sale }) => sale.sold_at_ms >= UNTOUCHED && sale.final_bid_cents === 0)
    const valued = later.filter(({ sale }) => appraise(sale) !== null)
    expect(later.length).toBeGreaterThan(300)
    expect(valued.length / later.length).toBeGreaterThan(0.95)
  })

  it('no value lies outside three or more nearly identical sales', () => {
    const index = buildModel(knownSales(UNTOUCHED), UNTOUCHED)
    const appraise = estimator(index)
    let checked = 0
    for (const { sale } of lots.filter(lot => lot.sale.sold_at_ms >= UNTOUCHED)) {
      const { comparables = [], value_cents = 0 } = appraise(sale) ?? {}
      const prices = comparables
        .filter(({ similarity }) => similarity >= 0.9)
        .map(({ position }) => index.columns.priceCents[position]!)
      if (prices.length < 3) continue
      checked += 1
      expect(value_cents).toBeGreaterThanOrEqual(Math.min(...prices))
      expect(value_cents).toBeLessThanOrEqual(Math.max(...prices))
    }
    expect(checked).toBeGreaterThan(30)
  })

  it('of the names of tracked items with five comparables, 95 % have a value in the 10th to 90th percentile of those, 80 % in the middle half', () => {
    const appraise = estimator(buildModel(sales, AFTER_ALL, { counts: {}, lots: unsold }))
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
    expect(estimates.length).toBeGreaterThan(85)
    expect(shareIn('p10_cents', 'p90_cents')).toBeGreaterThanOrEqual(0.95)
    expect(shareIn('p25_cents', 'p75_cents')).toBeGreaterThanOrEqual(0.8)
  })

  it('in cross-validation the likely band holds 47 to 53 % and the range 77 to 83 %, each third by value within 5 points', () => {
    const { accuracy } = buildModel(sales, AFTER_ALL, { counts: {}, lots: unsold }).fit
    expect(Math.abs(accuracy.likely_hold_percent! - 50)).toBeLessThan(3)
    expect(Math.abs(accuracy.range_hold_percent! - 80)).toBeLessThan(3)
    for (const { likely_hold_percent, range_hold_percent } of accuracy.by_third) {
      expect(Math.abs(likely_hold_percent! - 50)).toBeLessThan(5)
      expect(Math.abs(range_hold_percent! - 80)).toBeLessThan(5)
    }
  })

  it('on every time split the range holds about 80 % of the prices', () => {
    const held = bySplit.map(({ accuracy }) => accuracy.range_hold_percent!)
    // The last split has 237 later sales, on which one standard error is 2.6 points.
    for (const percent of held) expect(Math.abs(percent - 80)).toBeLessThan(7)
    expect(Math.abs(held.reduce((sum, percent) => sum + percent, 0) / held.length - 80)).toBeLessThan(3)
  })

  it('of each fifth of the score, as many later sales brought more than the cost as the mean score says, within 10 points', () => {
    for (const { offers, mean_score, above_percent } of untouched().accuracy.score_fifths) {
      expect(offers).toBeGreaterThan(30)
      expect(Math.abs(mean_score! - above_percent!)).toBeLessThan(10)
    }
  })

  it('the score of a lot that was seen at 1/16 to all of its close ranks with the discount', () => {
    const index = buildModel(knownSales(UNTOUCHED), UNTOUCHED, { counts: {}, lots: unsold })
    const appraise = estimator(index)
    const seen = sales
      .filter(({ sold_at_ms, final_bid_cents }) => sold_at_ms >= UNTOUCHED && final_bid_cents > 0)
      .flatMap((sale, n) => {
        const appraisal = appraise(sale)
        if (!appraisal) return []
        // Log-evenly spread, the same on every run: the fractional parts of multiples of the golden ratio.
        const discount = Math.log(16) * ((n * 0.618_033_988_7) % 1)
        const score = flipScore({
          ...appraisal,
          comparables_count: appraisal.comparables.length,
          all_in_cost_cents: Math.max(1, Math.round(sale.final_bid_cents * Math.exp(-discount))),
          price_kind: 'current_bid',
          num_bids: 0,
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

  it('a lot at a thousandth of its value scores at least 90 in its last six hours', () => {
    const appraise = estimator(buildModel(knownSales(UNTOUCHED), UNTOUCHED))
    for (const { sale } of lots.filter(lot => lot.sale.sold_at_ms >= UNTOUCHED)) {
      const appraisal = appraise(sale)
      if (!appraisal || appraisal.value_cents < 1_000) continue
      const score = flipScore({
        ...appraisal,
        comparables_count: 0,
        all_in_cost_cents: Math.round(appraisal.value_cents / 1_000),
        price_kind: 'current_bid',
        num_bids: 99,
        condition_grade: null,
        hours_left: 6,
        sell_through: 0,
        chance: UNLEARNED,
      })!
      expect(score.flip_score).toBeGreaterThanOrEqual(90)
    }
  })

  it('docs/flip-score.md quotes what is measured here', () => {
    const { trained_on, tested_on, rows, accuracy } = untouched()
    const whole = (percent: number | null) => (percent === null ? '' : `${percent.toFixed(0)}% `)
    const measured = [
      ...rows.map(({ estimator, answers_percent, error_factor, rank_correlation, band_hold_percent }) => {
        const rank = rank_correlation!.toFixed(3).slice(1)
        return `| ${estimator} | ${whole(answers_percent)}| ×${error_factor!.toFixed(2)} | ${rank} | ${whole(band_hold_percent)}|`
      }),
      ...[accuracy, ...accuracy.by_third].map((group, n) => {
        const name = ['all', 'third of the lowest values', 'middle third', 'third of the highest values'][n]
        const held = `${whole(group.likely_hold_percent)}| ${whole(group.range_hold_percent)}`
        return `| ${name} | ${group.sales} | ×${group.error_factor!.toFixed(2)} | ${held}|`
      }),
      ...accuracy.score_fifths.map(({ from_score, offers, mean_score, above_percent }) => {
        const [mean, above] = [mean_score!.toFixed(0), whole(above_percent)]
        return `| ${from_score} to ${from_score + 20} | ${offers} | ${mean} | ${above}|`
      }),
    ]
    if (process.env.PRINT) console.log([trained_on, tested_on, ...measured].join('\n'))
    const page = readFileSync(projectFile('docs', 'flip-score.md'), 'utf8')
    expect(page).toContain(`${trained_on} sales before it, ${tested_on} from then on`)
    for (const line of measured) expect(page.split('\n')).toContain(line)
  })

  it('the state adds noise to the category median', () => {
    expect(geometricMean(of(1))).toBeGreaterThan(geometricMean(of(0)))
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
