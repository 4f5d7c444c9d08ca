import type { Call } from './loadGenerator.ts'
import { searches, toolCalls } from './requests.ts'
import { type Contest, ROUNDS } from './rounds.ts'
import type { Server } from './servers.ts'

/** The servers that are compared, and what they are called with. */
export interface Contestants {
  service: Server
  /** The same service, which counts no call. */
  unmetered: Server
  fastify: Server
  /** The same, which checks the key and counts each call. */
  metered: Server
  /** Lots that both have, more than a run calls. */
  ids: string[]
  /** Keys of a thousand accounts. */
  keys: string[]
}

/** A round takes some seconds for the slower of the two. */
const DIFFERENT = 600
const REPEATED = 1_000
const SINGLE = 4_000
const MANY_CALLERS = 64

/** What is compared, in the order of the report. */
export function contestsOf({ service, unmetered, fastify, metered, ids, keys }: Contestants): Contest[] {
  const different = (round: number) => searches(DIFFERENT, 1_000 + round).map(path => ({ path }))
  const repeated = (count: number) => () => repeat(searches(20, 7), count)
  const lots = (first: number, count: number) =>
    ids.slice(first, first + count).map(id => `/api/v1/listings/${id}`)
  const sameLots = () => repeat(lots(0, 1_000), SINGLE)
  // Six rounds, each of lots that no other round calls: 100,000 lots are enough, with fewer a round is shorter.
  const fresh = Math.min(SINGLE, Math.floor((ids.length - 1_000) / (ROUNDS + 1)))
  const newLots = (round: number) => repeat(lots(1_000 + round * fresh, fresh), fresh)
  const meteredRival = { ours: service, theirs: metered, against: 'metered Fastify' }
  const rival = { ours: service, theirs: fastify, against: 'Fastify' }
  return [
    { ...rival, what: 'search, every one different', bar: 1.5, calls: different },
    { ...rival, what: 'search, 20 repeated', bar: 10, calls: repeated(REPEATED) },
    { ...rival, what: 'one listing, every id different', bar: 0.3, calls: newLots },
    { ...rival, what: 'one listing, 1,000 ids repeated', bar: 0.6, calls: sameLots },
    { ...meteredRival, what: 'one listing, every id different', bar: 1, calls: newLots },
    { ...meteredRival, what: 'one listing, 1,000 ids repeated', bar: 2, calls: sameLots },
    {
      ...rival,
      what: 'the same, 64 callers',
      bar: 0.6,
      calls: sameLots,
      connections: MANY_CALLERS,
    },
    {
      what: 'MCP search_listings, every one different',
      against: 'our REST search',
      bar: 0.5,
      ours: service,
      theirs: service,
      calls: round => toolCalls(different(2 * round)),
      theirCalls: round => different(2 * round + 1),
    },
    {
      what: 'counting, 64 callers, one key',
      against: 'the same without counting',
      bar: 0.85,
      ours: service,
      theirs: unmetered,
      calls: sameLots,
      connections: MANY_CALLERS,
    },
    {
      what: 'counting, 64 callers, 1,000 keys',
      against: 'the same without counting',
      bar: 0.35,
      ours: service,
      theirs: unmetered,
      calls: () => withKeys(sameLots(), keys),
      connections: MANY_CALLERS,
    },
  ]
}

function repeat(paths: string[], count: number): Call[] {
  return Array.from({ length: count }, (_, n) => ({ path: paths[n % paths.length]! }))
}

function withKeys(calls: Call[], keys: string[]): Call[] {
  return calls.map((call, n) => ({ ...call, headers: { authorization: `Bearer ${keys[n % keys.length]}` } }))
}
