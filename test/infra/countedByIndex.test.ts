import { beforeAll, expect, it } from 'vitest'
import { searchWords } from '../../src/domain/search/searchWords.ts'
import { type Counted, findListings } from '../../src/infra/listings/listings.ts'
import { createLog } from '../../src/infra/log.ts'
import { clock } from '../../src/infra/postgres/dataVersion.ts'
import { createSearchIndex } from '../../src/infra/searchIndex/searchIndex.ts'
import { seedSources } from '../../src/usecases/ingestion/trackedSources.ts'
import { filterOf, withDefaults } from '../../src/usecases/searchLots.ts'
import { freshDatabase } from '../support/database/database.ts'
import { HOUR, insertLots, NOW } from '../support/lots/fixtures.ts'
import { forOneTest, shared } from '../support/run/shared.ts'

const ALL = filterOf(withDefaults({}))
const CHEAP = { ...ALL, price_max: 10 }

const database = shared(freshDatabase)

beforeAll(async () => {
  await seedSources(database.sql)
  const cents = [500, 900, 5_000]
  await insertLots(
    database.sql,
    cents.map(current_bid_cents => ({
      slug: `of-${current_bid_cents}`,
      current_bid_cents,
      num_bids: 1,
      ends_at: 'infinity' as const,
    })),
  )
})

/** What the index takes for the moment. */
let moment = NOW

async function builtIndex() {
  moment = NOW
  const settings = {
    databaseUrl: database.url,
    isWorthwhile: async () => true,
    now: () => moment,
    log: createLog('silent'),
  }
  const index = await forOneTest(createSearchIndex(settings))
  index.prepare()
  await expect.poll(() => index.status().lots).toBe(3)
  return index
}

/** The total of a page of the best deals that the database reads. */
async function totalBy(counted: Counted | null) {
  const context = { sql: database.sql, publicUrl: 'http://surplus.test', now: clock(moment) }
  const window = { sort: 'best_deals' as const, limit: 1, offset: 0 }
  return (await findListings(context, CHEAP, window, counted)).total
}

it('the index counts for the database what no score can change, as long as the offers are the same', async () => {
  const { count } = await builtIndex()
  const counted = count(CHEAP)!
  expect(counted.total).toBe(2)
  /** No count of the lots: what the index says is taken. */
  const told = { ...counted, total: 77 }
  expect(await totalBy(told)).toBe(77)
  await database.sql`update lots set flip_score = 60`
  expect(await totalBy(told)).toBe(77)
  await database.sql`update lots set current_bid_cents = 2000 where slug = 'of-900'`
  expect(await totalBy(told)).toBe(1)
})

it('the index does not count by words, scores or values', async () => {
  const { count } = await builtIndex()
  const filters = [{ q: searchWords('truck') }, { min_flip_score: 10 }, { value_min: 100 }]
  expect(filters.map(filter => count({ ...ALL, ...filter }))).toEqual([null, null, null])
})

it('a clock that was set back behind the index makes the database count: the index lacks what had ended by then', async () => {
  await insertLots(database.sql, [
    { slug: 'ended', current_bid_cents: 100, num_bids: 1, ends_at: new Date(NOW.getTime() - HOUR) },
  ])
  const { count } = await builtIndex()
  moment = new Date(NOW.getTime() - 2 * HOUR)
  expect(await totalBy(count(CHEAP))).toBe(await totalBy(null))
})
