import type { Call } from './loading.ts'
import { searches } from './shapes.ts'

/** Searches, every one different from all of the other rounds. */
export function differentSearches(count: number): (round: number) => Call[] {
  return round => searches(count, 1000 + round).map(path => ({ path }))
}

/** The same twenty searches again and again. */
export function hotSearches(count: number): () => Call[] {
  const paths = searches(20, 7)
  return () => repeated(paths, count)
}

/** Lots by id, again and again. */
export function listings(ids: string[], count: number): () => Call[] {
  const paths = ids.map(id => `/api/v1/listings/${id}`)
  return () => repeated(paths, count)
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

function repeated(paths: string[], count: number): Call[] {
  return Array.from({ length: count }, (_, n) => ({ path: paths[n % paths.length]! }))
}
