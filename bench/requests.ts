import { Random } from '../src/demo/random.ts'
import { CATEGORIES } from '../src/domain/titles/categories.ts'
import type { Call } from './sendCalls.ts'

const STATES = 'TX, CA, FL, VA, OH, GA, PA, IL, WA, CO, NM, AL, NC, NY, AZ, MO'.split(', ')
const ZIPS =
  '20500, 75201, 90012, 33101, 23219, 43215, 30303, 19104, 60601, 98101, 80202, 87501'.split(', ')
const WORDS =
  'ford, chevrolet truck, dell latitude, generator, office chair, forklift, trailer, john deere'.split(
    ', ',
  )
const SOURCES = ['gsa', 'gsa-fleet', 'us-marshals', 'treasury']
const SORTS = ['ending_soon', 'newest', 'price_low', 'price_high', 'most_bids', 'best_deals']

/** The shapes of a search. Each function draws one request of its shape. */
type Shapes = Record<string, (random: Random) => Record<string, string | number>>

export const WITHOUT_WORDS: Shapes = {
  none: random => ({ page: 1 + below(random, 40), per_page: 15 + below(random, 10) }),
  category: random => ({ category: random.pick(CATEGORIES), page: 1 + below(random, 10) }),
  state: random => ({
    state: random.pick(STATES),
    page: 1 + below(random, 10),
    per_page: 15 + below(random, 10),
  }),
  source: random => ({
    source: random.pick(SOURCES),
    page: 1 + below(random, 20),
    per_page: 15 + below(random, 10),
  }),
  price: random => ({ price_min: below(random, 400), price_max: 500 + below(random, 20_000) }),
  zip: random => ({ zip: random.pick(ZIPS), radius_miles: 25 + below(random, 176) }),
  'category, state': random => ({
    category: random.pick(CATEGORIES),
    state: random.pick(STATES),
    price_max: 100 + below(random, 20_000),
  }),
  'zip, category': random => ({
    zip: random.pick(ZIPS),
    radius_miles: 25 + below(random, 176),
    category: random.pick(CATEGORIES),
  }),
  sorts: random => ({
    sort: random.pick(SORTS),
    page: 1 + below(random, 50),
    per_page: 15 + below(random, 10),
  }),
  deep: random => ({ sort: random.pick(SORTS), page: 101 + below(random, 100) }),
}

export const WITH_WORDS: Shapes = {
  words: random => ({ q: random.pick(WORDS), price_max: 100 + below(random, 20_000) }),
  'words, category': random => ({
    q: random.pick(WORDS),
    category: random.pick(CATEGORIES),
    price_min: below(random, 2_000),
  }),
}

/** A search by its parameters. */
export type SearchQuery = Record<string, string | number>

/** So many different searches, each shape in its turn; the same seed gives the same ones. */
export function searches(shapes: Shapes, count: number, seed: number): SearchQuery[] {
  const random = new Random()
  random.restart(seed, 0)
  const draws = Object.values(shapes)
  const found = new Map<string, SearchQuery>()
  for (let n = 0; found.size < count; n++) {
    const query = draws[n % draws.length]!(random)
    found.set(JSON.stringify(query), query)
  }
  return [...found.values()]
}

/** A path with its parameters; a space as `%20`, since express-openapi-validator refuses `+`. */
export function pathWith(path: string, query: SearchQuery): string {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  return `${path}?${String(new URLSearchParams(pairs)).replaceAll('+', '%20')}`
}

/** The same search over MCP (revision 2025-11-25). REST has 20 lots on a page, the tool 10. */
export function toolCall(query: SearchQuery): Call {
  return {
    path: '/api/v1/mcp',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_listings', arguments: { per_page: 20, ...query } },
    }),
  }
}

function below(random: Random, limit: number): number {
  return random.whole(0, limit - 1)
}
