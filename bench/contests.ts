import { differentSearches, hotSearches, listings, toolCalls } from './calls.ts'
import { type Duel, duel } from './duels.ts'
import type { Call, Generator } from './loading.ts'
import type { Server } from './servers.ts'

/** Everybody, started. */
export interface Contestants {
  service: Server
  /** The same service, which charges nobody. */
  unmetered: Server
  fastify: Server
  express: Server
  /** Null where it cannot run. */
  platformatic: Server | null
  ids: string[]
  /** Keys of a thousand accounts. */
  keys: string[]
}

/** The counts of a round are such that a round takes some seconds for the slower of the two. */
const DIFFERENT = 600
const HOT = 1_000
const SINGLE = 8_000
const METERED_CALLERS = 64

export async function contests(generator: Generator, contestants: Contestants): Promise<Duel[]> {
  const { service: ours, unmetered, fastify, express, platformatic, ids, keys } = contestants
  const different = differentSearches(DIFFERENT)
  const hot = hotSearches(HOT)
  const single = listings(ids, SINGLE)
  const duels = [
    await duel(generator, {
      what: 'search, every one different / Fastify',
      ours,
      theirs: fastify,
      calls: different,
    }),
    await duel(generator, {
      what: 'search, every one different / Express',
      ours,
      theirs: express,
      calls: different,
    }),
    await duel(generator, { what: 'search, 20 repeated / Fastify', ours, theirs: fastify, calls: hot }),
    await duel(generator, { what: 'one listing by id / Fastify', ours, theirs: fastify, calls: single }),
    await duel(generator, { what: 'one listing by id / Express', ours, theirs: express, calls: single }),
    await duel(generator, {
      what: 'MCP search_listings, every one different / our REST search',
      ours,
      theirs: ours,
      calls: round => toolCalls(different(2 * round)),
      theirCalls: round => different(2 * round + 1),
    }),
    await duel(generator, {
      what: 'MCP search_listings, 20 repeated / our REST search',
      ours,
      theirs: ours,
      calls: () => toolCalls(hotSearches(SINGLE)()),
      theirCalls: hotSearches(SINGLE),
    }),
    await duel(generator, {
      what: 'metering, 64 callers, one hot key / the same without it',
      ours,
      theirs: unmetered,
      calls: single,
      connections: METERED_CALLERS,
    }),
    await duel(generator, {
      what: 'metering, 64 callers, 1,000 keys / the same without it',
      ours,
      theirs: unmetered,
      calls: () => withKeys(single(), keys),
      connections: METERED_CALLERS,
    }),
  ]
  if (platformatic)
    duels.push(
      await duel(generator, {
        what: 'search, by what it can filter / Platformatic DB',
        ours,
        theirs: platformatic,
        calls: round => comparable(round).map(([own]) => own),
        theirCalls: round => comparable(round).map(([, its]) => its),
      }),
    )
  return duels
}

function withKeys(calls: Call[], keys: string[]): Call[] {
  return calls.map((call, n) => ({ ...call, headers: { authorization: `Bearer ${keys[n % keys.length]}` } }))
}

/** The searches that a server of tables can answer, with an exact count, in both languages. */
function comparable(round: number): [own: Call, its: Call][] {
  const columns: Record<string, string> = { category: 'category', state: 'state', source: 'source' }
  return differentSearches(DIFFERENT)(round).flatMap(({ path }): [Call, Call][] => {
    const query = new URL(path, 'http://service').searchParams
    const names = [...query.keys()].filter(name => name !== 'page' && name !== 'per_page')
    if (!names.every(name => name in columns)) return []
    const page = Number(query.get('page') ?? 1)
    const filters = names.map(name => `where.${columns[name]}.eq=${query.get(name)}`)
    const window = `limit=20&offset=${(page - 1) * 20}&totalCount=true&orderby.endsAt=asc&orderby.id=asc`
    return [[{ path }, { path: `/lots?${[...filters, 'where.isOpen.eq=true', window].join('&')}` }]]
  })
}
