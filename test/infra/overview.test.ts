import { expect, it } from 'vitest'
import type { Listing } from '../../src/contract/types.ts'
import { verdictColor } from '../../src/domain/appraisal/verdict.ts'
import { clock } from '../../src/infra/postgres/clock.ts'
import { findListings } from '../../src/infra/search/listings.ts'
import { readOverview } from '../../src/infra/site/siteReads.ts'
import { filterOf, withDefaults } from '../../src/usecases/searchLots.ts'
import { fromNow, HOUR, insertLots, NOW } from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'

const api = serviceFor({ now: NOW })

it('chooses as deals of the front page the lots that are green, whatever decides them', async () => {
  const grades = ['comparables', 'few'] as const
  const lots = grades.flatMap(value_grade =>
    ['auction', 'fixed_price'].flatMap(offer_kind =>
      [2, 24, 25].flatMap(hours =>
        [null, 50_000, 51_000].map(approximate_close_cents => ({
          slug: [value_grade, offer_kind, hours, approximate_close_cents]
            .join('-')
            .replaceAll('_', '-'),
          value_grade,
          offer_kind,
          ends_at: fromNow(hours * HOUR),
          approximate_close_cents,
          buy_now_cents: 40_000,
          limit_cents: 50_000,
          verdict: 'room',
          room_rank: 10_000,
        })),
      ),
    ),
  )
  await insertLots(api.sql, lots)
  const context = { sql: api.sql, now: clock(NOW), publicUrl: 'http://surplus.test' }
  const window = { limit: 100, offset: 0 }
  const { text } = await findListings(context, filterOf(withDefaults({})), window)
  const green = (JSON.parse(text) as Listing[]).filter(
    lot => verdictColor(lot, null, NOW) === 'good',
  )
  const { deals } = await readOverview(context, lots.length)
  expect(green.length).toBeGreaterThan(10)
  expect(deals.map(({ id }) => id).sort()).toEqual(green.map(({ id }) => id).sort())
})
