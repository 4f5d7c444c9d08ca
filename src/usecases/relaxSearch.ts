import type { Input } from '../contract/types.ts'
import type { Deps } from './deps.ts'
import { searchListings } from './searchListings.ts'

/** What a search would find without one of its filters. */
export interface Relaxation {
  without: string
  total: number
}

/** What may be dropped; the radius goes with its centre. */
const FILTERS = [
  'q',
  'category',
  'state',
  'source',
  'zip',
  'price_min',
  'price_max',
  'no_bids',
  'buy_now',
] as const

/** Nobody waits for advice: what is counted by then is told. */
const BUDGET_MS = 1_000

/**
 * For a search that finds nothing: how many lots are live without each of its filters, the most first. Filters whose
 * going would not help are left out. One count at a time, at most one for each filter, for about a second in all.
 */
export async function relaxSearch(deps: Deps, input: Input<'searchListings'>): Promise<Relaxation[]> {
  const startedAt = performance.now()
  const found: Relaxation[] = []
  for (const without of FILTERS) {
    if (input[without] === undefined || input[without] === false) continue
    if (performance.now() - startedAt > BUDGET_MS) break
    const { [without]: _dropped, ...rest } = input
    const looser = { no_bids: false, buy_now: false, ...rest, page: 1, per_page: 1 }
    const { total } = await searchListings(deps, looser)
    if (total > 0) found.push({ without, total })
  }
  return found.toSorted((a, b) => b.total - a.total)
}
