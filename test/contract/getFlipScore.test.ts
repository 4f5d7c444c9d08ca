import { beforeAll, describe, expect, it } from 'vitest'
import type { Schemas } from '../../src/contract/types.ts'
import {
  DAY,
  FACTORS,
  fromNow,
  insertAppraisal,
  insertLots,
  NOW,
} from '../support/lots/fixtures.ts'
import { itRefusesParameters } from '../support/operations/parameters.ts'
import { refusalOf, serviceFor } from '../support/service/start.ts'

const PATH = '/api/v1/flip-score'
const NO_VALUE = 'This listing has no Flip Score, because no value is known.'

describe('getFlipScore', () => {
  const api = serviceFor({ now: NOW, opensSeenPages: true })
  let ids: string[]

  beforeAll(async () => {
    ids = await insertLots(api.sql, [
      { slug: 'scored', flip_score: 57, current_bid_cents: 412_500 },
      {
        slug: 'scored-and-over',
        is_open: false,
        outcome: 'sold',
        ends_at: fromNow(-DAY),
        flip_score: 12,
      },
      { slug: 'without-price' },
      { slug: 'without-comparables', current_bid_cents: 100 },
      { slug: 'by-weight', title: 'Approx. 600 lbs of scrap copper', current_bid_cents: 100 },
      { slug: 'contradicted', current_bid_cents: 100, num_bids: 3 },
      { slug: 'guessed', current_bid_cents: 100 },
    ])
    await insertAppraisal(api.sql, {
      lot_id: ids[0]!,
      estimated_value_cents: 602_000,
      all_in_cost_cents: 412_500,
      resale_margin_cents: 117_260,
      flip_score: 57,
      factors: { ...FACTORS },
    })
    await insertAppraisal(api.sql, {
      lot_id: ids[1]!,
      resale_margin_cents: -50_000,
      flip_score: 12,
      factors: { ...FACTORS, price_points: -32 },
    })
    await insertAppraisal(api.sql, {
      lot_id: ids[2]!,
      estimated_value_cents: 602_000,
      price_kind: null,
    })
    await insertAppraisal(api.sql, { lot_id: ids[5]!, grade: null })
    await insertAppraisal(api.sql, {
      lot_id: ids[6]!,
      grade: 'words',
      estimated_value_cents: 602_000,
    })
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

  it('200 by id in either case and by slug', async () => {
    const score = await read('scored')
    expect(await read(ids[0]!)).toEqual(score)
    expect(await read(ids[0]!.toUpperCase())).toEqual(score)
  })

  it('200 for a lot that is over, and with a loss', async () => {
    expect((await read('scored-and-over')).resale_margin_cents).toBe(-50_000)
  })

  itRefusesParameters(api, `${PATH}/scored`, {
    page: ['page=1'],
    listing_id: ['listing_id=1'],
    q: ['q=%ff'],
  })

  it.each([
    ['without-comparables', `${NO_VALUE} Nothing like it was sold.`],
    ['by-weight', `${NO_VALUE} Goods sold by weight are not valued.`],
    ['contradicted', `${NO_VALUE} The bids contradict our estimate.`],
    ['no-such-lot', 'No listing has the id or slug "no-such-lot".'],
  ])('404 not_found for a lot %s; the message says why', async (slug, error) => {
    expect(refusalOf(await api.get(`${PATH}/${slug}`))).toBe(`404 not_found: ${error}`)
  })

  it('404 not_found for a lot that waits for its estimate; the message says so', async () => {
    await api.sql`
      insert into scoring_queue (lot_id, due_at, needs_estimate)
      select id, '-infinity', true
      from lots
      where slug = 'without-comparables'`
    expect(refusalOf(await api.get(`${PATH}/without-comparables`))).toBe(
      `404 not_found: ${NO_VALUE} Its value is being estimated. Look again in a minute.`,
    )
    await api.sql`delete from scoring_queue`
  })

  it.each([
    ['without-price', 2, 'it has no price yet'],
    ['guessed', 6, 'its value is a rough guess from the title'],
  ])(
    '404 not_found for a lot %s; the message names its value and where to read more',
    async (slug, n, why) => {
      expect(refusalOf(await api.get(`${PATH}/${slug}`))).toBe(
        `404 not_found: This listing has no Flip Score: ${why}; its typical price is about $6,000, and its comps (listing_id ${ids[n]}) say why.`,
      )
    },
  )

  it('404 not_found without the value once the bids have passed it', async () => {
    await api.sql`update lots set value_note = 'bids_above' where slug = 'guessed'`
    expect(refusalOf(await api.get(`${PATH}/guessed`))).toBe(
      '404 not_found: This listing has no Flip Score: its value is a rough guess from the title.',
    )
  })

  // Hostile ids: test/hostile/addresses.test.ts.
  it('403 before 404: a free key learns nothing about the lot', async () => {
    const key = await api.makeKey('free')
    expect(refusalOf(await api.get(`${PATH}/no-such-lot`, { key }))).toBe(
      '403 forbidden: This operation needs a Pro key; this key is on the Free plan.',
    )
  })
})
