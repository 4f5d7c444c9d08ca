import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openAdminConnection, type Sql } from '../../src/infra/postgres/database.ts'
import { matchChanges } from '../../src/usecases/alerts/matchChanges.ts'
import { startAlertWorld } from '../support/alerts/alertWorld.ts'
import {
  insertEndpoint,
  insertSearches,
  type SearchDraft,
} from '../support/alerts/savedSearches.ts'
import { DAY, fromNow, HOUR, insertLots, type LotDraft, NOW } from '../support/lots/fixtures.ts'
import { forOneTest, shared } from '../support/run/shared.ts'

const world = shared(startAlertWorld)
let sql: Sql
let account: number

beforeAll(async () => {
  sql = world.sql
})
beforeEach(async () => {
  await sql`delete from saved_searches`
  await sql`delete from lots`
  await sql`update alert_progress set position = 0 where stream = 'clock'`
  account = await world.makeAccount()
  await matchChanges(sql, { now: NOW })
})

/** November 24 in Chicago: GSA Auctions closes bidding between 10 AM (16:00 UTC) and 8 PM of it. */
const CENTRAL_DAY = new Date('2026-11-25T05:59:59Z')
const DESK: LotDraft = { slug: 'desk', title: 'Steel desk', ends_at: fromNow(3 * DAY) }

async function search(draft: Partial<SearchDraft> = {}): Promise<number> {
  const [id] = await insertSearches(sql, [{ account_id: account, ...draft }])
  return id!
}

/** Lists a lot, and forgets what that matched. */
async function listed(draft: LotDraft = DESK): Promise<string> {
  const [id] = await insertLots(sql, [draft])
  await matchChanges(sql, { now: NOW })
  await sql`delete from alert_matches`
  return id!
}

/** What is matched now, as kind and value. */
async function matched(now = NOW) {
  await matchChanges(sql, { now })
  const rows = await sql<
    { kind: string; value: string }[]
  >`select kind, value from alert_matches order by id`
  await sql`delete from alert_matches`
  // The number of a change differs from run to run.
  return rows.map(({ kind, value }) => `${kind} ${value}`.replace(/ \d+$/, ''))
}

/** Which searches match, by id. */
async function found(now = NOW): Promise<number[]> {
  await matchChanges(sql, { now })
  const rows = await sql<{ search_id: number }[]>`
    select distinct search_id from alert_matches order by search_id`
  return rows.map(({ search_id }) => search_id)
}

