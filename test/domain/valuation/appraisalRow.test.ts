import { describe, expect, it } from 'vitest'
import {
  type OpenLot,
  type StoredEstimate,
  scoreRow,
} from '../../../src/domain/appraisal/appraisalRow.ts'
import { UNLEARNED } from '../../../src/domain/valuation/chance.ts'
import { bandOf } from './bandOf.ts'

const lot: OpenLot = {
  id: '6f1b',
  source: 'gsa',
  title: 'Utility trailer',
  category: 'vehicles',
  condition_grade: null,
  offer_kind: 'auction',
  premium_percent: 0,
  neighbor_factor: 1,
  current_bid_cents: 40_000,
  starting_bid_cents: null,
  buy_now_cents: null,
  num_bids: 3,
  next_bid_cents: null,
  is_sealed: false,
  is_unbid: false,
  ends_at_ms: 7_200_000,
}
const estimate: StoredEstimate = {
  value_cents: 100_000,
  band: bandOf(25_000, 50_000, 200_000, 400_000),
  confidence: 0.5,
  similarities: [0.9, 0.8, 0.7, 0.6, 0.5],
  no_bid_chance: 0.4,
}
const moment = { nowMs: 0, sell_through: {}, bid_paths: null, chance: UNLEARNED }
const WITHHELD = {
  flip_score: null,
  factors: null,
  resale_margin_cents: null,
  expected_profit_cents: null,
}

describe('the score of a lot', () => {
  it('comes with the grade, the value to two digits, and the margin', () => {
    const row = scoreRow(lot, { ...estimate, value_cents: 104_600 }, moment)
    expect(row).toMatchObject({
      value_grade: 'comparables',
      approximate_value_cents: 100_000,
      resale_margin_cents: 52_048,
    })
    expect(row.flip_score).toBeGreaterThan(60)
  })

  it('is withheld with the margin and the profit where the value is a guess from words', () => {
    expect(scoreRow(lot, { ...estimate, similarities: [0.29] }, moment)).toMatchObject({
      value_grade: 'words',
      approximate_value_cents: 100_000,
      ...WITHHELD,
    })
  })

  it('is withheld where the seller sets the price, however low', () => {
    const asked = {
      ...lot,
      offer_kind: 'fixed_price',
      current_bid_cents: null,
      buy_now_cents: 1_000,
      num_bids: 0,
    }
    const { flip_score, factors, verdict, ...row } = scoreRow(asked, estimate, moment)
    expect([flip_score, factors, verdict]).toEqual([null, null, 'room'])
    expect(row).toMatchObject({ value_grade: 'comparables', price_kind: 'buy_now' })
  })

  it('is withheld with the grade while the bids contradict the value', () => {
    for (const current_bid_cents of [400_001, 3_333]) {
      expect(scoreRow({ ...lot, current_bid_cents }, estimate, moment)).toMatchObject({
        value_grade: null,
        value_note: 'contradicted',
        approximate_value_cents: null,
        ...WITHHELD,
      })
    }
  })

  it('stays with the grade, without a value, where the bids have only passed the value', () => {
    const { flip_score, ...row } = scoreRow(
      { ...lot, current_bid_cents: 110_000 },
      estimate,
      moment,
    )
    expect(flip_score).not.toBeNull()
    expect(row).toMatchObject({
      value_grade: 'comparables',
      value_note: 'bids_above',
      approximate_value_cents: null,
    })
  })

  it('shows no rounded value below the bid, nor a rounded close below the next one', () => {
    const at = (current_bid_cents: number, next_bid_cents: number | null, value_cents = 104_900) =>
      scoreRow({ ...lot, current_bid_cents, next_bid_cents }, { ...estimate, value_cents }, moment)
    expect(at(104_400, null)).toMatchObject({
      value_note: 'bids_above',
      approximate_value_cents: null,
    })
    expect(at(100_000, null)).toMatchObject({ value_note: null, approximate_value_cents: 100_000 })
    expect(at(95_600, null, 95_500).value_note).toBe('bids_above')
    const narrow = { ...estimate, value_cents: 10_050, band: bandOf(9_900, 10_000, 10_100, 10_200) }
    const close = (next_bid_cents: number) =>
      scoreRow({ ...lot, current_bid_cents: 10_000, next_bid_cents }, narrow, moment)
        .approximate_close_cents
    expect([10_000, 10_100, 10_600].map(close)).toEqual([10_000, 11_000, 11_000])
  })

  it('is not due again once the middle of the time in which the lot can close has passed', () => {
    expect(scoreRow(lot, estimate, { ...moment, nowMs: lot.ends_at_ms! }).due_at).toBe('infinity')
  })

  it('compares the next bid with the value where the source publishes it', () => {
    const row = scoreRow({ ...lot, next_bid_cents: 60_000 }, estimate, moment)
    expect(row).toMatchObject({
      price_kind: 'next_bid',
      all_in_cost_cents: 60_000,
      resale_margin_cents: 28_000,
    })
  })

  it('follows the neighbors: they move the value and its bands before it is compared with the cost', () => {
    const { factors, flip_score, resale_margin_cents } = scoreRow(
      { ...lot, neighbor_factor: 0.5 },
      estimate,
      moment,
    )
    expect(factors).toMatchObject({
      estimated_value_cents: 50_000,
      likely_low_cents: 25_000,
      range_high_cents: 200_000,
    })
    expect(flip_score).toBeLessThan(scoreRow(lot, estimate, moment).flip_score!)
    expect(resale_margin_cents).toBe(4_000)
  })
})
