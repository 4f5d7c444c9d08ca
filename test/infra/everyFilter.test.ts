import fc from 'fast-check'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import type { Input } from '../../src/contract/types.ts'
import { FILTER_NAMES, type FilterName } from '../../src/domain/search/filters.ts'
import { clock } from '../../src/infra/postgres/clock.ts'
import { findListings } from '../../src/infra/search/listings.ts'
import { matchChanges } from '../../src/usecases/alerts/matchChanges.ts'
import { filterOf, withDefaults } from '../../src/usecases/searchLots.ts'
import { startAlertWorld } from '../support/alerts/alertWorld.ts'
import { insertSearches } from '../support/alerts/savedSearches.ts'
import { NOW } from '../support/lots/fixtures.ts'
import { insertSearchWorld } from '../support/lots/searchWorld.ts'
import { shared } from '../support/run/shared.ts'

type Search = Input<'searchListings'>
type Query = Partial<Record<FilterName, string | number | boolean>>

/** Values of each filter; the first finds some of the six live lots and not all. */
const VALUES: { [Name in FilterName]: NonNullable<Search[Name]>[] } = {
  q: ['ford or van', 'forklift', '-ford', 'the'],
  category: ['vehicles', 'other', 'real-estate'],
  state: ['il', 'TX', 'ZZ'],
  source: ['gsa', 'usps', 'treasury'],
  zip: ['60601', '53202-1234', '00601'],
  price_min: [99.99, 0, 1_000.01],
  price_max: [450.5, 0, 99.98999, 1_000_000],
  closing_within_hours: [2, 1, 5, 8_760],
  min_flip_score: [30, 0, 31, 100],
  value_min: [6_000, 0, 1.1, 6_000.01],
  ends_before: ['2026-11-22', '2026-11-21', '2027-01-01'],
  vehicle_year_min: [2015, 1900, 2014],
  vehicle_year_max: [2014, 2019, 1900],
  vehicle_make: ['ford', 'CHEVROLET', 'Tesla'],
  auction: ['gsa-27-006', 'gsa-27-007'],
  odometer_max: [100_000, 0, 104_211],
  hours_max: [4_501, 0, 4_500],
  runs: [true, false],
  no_bids: [true, false],
  buy_now: [true, false],
}

const valuesOf = FILTER_NAMES.map(name => [
  name,
  fc.constantFrom<string | number | boolean>(...VALUES[name]),
])
const anyQuery: fc.Arbitrary<Query> = fc
  .record(Object.fromEntries(valuesOf), { requiredKeys: [] })
  .filter(query => isAccepted(query))
const oneFilter = FILTER_NAMES.map((name): Query => ({ [name]: VALUES[name][0] }))

const world = shared(startAlertWorld)
let account: number

beforeAll(async () => {
  account = await world.makeAccount()
  await matchChanges(world.sql, { now: NOW })
})
beforeEach(() => insertWorld())

async function insertWorld(): Promise<void> {
  await world.empty()
  await world.sql`delete from lots`
  await matchChanges(world.sql, { now: NOW })
  await insertSearchWorld(world.sql)
}

const filter = (query: Query) => filterOf(withDefaults(query as Partial<Search>))

/** Not so where a least value is above the most. */
function isAccepted(query: Query): boolean {
  try {
    return filter(query) !== null
  } catch {
    return false
  }
}

async function inDatabase(query: Query): Promise<string[]> {
  const context = { sql: world.sql, publicUrl: 'http://surplus.test', now: clock(NOW) }
  const window = { limit: 100, offset: 0, columns: ['id'] }
  const { text } = await findListings(context, filter(query), window)
  return text === '' ? [] : text.split('\n').map(line => JSON.parse(line)[0])
}

/** What each query finds as a saved search, when the lots of the world are listed. */
async function asSavedSearches(queries: Query[]): Promise<string[][]> {
  await world.empty()
  await world.sql`delete from lots`
  const drafts = queries.map(query => ({ account_id: account, query, kinds: ['new' as const] }))
  const ids = await insertSearches(world.sql, drafts)
  await insertSearchWorld(world.sql)
  await matchChanges(world.sql, { now: NOW })
  const rows = await world.sql<{ search_id: number; lot_id: string }[]>`
    select search_id, lot_id from alert_matches`
  return ids.map(id => rows.filter(({ search_id }) => search_id === id).map(({ lot_id }) => lot_id))
}

const plain = (ids: string[]) => ids.map(id => id.replaceAll('-', '')).sort()

it('a search finds the same lots in the database and, in memory, as a saved search, by every filter alone and together', async () => {
  const sameLots = fc.asyncProperty(
    fc.array(anyQuery, { minLength: 30, maxLength: 30 }),
    async drawn => {
      const queries = [...oneFilter, ...drawn]
      const saved = await asSavedSearches(queries)
      for (const [n, query] of queries.entries()) {
        const found = plain(await inDatabase(query))
        expect(plain(saved[n]!), `${JSON.stringify(query)}`).toEqual(found)
      }
    },
  )
  await fc.assert(sameLots, { numRuns: 8, endOnFailure: true })
})

it.each(FILTER_NAMES)('%s leaves some lots out and finds others', async name => {
  const found = await inDatabase({ [name]: VALUES[name][0] })
  expect(found).not.toEqual([])
  expect(found.length).toBeLessThan((await inDatabase({})).length)
})
