import { beforeAll, describe, expect, it } from 'vitest'
import type { Schemas } from '../../src/contract/types.ts'
import { DAY, fromNow, HOUR, insertLots, MINUTE, NOW } from '../support/lots/fixtures.ts'
import { observeAt } from '../support/lots/observations.ts'
import { itRefusesParameters } from '../support/operations/parameters.ts'
import { refusalOf, serviceFor } from '../support/service/start.ts'

const pathOf = (idOrSlug: string) => `/api/v1/listings/${idOrSlug}/bids`

describe('listBids', () => {
  const api = serviceFor({ now: NOW, opensSeenPages: true })
  let truck: string

  beforeAll(async () => {
    await observeAt(api.sql, fromNow(-DAY))
    const ids = await insertLots(api.sql, [
      { slug: 'truck', ends_at: fromNow(HOUR) },
      { slug: 'van', source: 'govdeals', current_bid_cents: 700, num_bids: 1 },
      {
        slug: 'bygone',
        is_open: false,
        ends_at: fromNow(-DAY),
        outcome: 'sold',
        final_bid_cents: 100,
      },
    ])
    truck = ids[0]!
    await seen(fromNow(-5 * HOUR), { current_bid_cents: 355_000, num_bids: 9 })
    await seen(fromNow(-4 * HOUR), { current_bid_cents: 355_000, num_bids: 9 })
    await seen(fromNow(-3 * HOUR), { ends_at: fromNow(2 * HOUR), title: 'Truck, again' })
    await seen(fromNow(-2 * HOUR), {
      current_bid_cents: 412_500,
      num_bids: 9,
      ends_at: fromNow(3 * HOUR),
    })
    await seen(fromNow(-HOUR), { current_bid_cents: 300_000, num_bids: 8 })
  })

  /** The truck as a sweep sees it. */
  async function seen(moment: Date, facts: Record<string, unknown>): Promise<void> {
    await observeAt(api.sql, moment)
    await api.sql`update lots set ${api.sql(facts)} where id = ${truck}`
  }

  const read = (idOrSlug: string): Promise<Schemas['BidList']> => api.read(pathOf(idOrSlug))

  const point = (
    observed_at: string,
    current_bid_cents: number | null,
    num_bids: number,
    fell = false,
  ) => ({
    observed_at,
    current_bid_cents,
    num_bids,
    fell,
  })

  it('200 with a point for each observation at which the bid or the number of bids differed, oldest first', async () => {
    const expected = {
      data: [
        point('2026-11-20T09:30:00Z', null, 0),
        point('2026-11-21T04:30:00Z', 355_000, 9),
        point('2026-11-21T07:30:00Z', 412_500, 9),
        point('2026-11-21T08:30:00Z', 300_000, 8, true),
      ],
      basis: 'observed',
      next_observation_at: null,
    }
    expect(await read('truck')).toEqual(expected)
    expect(await read(truck), 'by its id').toEqual(expected)
  })

  it('200 without points for a lot that was first seen after its end', async () => {
    expect(await read('bygone')).toEqual({ data: [], basis: 'observed', next_observation_at: null })
  })

  it('200 with the newest 5,000 points of a lot with more', async () => {
    const [busy] = await insertLots(api.sql, [{ slug: 'busy' }])
    await api.sql`
      insert into lot_changes
      select 1000000 + n, ${busy!}, ${NOW}, 'bid', n, n, ${NOW}, false
      from generate_series(1, 5001) as n`
    const { data } = await read('busy')
    expect([data.length, data[0]?.num_bids, data.at(-1)?.num_bids]).toEqual([5_000, 2, 5_001])
    expect(data[0]?.fell, 'compared with the point that is not sent').toBe(false)
    await api.sql`delete from lot_changes where lot_id = ${busy!}`
  })

  it('200 with the moment of the next observation as the sweeps are planned, at once', async () => {
    const planned = async (source: string, next_due_at: Date) => {
      await api.sql`
        insert into sweeps ${api.sql({ source, next_due_at })}
        on conflict (source) do update set next_due_at = excluded.next_due_at`
    }
    await planned('gsa', fromNow(15 * MINUTE))
    await planned('govdeals', fromNow(-9 * MINUTE))
    expect((await read('truck')).next_observation_at).toBe('2026-11-21T09:45:00Z')
    expect((await read('van')).next_observation_at, 'a sweep that is late').toBe(
      '2026-11-21T09:30:20Z',
    )
    expect((await read('bygone')).next_observation_at, 'after the end').toBeNull()
    await planned('gsa', fromNow(MINUTE))
    await planned('govdeals', fromNow(-11 * MINUTE))
    expect((await read('truck')).next_observation_at).toBe('2026-11-21T09:31:00Z')
    expect((await read('van')).next_observation_at, 'a sweeper that has stopped').toBeNull()
    api.clock.now = fromNow(4 * HOUR)
    await planned('gsa', fromNow(5 * HOUR))
    expect((await read('truck')).next_observation_at, 'ended by the clock').toBeNull()
    await api.sql`delete from sweeps`
  })

  it('200 with a new bid as soon as it is stored', async () => {
    const before = (await read('van')).data
    await observeAt(api.sql, NOW)
    await api.sql`update lots set current_bid_cents = 800, num_bids = 2 where slug = 'van'`
    expect((await read('van')).data).toEqual([...before, point('2026-11-21T09:30:00Z', 800, 2)])
  })

  it('200 with a bid that the source took away, as one that fell', async () => {
    const [id] = await insertLots(api.sql, [
      { slug: 'taken-away', current_bid_cents: 700, num_bids: 1 },
    ])
    await observeAt(api.sql, fromNow(MINUTE))
    await api.sql`update lots set current_bid_cents = null, num_bids = 0 where id = ${id!}`
    const { data } = await read('taken-away')
    expect(data.map(({ current_bid_cents, fell }) => [current_bid_cents, fell])).toEqual([
      [700, false],
      [null, true],
    ])
  })

  it('200 for the listing itself without reading the log', async () => {
    await api.sql`alter table lot_changes rename to lot_changes_away`
    const { status } = await api.get('/api/v1/listings/truck')
    await api.sql`alter table lot_changes_away rename to lot_changes`
    expect(status).toBe(200)
  })

  itRefusesParameters(api, pathOf('truck'), { cursor: ['cursor=1'] })

  it.each([
    'no-such-lot',
    '00000000-0000-3000-8000-000000000000',
    'TRUCK',
    '%00',
    "x'%20or%20'1'='1",
  ])('404 not_found for the bids of %s', async id => {
    expect(refusalOf(await api.get(pathOf(id)))).toContain('404 not_found:')
  })
})