describe('a saved search is told of', () => {
  it('a lot that is listed, once', async () => {
    await search()
    await insertLots(sql, [DESK])
    expect(await matched()).toEqual(['new'])
    expect(await matched()).toEqual([])
  })

  it('a lot that returns after its end, each time, as of its withdrawals', async () => {
    const id = await listed()
    await sql`update lots set is_open = false, outcome = 'withdrawn' where id = ${id}`
    await sql`update lots set is_open = true, outcome = null, ends_at = ${fromNow(4 * DAY)} where id = ${id}`
    await search({ kinds: ['new', 'status'] })
    expect(await matched(), 'changes before it was saved').toEqual([])
    for (let time = 0; time < 3; time++) {
      await sql`update lots set is_open = false, outcome = 'withdrawn' where id = ${id}`
      await sql`update lots set is_open = true, outcome = null where id = ${id}`
    }
    await matchChanges(sql, { now: NOW })
    const kinds = await sql<{ kind: string }[]>`select kind from alert_matches order by id`
    expect(kinds.map(({ kind }) => kind).sort()).toEqual([
      ...Array(3).fill('new'),
      ...Array(3).fill('status'),
    ])
  })

  it('each bid, also one that returns; one that fell is a price drop', async () => {
    await search()
    const id = await listed()
    await sql`update lots set current_bid_cents = 5000, num_bids = 1 where id = ${id}`
    await sql`update lots set current_bid_cents = 6000, num_bids = 2 where id = ${id}`
    await sql`update lots set current_bid_cents = 4000, num_bids = 1 where id = ${id}`
    expect(await matched()).toEqual(['bid', 'bid', 'price_drop 4000/null'])
    await sql`update lots set current_bid_cents = 6000, num_bids = 2 where id = ${id}`
    expect(await matched()).toEqual(['bid'])
  })

  it('no withdrawn bid that leaves the price where it was', async () => {
    await search()
    const id = await listed({ ...DESK, starting_bid_cents: 5_000 })
    await sql`update lots set current_bid_cents = 5000, num_bids = 1 where id = ${id}`
    await sql`update lots set current_bid_cents = null, num_bids = 0 where id = ${id}`
    expect(await matched()).toEqual(['bid'])
  })

  it('an asking price that falls, and not of one that rises', async () => {
    await search()
    const id = await listed({ ...DESK, starting_bid_cents: 9_000, buy_now_cents: 20_000 })
    await sql`update lots set starting_bid_cents = 8000 where id = ${id}`
    expect(await matched()).toEqual(['price_drop 8000/20000'])
    await sql`update lots set buy_now_cents = 15000 where id = ${id}`
    expect(await matched()).toEqual(['price_drop 8000/15000'])
    await sql`update lots set buy_now_cents = 16000, starting_bid_cents = 8500 where id = ${id}`
    expect(await matched()).toEqual([])
    await sql`update lots set current_bid_cents = 9000, num_bids = 1 where id = ${id}`
    await matched()
    await sql`update lots set starting_bid_cents = 100 where id = ${id}`
    expect(await matched(), 'nobody can bid the starting bid any more').toEqual([])
  })

  it('the price before a change, and none where the price is the same', async () => {
    await search()
    const id = await listed({ ...DESK, starting_bid_cents: 9_000, buy_now_cents: 20_000 })
    await sql`update lots set starting_bid_cents = 8000 where id = ${id}`
    await matchChanges(sql, { now: NOW })
    await sql`update lots set buy_now_cents = 15000 where id = ${id}`
    await sql`update lots set current_bid_cents = 8500, num_bids = 1 where id = ${id}`
    await sql`update lots set num_bids = 2 where id = ${id}`
    await sql`update lots set ends_at = ${fromNow(4 * DAY)} where id = ${id}`
    await matchChanges(sql, { now: NOW })
    const rows = await sql<{ kind: string; former: number | null }[]>`
      select kind, former_price_cents as former from alert_matches order by id`
    expect(rows.map(({ kind, former }) => `${kind} ${former}`)).toEqual([
      'price_drop 9000',
      'price_drop 20000',
      'bid 8000',
      'bid null',
      'status null',
    ])
  })

  it('an end that moves, and what became of the lot, though it is not live then', async () => {
    await search()
    const id = await listed()
    await sql`update lots set ends_at = ${fromNow(2 * DAY)} where id = ${id}`
    expect(await matched()).toEqual(['status end_moved 2026-11-23T09:30:00Z'])
    await sql`update lots set is_open = false where id = ${id}`
    await sql`update lots set outcome = 'unsold' where id = ${id}`
    expect(await matched(fromNow(2 * DAY))).toEqual([
      'status ended 2026-11-23T09:30:00Z',
      'status unsold 2026-11-23T09:30:00Z',
    ])
  })

  it('nothing but the kinds it asks for', async () => {
    await search({ kinds: ['bid'] })
    const id = await listed()
    await sql`update lots set current_bid_cents = 5000, num_bids = 1, ends_at = ${fromNow(2 * DAY)} where id = ${id}`
    expect(await matched()).toEqual(['bid'])
  })

  it('a source that goes back and forth only once a state', async () => {
    await search({ kinds: ['status'] })
    const id = await listed()
    for (const days of [2, 3, 2, 3, 2])
      await sql`update lots set ends_at = ${fromNow(days * DAY)} where id = ${id}`
    expect(await matched()).toHaveLength(2)
  })
})

