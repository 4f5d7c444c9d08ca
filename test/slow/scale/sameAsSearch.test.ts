import { beforeAll, describe, expect, it } from 'vitest'
import { loadDemo } from '../../../src/commands/demo.ts'
import { Random } from '../../../src/demo/random.ts'
import { matchChanges } from '../../../src/usecases/alerts/matchChanges.ts'
import {
  insertAccount,
  insertEndpoint,
  insertSearches,
} from '../../support/alerts/savedSearches.ts'
import { serviceFor } from '../../support/service/start.ts'

const LOTS = 1_500
const SEARCHES = 300
const SEED = 11
const NOW = new Date('2027-03-01T15:00:00Z')

const api = serviceFor({ now: NOW })
let searches: { id: number; query: Query }[]

beforeAll(async () => {
  const { sql } = api
  const random = new Random()
  random.restart(SEED, 0)
  const queries = Array.from({ length: SEARCHES }, () => anyQuery(random))
  const account_id = await insertAccount(sql)
  const kinds: ['new'] = ['new']
  // A search that no webhook waits for stores 50 at most.
  const endpoint_ids = [await insertEndpoint(sql, account_id)]
  const ids = await insertSearches(
    sql,
    queries.map(query => ({ account_id, query, kinds, endpoint_ids })),
  )
  searches = ids.map((id, n) => ({ id, query: queries[n]! }))
  await loadDemo(sql, { lots: LOTS, sales: 3_000, seed: SEED, now: NOW, onProgress: () => {} })
  // The demo has none that begin later, and few without a place.
  await sql`update lots set starts_at = ${new Date(NOW.getTime() + 1000)} where id in (select id from lots where is_open order by id limit 50)`
  await matchChanges(sql, { now: NOW })
})

type Query = Record<string, string | number | boolean>

/** Words that occur, together and apart, with the marks that a search gives a meaning. */
const WORDS =
  'ford|F-150|f150|"pickup truck"|laptop -dell|desk or chair|generator|dell|truck|skid steer'
const CATEGORIES = ['vehicles', 'electronics', 'office-furniture', 'heavy-equipment']
/** How often a search has a parameter, and its values. */
const PARAMETERS: [name: string, share: number, values: Query[string][]][] = [
  ['q', 0.3, WORDS.split('|')],
  ['category', 0.3, CATEGORIES],
  ['state', 0.2, ['TX', 'CA', 'il', 'FL', 'PR']],
  ['source', 0.2, ['gsa', 'govdeals', 'municibid', 'usps']],
  ['zip', 0.2, ['60601', '90012', '77002-1234', '99501']],
  ['radius_miles', 0.7, [10, 100, 200]],
  ['price_min', 0.3, [0, 50, 199.99, 1_000]],
  ['price_max', 0.3, [1_000, 2_500.5, 20_000]],
  ['closing_within_hours', 0.2, [6, 24, 96]],
  ['min_flip_score', 0.2, [0, 40, 70]],
  ['odometer_max', 0.04, [60_000, 120_000]],
  ['hours_max', 0.04, [2_000, 5_000]],
  ['runs', 0.04, [true, false]],
  ['no_bids', 0.2, [true]],
  ['buy_now', 0.1, [true]],
]

function anyQuery(random: Random): Query {
  const query: Query = {}
  for (const [name, share, values] of PARAMETERS)
    if ((name !== 'radius_miles' || query.zip) && random.chance(share))
      query[name] = random.pick(values)
  return query
}

async function searched(query: Query): Promise<string[]> {
  const ids: string[] = []
  const parameters = new URLSearchParams(query as Record<string, string>)
  for (let page = 1; ; page++) {
    const path = `/api/v1/listings?${parameters}&per_page=50&page=${page}`
    const { data, total }: { data: { id: string }[]; total: number } = await api.read(path)
    ids.push(...data.map(({ id }) => id))
    if (page * 50 >= total) return ids.sort()
  }
}

async function matched(id: number): Promise<string[]> {
  const rows = await api.sql<
    { lot_id: string }[]
  >`select lot_id from alert_matches where search_id = ${id} order by lot_id`
  return rows.map(({ lot_id }) => lot_id)
}

describe(`${SEARCHES} saved searches`, () => {
  it('are told of the new lots that the same searches show, of each and no other', async () => {
    let lots = 0
    let empty = 0
    for (const { id, query } of searches) {
      const shown = await searched(query)
      expect({ query, lots: await matched(id) }).toEqual({ query, lots: shown })
      lots += shown.length
      if (shown.length === 0) empty += 1
    }
    // Many find something, many nothing, none everything but those without a filter.
    expect(lots).toBeGreaterThan(SEARCHES * 10)
    expect(empty).toBeGreaterThan(20)
    expect(empty).toBeLessThan(0.6 * SEARCHES)
  })
})
