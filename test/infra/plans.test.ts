import { beforeAll, expect, it } from 'vitest'
import type { ListingFilter } from '../../src/domain/search/filters.ts'
import { searchWords } from '../../src/domain/search/searchWords.ts'
import { DATABASE_NOW } from '../../src/infra/postgres/clock.ts'
import { openDatabase } from '../../src/infra/postgres/database.ts'
import { openServing, type Sql } from '../../src/infra/postgres/sql.ts'
import { findListingWithBids } from '../../src/infra/search/byId.ts'
import type { ListingContext } from '../../src/infra/search/columns.ts'
import { findListings, matchesOf } from '../../src/infra/search/listings.ts'
import { findSales } from '../../src/infra/search/sales.ts'
import { findTrip } from '../../src/infra/site/siteReads.ts'
import { filterOf, withDefaults } from '../../src/usecases/searchLots.ts'
import { DAY, fromNow, insertLots, insertSales } from '../support/lots/fixtures.ts'
import { forOneTest, shared } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'

const LOTS = 3_000
const ALWAYS = { starts_at: '-infinity', ends_at: 'infinity' } as const
const NO_FILTER = filterOf(withDefaults({}))

const api = serviceFor()
const sql = shared(() => openServing({ url: api.databaseUrl, connections: 1, timeoutMs: 10_000 }))

beforeAll(async () => {
  const lots = Array.from({ length: LOTS }, (_, index) => ({ slug: `lot-${index}`, ...ALWAYS }))
  await insertLots(api.sql, lots)
  await api.sql`analyze lots`
})

it('PostgreSQL plans a look-up once, and a search with its values', async () => {
  const context = { sql, publicUrl: 'http://surplus.test', now: DATABASE_NOW }
  const window = { sort: 'ending_soon' as const, limit: 20, offset: 0 }
  const narrowed = [{ q: searchWords('truck') }, { state: 'TX' }, { no_bids: true as const }]
  const filters = [...Array.from({ length: 7 }, () => ({})), ...narrowed]
  for (const filter of filters) {
    await findListings(context, { ...NO_FILTER, ...filter }, window)
    await findListingWithBids(context, { slug: 'lot-1' })
  }
  const plans = await sql<{ search: boolean; generic_plans: number }[]>`
    select statement like '%lots_query%' as search, generic_plans
    from pg_prepared_statements
    where statement like '%rfc3339%' and statement not like '%pg_prepared_statements%'`
  expect(plans.filter(({ search }) => search).map(each => each.generic_plans)).toEqual([0, 0])
  expect(plans.filter(({ search }) => !search).map(each => each.generic_plans)).toEqual([5])
})

it('PostgreSQL plans each export with its values: for any limit it chose a plan that took four times as long', async () => {
  const limits = { connections: 1, timeoutMs: 10_000, deadlineMs: 10_000 }
  const urls = { url: api.databaseUrl, read: limits, count: limits, export: limits }
  const database = await forOneTest(openDatabase(urls))
  const prepared = async (pool: Sql) => {
    const context = { sql: pool, publicUrl: 'http://surplus.test', now: DATABASE_NOW }
    const window = { limit: 5_000, offset: 0, columns: ['id', 'title'] }
    const { text } = await findListings(context, NO_FILTER, window)
    expect(text.split('\n')).toHaveLength(LOTS)
    return pool`select name from pg_prepared_statements where statement like '%array[page.%'`
  }
  expect(await prepared(database.export.sql())).toHaveLength(0)
  expect(
    await prepared(database.read.sql()),
    'the statement is found where it is prepared',
  ).toHaveLength(1)
})

it('PostgreSQL reads an auction once for its page, not once for each of its lots', async () => {
  const offered = { auction_id: 'fair', ...ALWAYS }
  const lots = Array.from({ length: 30 }, (_, index) => ({
    slug: `of-auction-${index}`,
    ...offered,
  }))
  await insertLots(api.sql, lots)
  await api.sql`analyze lots`
  const scans = await scansOf('lots_by_auction', async context => {
    expect((await findTrip(context, 'fair'))?.auction.live_lots).toBe(30)
  })
  expect(scans).toBe(2)
})

it('PostgreSQL reads the lots that have the words once, to count and to sort them', async () => {
  const titled = Array.from({ length: 20 }, (_, index) => ({
    slug: `dozer-${index}`,
    title: 'Bulldozer',
    ...ALWAYS,
  }))
  await insertLots(api.sql, titled)
  await api.sql`analyze lots`
  const scans = await scansOf('open_lots_by_words', async context => {
    const filter = { ...NO_FILTER, q: searchWords('bulldozer') }
    const { total, text } = await findListings(context, filter, { limit: 5, offset: 15 })
    expect(total).toBe(20)
    expect(JSON.parse(text)).toHaveLength(5)
  })
  expect(scans).toBe(1)
})