describe('a load', () => {
  it('that is rolled back tells nothing, and one that is under way tells when it commits', async () => {
    const id = await search({ kinds: ['new'] })
    const other = await forOneTest(openAdminConnection(world.url))
    const lists = (slug: string, end: string) =>
      other.unsafe(`begin; insert into lots (source, source_id, slug, title, category, source_url, ends_at, is_open, observed_at)
        values ('gsa', '${slug}', '${slug}', 'Desk', 'other', 'https://auctions.example', '2026-11-24', true, now()); ${end}`)
    await lists('never', 'rollback')
    expect(await found()).toEqual([])
    await lists('soon', '')
    expect(await found()).toEqual([])
    await other.unsafe('commit')
    expect(await found()).toEqual([id])
    const [stored] = await sql<{ slugs: string }[]>`
      select string_agg(slug, ' ') as slugs
      from alert_matches
      join lots on lots.id = lot_id`
    expect(stored!.slugs).toBe('soon')
  })

  it('that two processes match at the same moment makes each match once', async () => {
    const ids = [
      await search({ kinds: ['new'] }),
      await search({ kinds: ['new'], query: { q: 'desk' } }),
    ]
    const others = [openAdminConnection(world.url), openAdminConnection(world.url)]
    await insertLots(
      sql,
      Array.from({ length: 50 }, (_, n) => ({ ...DESK, slug: `desk-${n}` })),
    )
    const counts = await Promise.all([sql, ...others].map(each => matchChanges(each, { now: NOW })))
    expect(counts.reduce((sum, count) => sum + count)).toBe(50 * ids.length)
    const [stored] = await sql<{ matches: number }[]>`select count(*) as matches from alert_matches`
    expect(stored!.matches).toBe(50 * ids.length)
    await Promise.all(others.map(each => each.end()))
  })
})

describe('the last hours', () => {
  it('are told when they begin: those of the search, else 24', async () => {
    const day = await search({ kinds: ['ending'] })
    const hours = await search({ kinds: ['ending'], query: { closing_within_hours: 6 } })
    await listed({ ...DESK, ends_at: fromNow(30 * HOUR) })
    expect(await found(fromNow(5 * HOUR))).toEqual([])
    expect(await found(fromNow(6.1 * HOUR))).toEqual([day])
    expect(await found(fromNow(23 * HOUR))).toEqual([day])
    expect(await found(fromNow(24.1 * HOUR))).toEqual([day, hours])
    await sql`delete from alert_matches`
    expect(await found(fromNow(29 * HOUR))).toEqual([])
  })

  it('have begun of a lot that is listed in them, or whose end is moved into them, but not moved within them', async () => {
    await search({ kinds: ['ending'] })
    await insertLots(sql, [{ ...DESK, ends_at: fromNow(10 * HOUR) }])
    expect(await matched()).toEqual(['ending 2026-11-21T19:30:00Z'])
    const id = await listed({ ...DESK, slug: 'chair' })
    await sql`update lots set ends_at = ${fromNow(23 * HOUR)} where id = ${id}`
    expect(await matched()).toEqual(['ending 2026-11-22T08:30:00Z'])
    await sql`update lots set ends_at = ${fromNow(23.5 * HOUR)} where id = ${id}`
    expect(await matched()).toEqual([])
  })

  it('are told after a pause of all processes, unless the lot has ended', async () => {
    await search({ kinds: ['ending'] })
    await listed({ ...DESK, ends_at: fromNow(30 * HOUR) })
    await listed({ ...DESK, slug: 'ended', ends_at: fromNow(26 * HOUR) })
    expect(await matched(fromNow(29 * HOUR))).toEqual(['ending 2026-11-22T15:30:00Z'])
  })
})

describe('a saved search finds what the search shows', () => {
  it('so a lot that begins later is new when it begins', async () => {
    await search({ kinds: ['new'] })
    await insertLots(sql, [{ ...DESK, starts_at: fromNow(HOUR) }])
    expect(await matched()).toEqual([])
    expect(await matched(fromNow(HOUR - 1000))).toEqual([])
    expect(await matched(fromNow(HOUR + 20_000))).toEqual(['new'])
  })

  it('by its words, also of a lot that has ended', async () => {
    const desk = await search({ query: { q: 'desk' } })
    await search({ query: { q: 'chair' } })
    const id = await listed()
    await sql`update lots set is_open = false, outcome = 'withdrawn' where id = ${id}`
    expect(await found()).toEqual([desk])
  })

  it('and nothing where its parameters are no longer taken', async () => {
    await search({ query: { zip: '00000' } })
    await search({ query: { price_min: 5, price_max: 4 } })
    const good = await search({ query: { category: 'other' } })
    await insertLots(sql, [DESK])
    expect(await found()).toEqual([good])
  })
})

