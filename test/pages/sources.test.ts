import { afterAll, beforeAll, expect, it } from 'vitest'
import labels from '../../data/labels.json' with { type: 'json' }
import tracked from '../../data/sources.json' with { type: 'json' }
import { DAY, fromNow, insertLots } from '../support/lots/fixtures.ts'
import { start, type TestService } from '../support/service/start.ts'
import { readPage } from '../support/site/readPage.ts'

let api: TestService

beforeAll(async () => {
  api = await start()
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
  expect(await words()).toMatch(/10 min Nov 22, 2026, 3:30 PM UTC 48 of 1,000 93\.6 MB of 5000 MB/)
  await api.sql`update source_traffic set calls = 992 where calls = 40`
  expect(await words()).toContain('Nov 22, 2026, 3:30 PM UTC (the budget is used up)')
})

it('shows the terms of each source, and how many percent of its live lots have a photo, a ZIP code and an end', async () => {
  await insertLots(api.sql, [
    {
      slug: 'a',
      source: 'hud',
      zip: '60601',
      image_url: 'https://a.example/1.jpg',
      ends_at: fromNow(365 * DAY),
    },
    { slug: 'b', source: 'hud', zip: '60602', ends_at: 'infinity' },
    { slug: 'c', source: 'hud', ends_at: 'infinity' },
    { slug: 'd', source: 'hud', ends_at: fromNow(-DAY), image_url: 'https://a.example/2.jpg' },
  ])
  const shown = await words()
  expect(shown).toContain('HUD HomeStore Official API, made for programs 0% 33% 66% 33%')
  expect(shown).toContain('Municibid Programs need its permission: files of an operator only 9% – – –')
  expect(shown).toContain('GovDeals Partners only: files of a licensed operator unknown – – –')
  const { html } = await readPage(`${api.address}/sources`)
  expect(html).toContain('<a href="https://www.hudhomestore.gov" rel="noopener">HUD HomeStore</a>')
})

it('names the terms of every kind of access of a tracked source in words', () => {
  expect(Object.keys(labels.access)).toEqual(expect.arrayContaining(tracked.map(({ access }) => access)))
})

it('is linked in the footer of every page', async () => {
  expect((await readPage(`${api.address}/pricing`)).html).toContain('<a href="/sources">Sources</a>')
})
