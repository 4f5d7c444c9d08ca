import { beforeAll, describe, expect, it } from 'vitest'
import type { Schemas } from '../../src/contract/types.ts'
import { flipScore, type ScoreInput } from '../../src/domain/valuation/flipScore.ts'
import { priceDistribution } from '../../src/domain/valuation/priceDistribution.ts'
import { DAY, FACTORS, fromNow, insertAppraisal, insertLots, NOW } from '../support/lots/fixtures.ts'
import { itRevalidates } from '../support/operations/addresses.ts'
import { itHasWhatEveryOperationHas, type TestedOperation } from '../support/operations/commonTests.ts'
import { itRefusesParameters } from '../support/operations/parameters.ts'
import { refusalOf, serviceFor } from '../support/service/start.ts'

const PATH = '/api/v1/flip-score'

const ORDINARY: ScoreInput = {
  value_cents: 602_000,
  band: {
    likely_low_cents: 451_000,
    likely_high_cents: 790_000,
    range_low_cents: 298_000,
    range_high_cents: 1_105_000,
  },
  confidence: 0.71,
  comparables_count: 21,
  all_in_cost_cents: 412_500,
  price_kind: 'current_bid',
  num_bids: 11,
  condition_grade: 'usable',
  hours_left: 24,
  sell_through: 0.7,
}

const SURE = { confidence: 1, hours_left: 1 }

/** Lots from one end of the scale to the other, by slug. */
const SCORED: Record<string, ScoreInput> = {
  ordinary: ORDINARY,
  'nearly-free': { ...ORDINARY, ...SURE, all_in_cost_cents: 1, sell_through: 1, num_bids: 0 },
  'far-too-dear': { ...ORDINARY, ...SURE, all_in_cost_cents: 90_000_000, num_bids: 99 },
  'cheap-scrap': { ...ORDINARY, all_in_cost_cents: 1, confidence: 1, condition_grade: 'scrap' },
  'hardly-known': {
    ...ORDINARY,
    band: {
      likely_low_cents: 1_000,
      likely_high_cents: 90_000_000,
      range_low_cents: 1,
      range_high_cents: 900_000_000,
    },
    num_bids: 0,
    sell_through: null,
  },
  'without-an-end': { ...ORDINARY, all_in_cost_cents: 100_000, hours_left: null },
}