describe('a watched lot', () => {
  it('is told of whatever it costs and where it is, and no other lot', async () => {
    const [desk, other] = await insertLots(sql, [
      { ...DESK, starts_at: fromNow(HOUR) },
      { ...DESK, slug: 'other' },
    ])
    await search({ lot_id: desk! })
    await matched()
    await sql`update lots set starting_bid_cents = 5000 where id in (${desk!}, ${other!})`
    await sql`update lots set starting_bid_cents = 4000 where id in (${desk!}, ${other!})`
    expect(await matched(), 'before it begins, too').toEqual(['price_drop 4000/null'])
  })

  it('is told of its last hour only', async () => {
    const id = await listed({ ...DESK, ends_at: fromNow(30 * HOUR) })
    await search({ lot_id: id, kinds: ['ending'] })
    expect(await matched(fromNow(28.9 * HOUR))).toEqual([])
    expect(await matched(fromNow(29.1 * HOUR))).toEqual(['ending 2026-11-22T15:30:00Z'])
  })

  it('that closes on a day is told of at 9 AM of its source, an hour before it can close', async () => {
    const id = await listed({ ...DESK, source: 'gsa', ends_at: CENTRAL_DAY })
    await search({ lot_id: id, kinds: ['ending'] })
    expect(await matched(new Date('2026-11-24T14:59:00Z'))).toEqual([])
    expect(await matched(new Date('2026-11-24T15:01:00Z'))).toEqual(['ending 2026-11-25T05:59:59Z'])
  })
})

it('the last hours of a search are those before the earliest moment at which a lot can close', async () => {
  await search({ kinds: ['ending'], query: { closing_within_hours: 6 } })
  await listed({ ...DESK, source: 'gsa', ends_at: CENTRAL_DAY })
  expect(await matched(new Date('2026-11-24T09:59:00Z'))).toEqual([])
  expect(await matched(new Date('2026-11-24T10:01:00Z'))).toEqual(['ending 2026-11-25T05:59:59Z'])
})

describe('a search with a least score', () => {
  const setScore = (score: number | null) => sql`update lots set flip_score = ${score}`
  const saveBound = () => search({ query: { min_flip_score: 60 }, kinds: ['new'] })

  it('finds each lot whose score reaches it, without a bid and whatever the size of the step, once', async () => {
    const scored = await saveBound()
    const any = await search({ kinds: ['new'] })
    await insertLots(
      sql,
      Array.from({ length: 40 }, (_, n) => ({ ...DESK, slug: `desk-${n}` })),
    )
    expect(await found()).toEqual([any])
    await sql`delete from alert_matches`
    // 20 lots stay below.
    for (const moved of [0, 1, 2, 3])
      await sql`
      update lots
      set flip_score = 57 + ${moved}
      where slug in (select 'desk-' || n from generate_series(0, 19) as n)`
    await sql`update lots set flip_score = 59 where flip_score is null`
    expect(await found()).toEqual([scored])
    expect(await sql`select from alert_matches`).toHaveLength(20)
    for (const score of [40, 80, 60]) await setScore(score)
    await matchChanges(sql, { now: NOW })
    expect(await sql`select from alert_matches`, 'each lot once').toHaveLength(40)
  })

  it('is not told of a lot that it found before, nor of one whose score has fallen meanwhile', async () => {
    await listed()
    await setScore(70)
    await saveBound()
    await setScore(90)
    expect(await matched()).toEqual([])
    await setScore(50)
    await setScore(65)
    await setScore(50)
    expect(await matched()).toEqual([])
    await setScore(65)
    expect(await matched()).toEqual(['new'])
  })

  it('or a least value finds a lot whose value reaches it', async () => {
    const worth = await search({ query: { value_min: 500, min_flip_score: 10 }, kinds: ['new'] })
    await listed({ ...DESK, flip_score: 20, approximate_value_cents: 49_000 })
    expect(await found()).toEqual([])
    await sql`update lots set approximate_value_cents = 50000`
    expect(await found()).toEqual([worth])
  })

  it('is not told of a lot whose value is a guess from words, which has no score', async () => {
    await search({ query: { min_flip_score: 0 } })
    await listed()
    await sql`update lots set value_grade = 'words', approximate_value_cents = 64_000, flip_score = null`
    expect(await matched()).toEqual([])
  })

  it('is told again of a lot that is on offer again', async () => {
    await saveBound()
    const id = await listed({ ...DESK, flip_score: 80 })
    await sql`update lots set is_open = false, outcome = 'withdrawn' where id = ${id}`
    await sql`update lots set is_open = true, outcome = null where id = ${id}`
    expect(await matched()).toEqual(['new'])
  })
})

