import { afterAll, beforeAll, expect, it } from 'vitest'
import { accuracyOf } from '../../src/domain/valuation/accuracy.ts'
import { priceDistribution } from '../../src/domain/valuation/priceDistribution.ts'
import { start, type TestService } from '../support/service/start.ts'
import { readPage } from '../support/site/readPage.ts'

let api: TestService

beforeAll(async () => {
  api = await start()
})
afterAll(() => api.close())

/** Stores an index whose estimates of so many vehicles and computers held as their bands say. */
async function storeModel(vehicles: number, computers: number, isFinished = true): Promise<void> {
  const band = {
    likely_low_cents: 50_000,
    likely_high_cents: 200_000,
    range_low_cents: 25_000,
    range_high_cents: 400_000,
  }
  const { centsExceededBy } = priceDistribution(100_000, band)
  const checked = (category: 'vehicles' | 'electronics', count: number) =>
    Array.from({ length: count }, (_, n) => ({
      category,
      value_cents: 100_000,
      band,
      price_cents: centsExceededBy((n + 0.5) / count),
    }))
  const accuracy = accuracyOf([...checked('vehicles', vehicles), ...checked('electronics', computers)])
  await api.sql`
    insert into sales_indexes (as_of, score_version, sales, sell_through, accuracy, finished_at)
    values (
      '2026-11-21T06:00:00Z', '3', ${accuracy.sales}, '{}', ${api.sql.json(accuracy)},
      ${isFinished ? '2026-11-21T06:01:00Z' : null}
    )`
}

it('says that there are too few sales without an index, and with a small one', async () => {
  expect((await readPage(`${api.address}/accuracy`)).words).toContain('Too few sales are loaded')
  await storeModel(49, 0)
  expect((await readPage(`${api.address}/accuracy`)).words).toContain('Too few sales are loaded')
})

it('shows what the last finished index held: all sales, thirds, categories with 30 sales, fifths of the score', async () => {
  await storeModel(200, 20)
  await storeModel(100, 100, false)
  const { words, status } = await readPage(`${api.address}/accuracy`)
  expect(status).toBe(200)
  expect(words).toContain('The newest 220 sales up to Nov 21, 2026, 6:00 AM UTC')
  expect(words).toMatch(/All 220 ×\d\.\d\d \d\d% \d\d%/)
  expect(words).toMatch(/Vehicles 200 ×\d\.\d\d 50% 80%/)
  expect(words).toMatch(/Lowest values 7\d ×/)
  expect(words).not.toContain('Electronics')
  expect(words).toMatch(/80 to 100 [\d,]+ \d\d \d\d%/)
})

it('is linked in the footer of every page', async () => {
  expect((await readPage(`${api.address}/pricing`)).html).toContain('<a href="/accuracy">Accuracy</a>')
})
