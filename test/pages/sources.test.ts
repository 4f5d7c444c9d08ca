import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi, type TestApi } from '../support/service/api.ts'
import { readPage } from '../support/site/readPage.ts'

let api: TestApi

beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const words = async () => (await readPage(`${api.address}/sources`)).words

it('lists every source before anything was fetched', async () => {
  expect(await words()).toMatch(/GSA Auctions [\d,]+ \S.* not known yet not planned 0 0\.0 MB/)
  expect(await words()).toMatch(/Loaded from files .*GovDeals/)
})

it('shows the rhythm that was learned, the next fetch, and the calls and bytes of 24 hours with their budgets', async () => {
  await api.sql`
    insert into sweeps (
      source, last_attempt_at, version_seen_at, version_times, most_calls, most_bytes, next_due_at, calls
    )
    values (
      'gsa', now(), now(), array[now(), now() - interval '10 minutes', now() - interval '20 minutes'],
      1000, 5000000000, '2026-11-22T15:30:00Z', 2
    )`
  await api.sql`
    insert into source_traffic (source, hour, calls, bytes)
    values
      ('gsa', date_trunc('hour', now()), 40, 90000000), ('gsa', date_trunc('hour', now()) - interval '5 hours', 8, 3600000),
      ('gsa', date_trunc('hour', now()) - interval '25 hours', 900, 4000000000)`
  expect(await words()).toMatch(/10 min Nov 22, 2026, 15:30 UTC 48 of 1,000 93\.6 MB of 5000 MB/)
  await api.sql`update source_traffic set calls = 992 where calls = 40`
  expect(await words()).toContain('Nov 22, 2026, 15:30 UTC (the budget is used up)')
})

it('is linked in the footer of every page', async () => {
  expect((await readPage(`${api.address}/pricing`)).html).toContain('<a href="/sources">Sources</a>')
})