describe('the plan', () => {
  it('lets the oldest searches of an account match, as many as it includes', async () => {
    const four = await insertSearches(
      sql,
      Array.from({ length: 4 }, () => ({ account_id: account })),
    )
    await sql`update accounts set plan = 'free' where id = ${account}`
    await insertLots(sql, [DESK])
    expect(await found()).toEqual(four.slice(0, 3))
  })

  it('sends to each endpoint of the account where it is instant, whatever the cadence of mails, else to none', async () => {
    const endpoints = [await insertEndpoint(sql, account), await insertEndpoint(sql, account)]
    const elsewhere = await insertEndpoint(sql, await world.makeAccount())
    const both = await search({
      cadence: 'instant',
      kinds: ['new'],
      endpoint_ids: [...endpoints, elsewhere],
    })
    const daily = await search({ kinds: ['new'], endpoint_ids: [endpoints[0]!] })
    await insertLots(sql, [DESK])
    await matchChanges(sql, { now: NOW })
    expect(await deliveries()).toEqual([
      { search_id: both, endpoint_id: endpoints[0] },
      { search_id: both, endpoint_id: endpoints[1] },
      { search_id: daily, endpoint_id: endpoints[0] },
    ])
    await sql`update accounts set plan = 'pro' where id = ${account}`
    await insertLots(sql, [{ ...DESK, slug: 'later' }])
    expect(await found()).toEqual([both, daily])
    expect(await deliveries()).toHaveLength(3)
  })

  it('lets no more endpoints receive than it includes, and no disabled one', async () => {
    const endpoints: number[] = []
    for (let n = 0; n < 7; n++) endpoints.push(await insertEndpoint(sql, account))
    await search({ kinds: ['new'], endpoint_ids: endpoints })
    await sql`update accounts set plan = 'pro_plus' where id = ${account}`
    await sql`update alert_endpoints set disabled_at = ${NOW} where id = ${endpoints[1]!}`
    await insertLots(sql, [DESK])
    await matchChanges(sql, { now: NOW })
    const expected = [0, 2, 3, 4].map(n => endpoints[n])
    expect((await deliveries()).map(({ endpoint_id }) => endpoint_id)).toEqual(expected)
  })

  it('leaves a paused search alone', async () => {
    const id = await search({ is_paused: true })
    await insertLots(sql, [DESK])
    expect(await found()).toEqual([])
    await sql`update saved_searches set is_paused = false where id = ${id}`
    expect(await found(), 'nor does it catch up').toEqual([])
  })
})

function deliveries() {
  return sql<{ search_id: number; endpoint_id: number }[]>`
    select search_id, endpoint_id
    from alert_deliveries
    where search_id is not null
    and kind = 'match'
    order by search_id, endpoint_id`
}

/** To delete thousands of lots with their matches takes longer than all tests here. */
async function removeAtOnce(): Promise<void> {
  await world.empty()
  await sql`truncate lots cascade`
}

