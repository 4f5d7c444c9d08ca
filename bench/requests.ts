import { Random } from '../src/demo/random.ts'
import { CATEGORIES } from '../src/domain/titles/categories.ts'
import type { Call } from './loadGenerator.ts'

const STATES = 'TX, CA, FL, VA, OH, GA, PA, IL, WA, CO, NM, AL, NC, NY, AZ, MO'.split(', ')
const ZIPS = '20500, 75201, 90012, 33101, 23219, 43215, 30303, 19104, 60601, 98101, 80202, 87501'.split(', ')
const WORDS =
  'ford, chevrolet truck, dell latitude, generator, office chair, forklift, trailer, john deere'.split(', ')
const SOURCES = ['gsa', 'gsa-fleet', 'us-marshals', 'treasury']
const SORTS = ['ending_soon', 'newest', 'price_low', 'price_high', 'most_bids', 'best_deals']

/** The twelve shapes of a search. Each function draws one request of its shape. */
export const SEARCH_SHAPES: Record<string, (random: Random) => Record<string, string | number>> = {
  none: random => ({ page: 1 + below(random, 40), per_page: 20 }),
  category: random => ({ category: random.pick(CATEGORIES), page: 1 + below(random, 10) }),
  state: random => ({ state: random.pick(STATES), page: 1 + below(random, 10) }),
  source: random => ({ source: random.pick(SOURCES), page: 1 + below(random, 20) }),
  price: random => ({ price_min: below(random, 400), price_max: 500 + below(random, 20_000) }),
  zip: random => ({ zip: random.pick(ZIPS), radius_miles: 25 + below(random, 176) }),
  words: random => ({ q: random.pick(WORDS), price_max: 100 + below(random, 20_000) }),
  'category, state': random => ({
    category: random.pick(CATEGORIES),
    state: random.pick(STATES),
    price_max: 100 + below(random, 20_000),
  }),
  'words, category': random => ({
    q: random.pick(WORDS),
    category: random.pick(CATEGORIES),
    price_min: below(random, 2_000),
  }),
  'zip, category': random => ({
    zip: random.pick(ZIPS),
    radius_miles: 25 + below(random, 176),
    category: random.pick(CATEGORIES),
  }),
  sorts: random => ({ sort: random.pick(SORTS), page: 1 + below(random, 50) }),
  deep: random => ({ sort: random.pick(SORTS), page: 101 + below(random, 100) }),
}

/** So many different searches, each shape in its turn; the same seed gives the same ones. */
export function searches(count: number, seed: number): string[] {
  const random = new Random()
  random.restart(seed, 0)
  const shapes = Object.values(SEARCH_SHAPES)
  const paths = new Set<string>()
  for (let n = 0; paths.size < count; n++) paths.add(searchPath(shapes[n % shapes.length]!(random)))
  return [...paths]
}

/** So many searches of one shape, different where the shape has so many. */
export function searchesOf(shape: string, count: number, seed: number): string[] {
  const random = new Random()
  random.restart(seed, 0)
  return Array.from({ length: count }, () => searchPath(SEARCH_SHAPES[shape]!(random)))
}

function searchPath(query: Record<string, string | number>): string {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
  return `/api/v1/listings?${new URLSearchParams(pairs)}`
}

function below(random: Random, limit: number): number {
  return random.whole(0, limit - 1)
}

/** The same searches over MCP (revision 2025-11-25). */
export function toolCalls(searchCalls: Call[]): Call[] {
  return searchCalls.map(({ path }, id) => ({
    path: '/api/v1/mcp',
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'search_listings', arguments: argumentsOf(path) },
    }),
  }))
}

function argumentsOf(path: string): Record<string, string | number> {
  const pairs = [...new URL(path, 'http://service').searchParams]
  const numbers = new Set(['page', 'per_page', 'price_min', 'price_max', 'radius_miles'])
  // REST has 20 lots on a page, the tool 10.
  return {
    per_page: 20,
    ...Object.fromEntries(pairs.map(([name, value]) => [name, numbers.has(name) ? Number(value) : value])),
  }
}
