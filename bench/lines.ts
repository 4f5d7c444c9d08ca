import type { Sql } from '../src/infra/postgres/database.ts'
import { pathWith, searches, toolCall, WITH_WORDS, WITHOUT_WORDS } from './requests.ts'
import type { Call } from './sendCalls.ts'

/** What the database of a side has to call for, in an order that says nothing. */
export interface Subjects {
  lots: { id: string; slug: string }[]
  /** Ids of lots that have an appraisal. */
  appraised: string[]
  /** Items and the states in which they have enough sales. */
  items: { item: string; state: string }[]
}

/** One kind of call. */
export interface Line {
  what: string
  /** How many calls a turn has. */
  calls: number
  /** Those of all turns, each different from all others. */
  callsOf(subjects: Subjects, count: number): Call[]
}

const get = (path: string): Call => ({ path })
const LISTINGS = '/api/v1/listings'

export const LINES: Line[] = [
  {
    what: 'one lot, every id different',
    calls: 600,
    callsOf: ({ lots }, count) => lots.slice(0, count).map(({ id }) => get(`${LISTINGS}/${id}`)),
  },
  {
    what: 'search without words',
    calls: 250,
    callsOf: (_, count) =>
      searches(WITHOUT_WORDS, count, 1).map(query => get(pathWith(LISTINGS, query))),
  },
  {
    what: 'search with words',
    calls: 150,
    callsOf: (_, count) =>
      searches(WITH_WORDS, count, 2).map(query => get(pathWith(LISTINGS, query))),
  },
  {
    what: 'comparables of an item',
    calls: 200,
    callsOf: ({ items }, count) =>
      items
        .slice(0, count)
        .map(({ item, state }) => get(pathWith('/api/v1/comps', { item, state }))),
  },
  {
    what: 'comparables of a lot',
    calls: 200,
    callsOf: ({ appraised }, count) =>
      appraised.slice(0, count).map(listing_id => get(pathWith('/api/v1/comps', { listing_id }))),
  },
  {
    what: 'MCP search without words',
    calls: 200,
    callsOf: (_, count) => searches(WITHOUT_WORDS, count, 3).map(toolCall),
  },
  {
    what: 'MCP search with words',
    calls: 150,
    callsOf: (_, count) => searches(WITH_WORDS, count, 4).map(toolCall),
  },
  {
    what: 'page of a lot',
    calls: 150,
    callsOf: ({ lots }, count) => lots.slice(-count).map(({ slug }) => get(`/listings/${slug}`)),
  },
  {
    what: 'page of a search without words',
    calls: 100,
    callsOf: (_, count) =>
      searches(WITHOUT_WORDS, count, 5).map(query => get(pathWith('/search', query))),
  },
  {
    what: 'front page',
    calls: 150,
    callsOf: (_, count) => Array.from({ length: count }, () => get('/')),
  },
]

const LEAST_SALES = 10

/** Reads what can be called for: lots that do not end while they are measured. */
export async function readSubjects(sql: Sql): Promise<Subjects> {
  const lots = await sql<(Subjects['lots'][number] & { is_appraised: boolean })[]>`
    select id, slug, value_grade is not null as is_appraised
    from lots
    where is_open and starts_at <= now() and ends_at > now() + interval '3 hours' and ends_at < 'infinity'
    order by md5(id::text)`
  const items = await sql<Subjects['items']>`
    select item, state
    from sales
    where item is not null and state is not null and sold_at > now() - interval '360 days'
    group by item, state
    having count(*) >= ${LEAST_SALES}
    order by md5(item || state)`
  return {
    lots,
    items,
    appraised: lots.filter(({ is_appraised }) => is_appraised).map(({ id }) => id),
  }
}