it('PostgreSQL reads no lot with the words that is of another category or state', async () => {
  const lot = { title: 'Wheel loader', category: 'heavy-equipment', state: 'TX', ...ALWAYS }
  const lots = [
    lot,
    { ...lot, category: 'other' },
    { ...lot, state: 'OR' },
    { ...lot, category: 'office-furniture', state: 'IN' },
  ]
  await insertLots(
    api.sql,
    lots.map((draft, index) => ({ ...draft, slug: `loader-${index}` })),
  )
  await api.sql`analyze lots`
  /** How many lots pass, and how many PostgreSQL reads for them. */
  async function found(typed: string, category: string | null, state: string | null) {
    const filter = { ...NO_FILTER, q: searchWords(typed), category, state } as ListingFilter
    const [explained] = await sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }[]>`
      explain (analyze, format json)
      select l.id from lots l where ${matchesOf(DATABASE_NOW, filter)}`
    const { 'Actual Rows': passed, 'Rows Removed by Filter': others = 0 } =
      explained!['QUERY PLAN'][0].Plan
    return [passed, passed + others]
  }
  expect(await found('loader', null, null)).toEqual([4, 4])
  expect(await found('loader', 'heavy-equipment', null)).toEqual([2, 2])
  expect(await found('loader', null, 'TX')).toEqual([2, 2])
  expect(await found('loader', 'electronics', null)).toEqual([0, 0])
  const total = async (...search: Parameters<typeof found>) => (await found(...search))[0]
  expect(await total('loader', 'heavy-equipment', 'TX')).toBe(1)
  // What English leaves out is in no vector: "other", Oregon and Indiana.
  expect(await total('loader', 'other', null)).toBe(1)
  expect(await total('loader', null, 'OR')).toBe(1)
  expect(await total('loader or the', 'office-furniture', 'IN')).toBe(1)
  // A search of such words alone finds nothing, whatever else it asks for.
  expect(await total('the', 'heavy-equipment', 'TX')).toBe(0)
})

it('PostgreSQL reads the sales of a category by price and by bids from an index, and sorts none', async () => {
  const sold_at = new Date()
  const sales = Array.from({ length: 1_000 }, (_, index) => ({
    sold_at,
    category: index % 2 ? ('vehicles' as const) : ('tools' as const),
    final_bid_cents: 100 + index,
  }))
  await insertSales(api.sql, sales)
  await api.sql`vacuum analyze lots`
  const filter = {
    words: null,
    item: null,
    soldFrom: null,
    soldUntil: null,
    state: null,
    source: null,
  }
  const priced = { price_min: null, price_max: null, category: 'vehicles' as const }
  for (const [index, sort] of [
    ['sales_by_price', 'price_high'],
    ['sales_by_price', 'price_low'],
    ['sales_by_bids', 'most_bids'],
  ] as const) {
    const scans = await scansOf(index, async context => {
      const { total } = await findSales(
        context,
        { ...filter, ...priced },
        { sort, limit: 5, offset: 0 },
      )
      expect(total).toBe(500)
    })
    expect(scans, sort).toBeGreaterThan(0)
  }
})

it('PostgreSQL reads the latest of the earlier listings of a lot, not all with its title', async () => {
  const desk = { title: 'Steel desk', zip: '73301', starts_at: '-infinity' as const }
  const closed = Array.from({ length: 300 }, (_, index) => ({
    ...desk,
    slug: `desk-${index}`,
    is_open: false,
    ends_at: fromNow(-(index + 2) * DAY),
  }))
  await insertLots(api.sql, [{ ...desk, slug: 'desk-now', ends_at: fromNow(DAY) }, ...closed])
  await api.sql`analyze lots`
  const read = await countOf(
    'pg_stat_get_xact_tuples_returned',
    'closed_lots_by_title',
    async context => {
      const found = await findListingWithBids(context, { slug: 'desk-now' })
      const ends = JSON.parse(found!.value).earlier_listings.map(
        (one: { end_date: string }) => one.end_date,
      )
      expect(ends).toHaveLength(5)
      expect(ends[0]).toBe('2026-11-19T09:30:00Z')
    },
  )
  expect(read).toBeLessThan(50)
})

it('finds by excluded words alone what it finds without words, in the same order', async () => {
  const context = { sql, publicUrl: 'http://surplus.test', now: DATABASE_NOW }
  const search = (typed: string) =>
    findListings(
      context,
      { ...NO_FILTER, q: searchWords(typed) },
      { sort: 'newest', limit: 5, offset: 0 },
    )
  const all = await findListings(context, NO_FILTER, { sort: 'newest', limit: 5, offset: 0 })
  expect(await search('-zanzibar')).toEqual(all)
})

interface PlanNode {
  'Actual Rows': number
  'Rows Removed by Filter'?: number
}

/** How often PostgreSQL scans an index for a read. */
function scansOf(index: string, read: (context: ListingContext) => Promise<void>) {
  return countOf('pg_stat_get_xact_numscans', index, read)
}

/** What PostgreSQL counts of an index while something is read. */
async function countOf(
  count: string,
  index: string,
  read: (context: ListingContext) => Promise<void>,
) {
  const [counted] = await api.sql.begin(async transaction => {
    await read({
      sql: transaction as unknown as Sql,
      publicUrl: 'http://surplus.test',
      now: DATABASE_NOW,
    })
    return transaction<{ count: number }[]>`
      select ${transaction(count)}(${index}::regclass)::integer as count`
  })
  return counted!.count
}
