import { beforeAll, describe, expect, it } from 'vitest'
import type { Schemas } from '../../src/contract/types.ts'
import { insertAccount, insertSearches } from '../support/alerts/savedSearches.ts'
import { linksOf } from '../support/contract/links.ts'
import { DAY, fromNow, HOUR, insertLots, MINUTE, NOW } from '../support/lots/fixtures.ts'
import { observeAt } from '../support/lots/observations.ts'
import { itUsesItsParameters } from '../support/operations/parameterPairs.ts'
import { itRefusesParameters } from '../support/operations/parameters.ts'
import { serviceFor } from '../support/service/start.ts'

const PATH = '/api/v1/changes'

describe('listChanges', () => {
  const api = serviceFor({ now: NOW, opensSeenPages: true })
  /** The cursor of each step of the story, which stands before its changes. */
  const at: Record<string, string> = {}

  beforeAll(async () => {
    await observeAt(api.sql, fromNow(-DAY))
    await insertLots(api.sql, [
      { slug: 'truck', category: 'vehicles', state: 'IL', current_bid_cents: 355_000, num_bids: 9 },
    ])
    await insertLots(api.sql, [
      {
        slug: 'van',
        category: 'vehicles',
        state: 'TX',
        source: 'govdeals',
        ends_at: fromNow(MINUTE),
      },
      { slug: 'bygone', is_open: false, ends_at: fromNow(-DAY) },
    ])
    at.bid = await latest()
    await observeAt(api.sql, fromNow(-HOUR))
    await api.sql`
      update lots
      set current_bid_cents = 412500, num_bids = 11, ends_at = ${fromNow(3 * HOUR)}
      where slug = 'truck'`
    at.ended = await latest()
    await observeAt(api.sql, NOW)
    await api.sql`update lots set is_open = false where slug = 'van'`
    at.end = await latest()
  })

  const read = (query = ''): Promise<Schemas['ChangePage']> => api.read(`${PATH}?${query}`)

  const latest = async () => (await read('cursor=latest')).next_cursor

  const numbered = (number: number) => expect.stringMatching(`^${number}-[0-9a-f]{8}$`)

  const told = ({ data }: Schemas['ChangePage']) =>
    data.map(({ kind, listing }) => `${kind} ${listing.bidprowl_url.split('/').at(-1)}`)

  const STORY = ['listed truck', 'listed van', 'bid truck', 'end_moved truck', 'ended van']

  it('200 with every change, oldest first, an observation of several things once for each', async () => {
    const page = await read()
    expect(told(page)).toEqual(STORY)
    expect(page).toMatchObject({ next_cursor: at.end, more: false })
  })

  it('200 with what was seen of a change, and its lot as it is now', async () => {
    const page = await read(`cursor=${at.bid}&per_page=1`)
    const { body } = await api.get('/api/v1/listings/truck')
    const {
      description: _,
      auction: __,
      publisher_changed_at: ___,
      earlier_listings: ____,
      ...listing
    } = body.data
    expect(page.data).toEqual([
      {
        kind: 'bid',
        observed_at: '2026-11-21T08:30:00Z',
        current_bid_cents: 412_500,
        num_bids: 11,
        end_date: '2026-11-21T12:30:00Z',
        fell: false,
        listing,
      },
    ])
    expect((await read('per_page=1')).data[0]).toMatchObject({
      current_bid_cents: 355_000,
      listing: { current_bid_cents: 412_500 },
    })
  })

  it.each([1, 2, 3, 5])(
    '200 page by page of %d: each change once, the next address in Link',
    async per_page => {
      const seen: string[] = []
      let address: string | undefined = `${PATH}?per_page=${per_page}`
      while (address) {
        const response = await api.get(address)
        const page: Schemas['ChangePage'] = response.body
        seen.push(...told(page))
        const { next } = linksOf(response)
        expect(next).toBe(
          page.more
            ? `http://surplus.test${PATH}?per_page=${per_page}&cursor=${page.next_cursor}`
            : undefined,
        )
        address = next?.replace('http://surplus.test', '')
      }
      expect(seen).toEqual(STORY)
    },
  )

  it.each<[string, string[]]>([
    ['kind=bid', ['bid truck']],
    ['kind=sold', []],
    ['source=govdeals', ['listed van', 'ended van']],
    ['source=nowhere', []],
    ['category=vehicles&state=il', ['listed truck', 'bid truck', 'end_moved truck']],
    ['category=other', []],
    ['state=ZZ', []],
    ['kind=listed&state=TX', ['listed van']],
  ])('200 with the changes of ?%s', async (query, expected) => {
    const page = await read(query)
    expect(told(page)).toEqual(expected)
    expect(page).toMatchObject({ next_cursor: at.end, more: false })
    expect((await read(`${query}&cursor=${at.ended}`)).data.length, 'after a cursor').toBe(
      expected.filter(words => words === 'ended van').length,
    )
  })

  itUsesItsParameters(
    'listChanges',
    () => ({
      cursor: ['', `cursor=${at.bid}`],
      source: ['', 'source=govdeals'],
      kind: ['', 'kind=bid'],
      category: ['', 'category=other'],
      state: ['', 'state=IL'],
      per_page: ['', 'per_page=2'],
    }),
    async query => told(await read(query)),
  )

  it('200 with nothing and the same cursor at the end, and with what comes later', async () => {
    expect(await read(`cursor=${at.end}`)).toEqual({ data: [], next_cursor: at.end, more: false })
    expect(await latest()).toBe(at.end)
    await api.sql`update lots set buy_now_cents = 5 where slug = 'truck'`
    const after = await read(`cursor=${at.end}`)
    expect(told(after)).toEqual(['price truck'])
    expect(parseInt(after.next_cursor, 10)).toBe(parseInt(at.end!, 10) + 1)
    STORY.push('price truck')
    at.end = after.next_cursor
  })

  it('200 with lots that are live by the clock, also when the answer is repeated', async () => {
    await insertLots(api.sql, [{ slug: 'short', ends_at: fromNow(2 * MINUTE) }])
    const query = `cursor=${at.end}`
    expect((await read(query)).data[0]?.listing.status).toBe('live')
    api.clock.now = fromNow(2 * MINUTE)
    expect((await read(query)).data[0]?.listing.status).toBe('ended')
    at.end = await latest()
    STORY.push('listed short')
  })

  it('200 after looking at 10,000 changes, with the cursor to go on', async () => {
    const [{ id, last }] = await api.sql<[{ id: string; last: number }]>`
      select id, last_change as last from lots, data_version where slug = 'truck'`
    await api.sql.begin(async sql => {
      await sql`
        insert into lot_changes
        select ${last} + n, ${id}, ${NOW}, 'details', null, 0, ${NOW}, false
        from generate_series(1, 10001) as n`
      await sql`update data_version set last_change = last_change + 10001, version = version + 1`
    })
    const first = await read(`cursor=${at.end}&kind=bid`)
    expect(first).toEqual({ data: [], next_cursor: numbered(last + 10_000), more: true })
    const second = await read(`cursor=${first.next_cursor}&kind=details`)
    expect(told(second)).toEqual(['details truck'])
    expect(second).toMatchObject({ next_cursor: numbered(last + 10_001), more: false })
    expect((await read(`cursor=${at.end}&kind=details&per_page=500`)).data).toHaveLength(500)
    expect((await read(`cursor=${at.end}&source=govdeals`)).next_cursor).toBe(first.next_cursor)
  })

  it('200 with a lot that leaves a filter, there once more', async () => {
    const before = await latest()
    await api.sql`update lots set category = 'other', state = 'WI' where slug = 'truck'`
    await api.sql`update lots set title = 'Truck' where slug = 'truck'`
    const found = async (query: string) => told(await read(`cursor=${before}&${query}`))
    expect(await found('category=vehicles')).toEqual(['details truck'])
    expect(await found('category=vehicles&state=IL&source=gsa&kind=details')).toEqual([
      'details truck',
    ])
    expect(await found('state=IL')).toEqual(['details truck'])
    for (const elsewhere of ['category=vehicles&state=TX', 'category=vehicles&source=govdeals'])
      expect(await found(elsewhere)).toEqual([])
    expect(await found('category=other&state=WI')).toEqual(['details truck', 'details truck'])
    await api.sql`update lots set category = 'vehicles', state = 'IL' where slug = 'truck'`
  })

  it('200 with a score that moved 5 points since it was last reported, or crossed the bound of a saved search', async () => {
    const before = await latest()
    for (const score of [40, 44, 36, 41, 45, null, 45])
      await api.sql`update lots set flip_score = ${score} where slug = 'truck'`
    const scores = async () => told(await read(`cursor=${before}&kind=score`)).length
    // 40, 45, null and 45: the others moved less.
    expect(await scores()).toBe(4)
    const account = await insertAccount(api.sql)
    const [id] = await insertSearches(api.sql, [
      { account_id: account, query: { min_flip_score: 47 } },
    ])
    await api.sql`update lots set flip_score = 46 where slug = 'truck'`
    expect(await scores()).toBe(4)
    await api.sql`update lots set flip_score = 47 where slug = 'truck'`
    expect(await scores()).toBe(5)
    await api.sql`update saved_searches set is_paused = true where id = ${id!}`
    await api.sql`update lots set flip_score = 46 where slug = 'truck'`
    expect(await scores()).toBe(5)
  })

  it('200 with a value that came, moved by 20%, crossed the bound of a saved search or has another grade', async () => {
    const before = await latest()
    const account = await insertAccount(api.sql)
    await insertSearches(api.sql, [{ account_id: account, query: { value_min: 13.5 } }])
    const changes: number[] = []
    for (const value of [1000, 1100, 1200, 1300, 1400, 1410, null]) {
      const grade = value && (value > 1400 ? 'comparables' : 'few')
      await api.sql`update lots set approximate_value_cents = ${value}, value_grade = ${grade} where slug = 'truck'`
      changes.push(told(await read(`cursor=${before}&kind=score`)).length)
    }
    expect(changes).toEqual([1, 1, 2, 2, 3, 4, 5])
  })

  it('400 for a cursor that no answer gave, with the way to begin again', async () => {
    for (const number of [parseInt(await latest(), 10) + 1, '999999999999999999'])
      await expectRefusal(`${number}-01234567`, 'no answer has given')
    await expectRefusal('2', 'is no longer kept or was replaced')
  })

  it('400 for a cursor from before a restored backup, once other changes have its number', async () => {
    const kept = await latest()
    await api.sql`update lots set buy_now_cents = 6 where slug = 'truck'`
    const lost = await latest()
    await api.sql`delete from lot_changes where seq = ${parseInt(lost, 10)}`
    await api.sql`update data_version set last_change = ${parseInt(kept, 10)}, version = version + 1`
    await expectRefusal(lost, 'no answer has given')
    await observeAt(api.sql, fromNow(HOUR))
    await api.sql`update lots set num_bids = 12 where slug = 'truck'`
    await expectRefusal(lost, 'is no longer kept or was replaced')
    expect(told(await read(`cursor=${kept}`))).toEqual(['bid truck'])
  })

  it('400 for a cursor older than the changes that are kept; without one, the oldest that is kept comes first', async () => {
    const third = (await read('per_page=3')).next_cursor
    await api.sql`delete from lot_changes where seq <= 2`
    await api.sql`update data_version set version = version + 1`
    for (const cursor of ['0', at.bid!]) await expectRefusal(cursor, 'no longer kept')
    expect(told(await read(`cursor=${third}&per_page=1`))).toEqual(['end_moved truck'])
    expect(told(await read('per_page=1'))).toEqual(['bid truck'])
    await api.sql`delete from lot_changes`
    await api.sql`update data_version set version = version + 1`
    await expectRefusal(third, 'no longer kept')
    const empty = await read()
    expect(empty).toEqual({ data: [], next_cursor: await latest(), more: false })
    expect(await read(`cursor=${empty.next_cursor}`)).toEqual(empty)
  })

  async function expectRefusal(cursor: string, reason: string) {
    const { status, body } = await api.get(`${PATH}?cursor=${cursor}`)
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(body.error).toContain(reason)
    expect(body.error).toContain('Resync: call with cursor=latest, save next_cursor')
  }

  const cursors = ['', '-1', '1.0', 'Latest', '1000000000000000000', "1'", '1-', '1-g0000000'].map(
    sent => `cursor=${sent}`,
  )
  itRefusesParameters(
    api,
    PATH,
    { cursor: cursors },
    () => /^"cursor" must be written like \d+-[0-9a-f]{8} or latest\./,
  )
  itRefusesParameters(api, PATH, {
    kind: ['kind=bids'],
    category: ['category=cars'],
    state: ['state=ILL'],
    per_page: ['per_page=0', 'per_page=501'],
    page: ['page=1'],
  })
})