describe('the matches of a tick', () => {
  afterAll(removeAtOnce)
  const many = (lots: number): LotDraft[] =>
    Array.from({ length: lots }, (_, n) => ({
      slug: `one-of-many-${n}`,
      ends_at: fromNow(3 * DAY),
    }))

  const rowsOf = async (ids: number[]) =>
    sql<{ rows: number; others: number }[]>`
      select count(m.*) as rows, coalesce(sum(m.others), 0) as others
      from unnest(${ids}::bigint[]) with ordinality as s (id, n)
      left join alert_matches m on m.search_id = s.id
      group by n
      order by n`

  it('are at most 50 of a search, with the number of the other lots, however many lots change', async () => {
    const broad = await insertSearches(
      sql,
      Array.from({ length: 20 }, () => ({
        account_id: account,
        kinds: ['new', 'ending'] as const,
      })) as never,
    )
    await insertLots(sql, many(1_300))
    await matchChanges(sql, { now: NOW })
    expect(await rowsOf(broad)).toEqual(broad.map(() => ({ rows: 50, others: 1_250 })))
    // Later, the last hours of all begin at once.
    await matchChanges(sql, { now: fromNow(3 * DAY - HOUR) })
    expect(await rowsOf(broad)).toEqual(broad.map(() => ({ rows: 100, others: 2_500 })))
  })

  it('are all of a search with a webhook, whose receiver gets each', async () => {
    const endpoint = await insertEndpoint(sql, account)
    const told = await search({ endpoint_ids: [endpoint] })
    await insertLots(sql, many(120))
    await matchChanges(sql, { now: NOW })
    expect(await rowsOf([told])).toEqual([{ rows: 120, others: 0 }])
  })
})

describe('lots that come due by the clock after a long outage', () => {
  afterAll(removeAtOnce)
  const LOTS = 2_300
  const rows = () => sql<{ n: number; lots: number; sent: number }[]>`
    select count(*) as n, count(distinct lot_id) as lots, (select count(*) from alert_deliveries where match_id is not null) as sent
    from alert_matches`

  it('are matched in batches, each once, also after a process that died between two', async () => {
    const endpoint = await insertEndpoint(sql, account)
    await search({ kinds: ['ending'], cadence: 'instant', endpoint_ids: [endpoint] })
    await insertLots(
      sql,
      Array.from({ length: LOTS }, (_, n) => ({
        ...DESK,
        slug: `due-${n}`,
        ends_at: fromNow(DAY + HOUR + n),
      })),
    )
    await matchChanges(sql, { now: NOW })
    const largest: number[] = []
    let isCut = true
    const watched = new Proxy(sql, {
      apply(target, self, parts) {
        const text = String(parts[0])
        if (text.includes('update alert_progress')) {
          const most = parts
            .slice(1)
            .map((part: unknown) => (typeof part === 'string' ? part.split(',').length : 0))
          largest.push(Math.max(...most))
          if (isCut && largest.length === 2) throw new Error('the process died')
        }
        return Reflect.apply(target as never, self, parts)
      },
    }) as Sql
    const now = fromNow(3 * HOUR)
    await expect(matchChanges(watched, { now })).rejects.toThrow('the process died')
    expect(await rows()).toEqual([{ n: 1_000, lots: 1_000, sent: 1_000 }])
    isCut = false
    await matchChanges(watched, { now })
    expect(await rows()).toEqual([{ n: LOTS, lots: LOTS, sent: LOTS }])
    expect(Math.max(...largest)).toBeLessThanOrEqual(1_000)
    await matchChanges(sql, { now: fromNow(4 * HOUR) })
    expect(await rows()).toEqual([{ n: LOTS, lots: LOTS, sent: LOTS }])
  })
})

it('the matches of a search go with it, and with its account', async () => {
  const gone = [await search(), await search()]
  const other = await world.makeAccount()
  const [kept, last] = await insertSearches(sql, [{ account_id: account }, { account_id: other }])
  await insertLots(sql, [DESK])
  await matchChanges(sql, { now: NOW })
  const left = async () =>
    (await sql`select distinct search_id from alert_matches order by 1`).map(
      ({ search_id }) => search_id,
    )
  expect(await left()).toEqual([...gone, kept, last])
  await sql`delete from saved_searches where id = any(${gone})`
  expect(await left()).toEqual([kept, last])
  await sql`delete from accounts where id = ${other}`
  expect(await left()).toEqual([kept])
})
