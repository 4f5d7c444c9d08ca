import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { projectFile } from '../../../src/contract/projectFile.ts'
import { flipScore, SCORE_VERSION } from '../../../src/domain/appraisal/flipScore.ts'
import { RESALE_COST_SHARE, resaleMargin, withPremium } from '../../../src/domain/price.ts'
import { baselineOf } from '../../../src/domain/valuation/baseline/baseline.ts'
import { calibrationFor } from '../../../src/domain/valuation/calibration.ts'
import { UNLEARNED } from '../../../src/domain/valuation/chance.ts'
import type { Sale } from '../../../src/domain/valuation/comparables/saleColumns.ts'
import { evidenceOf } from '../../../src/domain/valuation/logEstimate.ts'
import { buildModel, estimator } from '../../../src/domain/valuation/model.ts'

const PAGE = readFileSync(projectFile('docs', 'flip-score.md'), 'utf8')
const NOW = Date.UTC(2026, 10, 21)

/** The rows of the table whose first heading is `heading`, without its head. */
function table(heading: string): string[][] {
  const lines = PAGE.split('\n')
  const head = lines.findIndex(line => line.startsWith(`| ${heading} |`))
  if (head < 0) throw new Error(`docs/flip-score.md has no table that begins with "${heading}".`)
  const end = lines.findIndex((line, n) => n > head && !line.startsWith('|'))
  return lines.slice(head + 2, end).map(line => line.slice(2, -2).split(' | '))
}

function read(pattern: RegExp): string {
  const text = pattern.exec(PAGE)?.[1]
  if (text === undefined) throw new Error(`docs/flip-score.md does not tell ${pattern}.`)
  return text
}

const cents = (dollars: string) => Math.round(Number(dollars.replace(',', '')) * 100)

const sales: Sale[] = table('Days ago').map(([days, title, price], n) => ({
  id: `sale ${n}`,
  title: title!,
  category: 'vehicles',
  final_bid_cents: cents(price!),
  sold_at_ms: NOW - Number(days) * 86_400_000,
}))
const lot = { id: 'lot', title: read(/A lot "([^"]+)"/), category: 'vehicles' as const }
const asking = {
  current_bid_cents: cents(read(/bid \$([\d,.]+),/)),
  num_bids: Number(read(/, (\d+) bids,/)),
  premium_percent: Number(read(/premium (\d+)%,/)),
}
const results = new Map(table('Step').map(([step, result]) => [step!, Number(result)]))
const comparables = table('Comparable')
/** The columns of the comparables, each a list of numbers. */
const [prices, similarities, baselines] = [1, 2, 3].map(column =>
  comparables.map(row => Number(row[column])),
) as [number[], number[], number[]]
const sumOf = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0)

const index = buildModel(sales, NOW)
const baseline = baselineOf(index.columns, index.fit)
const appraisal = estimator(index)(lot)!