describe('getFlipScore', () => {
  const api = serviceFor({ now: NOW })
  let ids: string[]
  const operation: TestedOperation = { path: `${PATH}/scored`, plan: 'pro', relation: 'appraisals' }

  beforeAll(async () => {
    ids = await insertLots(api.sql, [
      { slug: 'scored', flip_score: 57, current_bid_cents: 412_500 },
      { slug: 'scored-and-over', is_open: false, outcome: 'sold', ends_at: fromNow(-DAY), flip_score: 12 },
      { slug: 'without-price' },
      { slug: 'without-comparables', current_bid_cents: 100 },
      ...Object.keys(SCORED).map(slug => ({ slug })),
    ])
    await insertAppraisal(api.sql, {
      lot_id: ids[0]!,
      estimated_value_cents: 602_000,
      all_in_cost_cents: 412_500,
      resale_margin_cents: 117_260,
      resale_margin_percent: 28.4,
      flip_score: 57,
      factors: { ...FACTORS },
    })
    await insertAppraisal(api.sql, {
      lot_id: ids[1]!,
      resale_margin_cents: -50_000,
      flip_score: 12,
      factors: { ...FACTORS, price_points: -32 },
    })
    await insertAppraisal(api.sql, { lot_id: ids[2]!, estimated_value_cents: 602_000, price_kind: null })
    for (const [index, input] of Object.values(SCORED).entries()) {
      const score = flipScore(input)
      await insertAppraisal(api.sql, {
        lot_id: ids[4 + index]!,
        flip_score: score!.flip_score,
        factors: { ...score!.factors },
      })
    }
  })

  const read = async (idOrSlug: string): Promise<Schemas['FlipScore']> =>
    (await api.read(`${PATH}/${idOrSlug}`)).data

  it('200 with the score, its factors, the resale margin and the version of the formula', async () => {
    const { body } = await api.get(`${PATH}/${ids[0]}`)
    expect(body).toEqual({
      data: {
        id: ids[0],
        flip_score: 57,
        factors: FACTORS,
        resale_margin_cents: 117_260,
        score_version: '1',
        price_kind: 'current_bid',
        scored_at: '2026-11-21T09:30:00Z',
        estimated_at: '2026-11-21T09:30:00Z',
      },
    })
  })

  it.each(Object.keys(SCORED))(
    '200 with points that add up to the score, held between 0 and 100: a lot %s',
    async slug => {
      const { factors, flip_score } = await read(slug)
      const points = Object.entries(factors).filter(([name]) => name.endsWith('_points'))
      expect(points).toHaveLength(5)
      const sum = points.reduce((total, [, value]) => total + value, 50)
      expect(flip_score).toBe(Math.max(0, Math.min(100, sum)))
      const { all_in_cost_cents, estimated_value_cents, price_score } = factors
      const { shareAbove } = priceDistribution(estimated_value_cents, factors)
      expect(price_score).toBeCloseTo(100 * shareAbove(all_in_cost_cents), 1)
      expect(factors.price_points).toBe(Math.round(price_score) - 50)
    },
  )

  it('200 with scores from one end of the scale to the other', async () => {
    const scores = new Map<string, number>()
    for (const slug of Object.keys(SCORED)) scores.set(slug, (await read(slug)).flip_score)
    expect(scores.get('nearly-free')).toBeGreaterThan(90)
    expect(scores.get('far-too-dear')).toBeLessThan(10)
    expect(scores.get('cheap-scrap')).toBe(40)
    expect(Math.abs(scores.get('hardly-known')! - 50)).toBeLessThanOrEqual(3)
  })

  it('200 by id in either case and by slug', async () => {
    const score = await read('scored')
    expect(await read(ids[0]!)).toEqual(score)
    expect(await read(ids[0]!.toUpperCase())).toEqual(score)
  })

  it('200 for a lot that is over, and with a loss', async () => {
    expect((await read('scored-and-over')).resale_margin_cents).toBe(-50_000)
  })

  it('200 with the score that the listing and the search show', async () => {
    const { flip_score } = await read('scored')
    expect((await api.get('/api/v1/listings/scored')).body.data.flip_score).toBe(flip_score)
    const { data } = (await api.get('/api/v1/listings?sort=best_deals')).body as Schemas['ListingPage']
    expect(data.find(({ id }) => id === ids[0])?.flip_score).toBe(flip_score)
  })

  itRefusesParameters(api, operation.path, {
    page: ['page=1'],
    listing_id: ['listing_id=1'],
    q: ['q=%ff'],
  })

  it.each([
    [
      'without-comparables',
      'This listing has no Flip Score: no value is known, because nothing like it was sold in the last 365 days.',
    ],
    ['no-such-lot', 'No listing has the id or slug "no-such-lot".'],
  ])('404 not_found for a lot %s; the message says why', async (slug, error) => {
    expect(refusalOf(await api.get(`${PATH}/${slug}`))).toBe(`404 not_found: ${error}`)
  })

  it('404 not_found for a lot without a price; the message names its value and where to read more', async () => {
    expect(refusalOf(await api.get(`${PATH}/without-price`))).toBe(
      `404 not_found: This listing has no Flip Score: it has no price yet; its estimated value is $6,020: see /api/v1/comps?listing_id=${ids[2]}.`,
    )
  })

  it.each([
    ...['00000000-0000-3000-8000-000000000000', "'", '%00', 'x'.repeat(5_000), '😀', '..%2F..', '%zz'],
    "x'%3B%20drop%20table%20lots--",
  ])('404 not_found for the id %.40s', async id => {
    expect(refusalOf(await api.get(`${PATH}/${id}`))).toContain('404 not_found:')
  })

  it('403 before 404: a free key learns nothing about the lot', async () => {
    const key = await api.makeKey('free')
    expect(refusalOf(await api.get(`${PATH}/no-such-lot`, { key }))).toBe(
      '403 forbidden: This operation needs a Pro key; this key is on the Free plan.',
    )
  })

  itRevalidates(api, operation)
  itHasWhatEveryOperationHas(api, operation)
})