describe('the worked example of docs/flip-score.md', () => {
  it('has the comparables, similarities and baselines that the code finds', () => {
    const found = appraisal.comparables.map(({ position, similarity }) => {
      const { title, final_bid_cents } = sales.find(
        sale => sale.id === index.columns.idOf(position),
      )!
      const own = Math.exp(baseline.ofSale(position)) / 100
      return [title, (final_bid_cents / 100).toFixed(2), similarity.toFixed(3), own.toFixed(2)]
    })
    expect(comparables).toEqual(found)
  })

  it('has the value, percentiles, confidence, cost, margin and score that the code finds', () => {
    const { value_cents, band, percentiles, confidence } = appraisal
    const evidence = evidenceOf(appraisal.comparables, percentiles!)
    const estimate = { ...appraisal, logValue: Math.log(value_cents), evidence }
    const { miss, ...known } = calibrationFor(index.fit.calibration, estimate)
    expect(known.confidence).toBeCloseTo(confidence, 4)
    const all_in_cost_cents = withPremium(asking.current_bid_cents, asking.premium_percent)
    const margin = resaleMargin(value_cents, all_in_cost_cents)!
    const { flip_score, factors } = flipScore({
      value_cents,
      band,
      confidence,
      comparables_count: appraisal.comparables.length,
      all_in_cost_cents,
      price_kind: 'current_bid',
      num_bids: asking.num_bids,
      condition_grade: read(/bids, (\w+), \d+ hours/),
      hours_left: Number(read(/(\d+) hours left/)),
      sell_through: Number(read(/hours left; (\d+)% of the category/)) / 100,
      no_bid_chance: null,
      chance: UNLEARNED,
      grade: appraisal.grade,
    })!
    const found = {
      'baseline of the lot': Math.round(Math.exp(baseline.ofLot(lot))) / 100,
      value: value_cents / 100,
      'likely low': band.likely_low_cents / 100,
      'likely high': band.likely_high_cents / 100,
      'range low': band.range_low_cents / 100,
      'range high': band.range_high_cents / 100,
      p25: percentiles!.p25_cents / 100,
      p75: percentiles!.p75_cents / 100,
      'typical miss': Number(miss.toFixed(3)),
      evidence: Number(evidence.toFixed(3)),
      confidence: factors.confidence,
      'all-in cost': all_in_cost_cents / 100,
      'resale margin': margin.margin_cents / 100,
      'resale margin, percent': margin.margin_percent,
      'price score': factors.price_score,
      'price points': factors.price_points,
      'sell-through points': factors.sell_through_points,
      'bidder points': factors.bidder_points,
      'time points': factors.time_points,
      'evidence points': factors.evidence_points,
      'no-bid points': factors.no_bid_points,
      'condition points': factors.condition_points,
      'Flip Score': flip_score,
    }
    expect(Object.fromEntries(results)).toEqual(found)
  })

  it('can be followed by hand from the numbers it prints', () => {
    const weights = similarities.map(similarity => similarity ** 3)
    const pull = sumOf(weights.map((weight, n) => weight * Math.log(prices[n]! / baselines[n]!)))
    const value = results.get('baseline of the lot')! * Math.exp(pull / (sumOf(weights) + 6))
    const held = Math.min(results.get('p75')!, Math.max(results.get('p25')!, value))
    expect(Math.abs(held / results.get('value')! - 1)).toBeLessThan(0.002)
    const alike = sumOf(similarities)
    const agreement = 1 - Math.log(results.get('p75')! / results.get('p25')!) / Math.log(20)
    const evidence = Math.min(1, alike / 6) * agreement
    expect(evidence).toBeCloseTo(results.get('evidence')!, 2)
    const confidence = (Math.exp(-results.get('typical miss')!) * (1 + evidence)) / 2
    expect(confidence).toBeCloseTo(results.get('confidence')!, 2)
    const cost = Math.log(results.get('all-in cost')!)
    const logOf = (name: string) => Math.log(results.get(name)!)
    const [low, likelyLow] = [logOf('range low'), logOf('likely low')]
    const step = -2 + (cost - low) / (cost < low ? (logOf('value') - low) / 2 : likelyLow - low)
    expect(cost).toBeLessThan(likelyLow)
    expect(100 / (1 + 3 ** step)).toBeCloseTo(results.get('price score')!, 1)
    expect(Math.round(results.get('price score')!) - 50).toBe(results.get('price points'))
    const named = ['price', 'sell-through', 'bidder', 'time', 'evidence', 'condition'].map(
      name => `${name} points`,
    )
    expect(50 + sumOf(named.map(name => results.get(name)!))).toBe(results.get('Flip Score'))
  })

  it('names the formula and the resale cost that the code uses', () => {
    expect(read(/describes version `([^`]+)`/)).toBe(SCORE_VERSION)
    expect(Number(read(/\| Reselling \| (\d+)% of the value/)) / 100).toBe(RESALE_COST_SHARE)
  })
})
