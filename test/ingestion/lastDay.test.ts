import { describe, expect, it } from 'vitest'
import sources from '../../data/sources.json' with { type: 'json' }
import { changesOf } from '../support/ingestion/changeLog.ts'
import { type FeedCells, ingestionFor, liveRow, liveRows } from '../support/ingestion/ingestion.ts'

const SEEN = new Date('2026-11-20T18:00:00Z')
/** The last second of 24 November, US Central. */
const LAST_SECOND = new Date('2026-11-25T05:59:59Z')
const DAY = { end_date: '2026-11-24' }

const ingestion = ingestionFor('each test')

/** Loads a file with the lot called `one` and another, and then one that lacks it. */
async function goneAt(moment: string, changes: FeedCells = DAY) {
  const source = changes.source ?? 'gsa'
  await ingestion.load([liveRow('one', changes), lastingRow('other', source)], { now: SEEN })
  return without(moment, source)
}

const lastingRow = (id: string, source: unknown) => liveRow(id, { source, end_date: '2026-12-20' })

async function without(moment: string, source: unknown = 'gsa') {
  return ingestion.load([lastingRow('other', source), lastingRow('another', source)], {
    now: new Date(moment),
  })
}

async function lot(moment: string) {
  const [found] = await ingestion.sql`
    select lot_status(outcome, starts_at, ends_at, ${moment}) as status, is_open, ends_at, final_bid_cents, price_basis, sold_at
    from lots
    where source_id = 'one'`
  return found
}

const NO_SALE = { final_bid_cents: null, price_basis: null, sold_at: null }

describe('a lot of which only the day of its end is known', () => {
  it.each(['2026-11-24T16:00:00Z', '2026-11-24T22:15:00Z', '2026-11-25T05:59:58Z'])(
    'has ended when it is gone at %s, in the bidding hours of that day',
    async moment => {
      expect(await goneAt(moment)).toMatchObject({ lots_withdrawn: 0, lots_settled: 1 })
      const end = new Date(moment)
      const price = { final_bid_cents: 12_500, price_basis: 'last_observed', sold_at: end }
      expect(await lot(moment)).toEqual({ status: 'ended', is_open: false, ends_at: end, ...price })
      expect(
        (await changesOf(ingestion.sql, 'one')).map(({ kind, ends_at }) => [kind, ends_at]),
      ).toEqual([
        ['listed', LAST_SECOND],
        ['ended', end],
      ])
    },
  )

  it.each([
    ['before 10:00 of that day', '2026-11-24T15:59:59Z', DAY],
    ['the day before', '2026-11-23T20:00:00Z', DAY],
    ['when its end is exact', '2026-11-24T20:00:00Z', { end_date: '2026-11-24T23:59:58-06:00' }],
    ['when it has no end', '2026-11-24T20:00:00Z', { end_date: null }],
    ['when its source has no time zone', '2026-11-24T20:00:00Z', { ...DAY, source: 'irs' }],
    [
      'when the zone of its source is none',
      '2026-11-24T20:00:00Z',
      { ...DAY, source: 'gsa-fleet' },
    ],
  ])('is withdrawn when it is gone %s', async (_when, moment, changes) => {
    expect(await goneAt(moment, changes)).toMatchObject({ lots_withdrawn: 1, lots_settled: 0 })
    expect(await lot(moment)).toMatchObject({ status: 'withdrawn', is_open: false, ...NO_SALE })
    expect((await changesOf(ingestion.sql, 'one')).map(({ kind }) => kind)).toEqual([
      'listed',
      'withdrawn',
    ])
  })

  it.each([
    ['2026-11-02T14:59:59Z', 'mibid', '2026-11-02', 'withdrawn'],
    ['2026-11-02T15:00:00Z', 'mibid', '2026-11-02', 'ended'],
    ['2026-07-02T14:00:00Z', 'mibid', '2026-07-02', 'ended'],
    ['2026-11-01T15:59:59Z', 'gsa', '2026-11-01', 'withdrawn'],
    ['2026-11-01T16:00:00Z', 'gsa', '2026-11-01', 'ended'],
  ])(
    'that is gone at %s from %s on %s is %s, by the clocks of its source',
    async (moment, source, end_date, status) => {
      const seen = { now: new Date(Date.parse(moment) - 86_400_000) }
      await ingestion.load(
        [liveRow('one', { source, end_date }), liveRow('other', { source })],
        seen,
      )
      await without(moment, source)
      expect(await lot(moment)).toMatchObject({ status })
    },
  )

  it('is on offer again with the end of its source when it comes back, and ends again', async () => {
    await goneAt('2026-11-24T18:00:00Z')
    const back = { now: new Date('2026-11-24T18:15:00Z') }
    await ingestion.load([liveRow('one', DAY), lastingRow('other', 'gsa')], back)
    const live = { status: 'live', is_open: true, ends_at: LAST_SECOND, ...NO_SALE }
    expect(await lot('2026-11-24T18:15:00Z')).toEqual(live)
    await without('2026-11-24T18:30:00Z')
    const changes = await changesOf(ingestion.sql, 'one')
    expect(changes.map(({ kind, ends_at }) => [kind, ends_at])).toEqual([
      ['listed', LAST_SECOND],
      ['ended', new Date('2026-11-24T18:00:00Z')],
      ['reopened', LAST_SECOND],
      ['ended', new Date('2026-11-24T18:30:00Z')],
    ])
  })

  it('counts among the sales that the index does not have yet', async () => {
    const file = [liveRow('one', DAY), liveRow('other', { end_date: '2026-12-20' })]
    await ingestion.load([liveRow('old', { end_date: '2026-11-19' })], {
      now: SEEN,
      partial: true,
      scoreLater: false,
    })
    await ingestion.load(file, { now: SEEN, scoreLater: false })
    const changed = () => ingestion.sql`select sales_changed from sales_indexes`
    expect(await changed()).toEqual([{ sales_changed: 0 }])
    await ingestion.load(file.slice(1), { now: new Date('2026-11-24T18:00:00Z') })
    expect(await changed()).toEqual([{ sales_changed: 1 }])
  })

  it('stays the duplicate of the same lot elsewhere', async () => {
    const same = { ...DAY, title: 'Steel desk, oak', state: 'TX', zip: '78701' }
    await ingestion.load([liveRow('there', { ...same, source: 'ibid' })], { now: SEEN })
    await goneAt('2026-11-24T18:00:00Z', same)
    const [found] =
      await ingestion.sql`select count(*) as pairs from lots where duplicate_of is not null`
    expect(found!.pairs).toBe(1)
  })

  it('is stored again by its outcome', async () => {
    await goneAt('2026-11-24T18:00:00Z')
    const outcome = { ...DAY, outcome: 'sold', final_bid_cents: 20_000, price_basis: 'awarded' }
    await ingestion.load([liveRow('one', outcome)], {
      now: new Date('2026-11-27T18:00:00Z'),
      partial: true,
    })
    const sold = { status: 'sold', final_bid_cents: 20_000, ends_at: LAST_SECOND }
    expect(await lot('2026-11-27T18:00:00Z')).toMatchObject(sold)
  })
})

describe('the size of a file', () => {
  const lasting = liveRows(4, { end_date: '2026-12-20' })
  const closing = Array.from({ length: 6 }, (_, n) => liveRow(`closing-${n}`, DAY))
  const load = (rows: FeedCells[], moment: string) =>
    ingestion.load(rows, { now: new Date(moment) })

  it('may shrink in the bidding hours of a day by the lots that end on it, once', async () => {
    await load([...lasting, ...closing], '2026-11-20T18:00:00Z')
    expect(await load(lasting, '2026-11-24T15:59:59Z')).toMatchObject({ state: 'refused' })
    const closed = await load(lasting, '2026-11-24T18:00:00Z')
    expect(closed).toMatchObject({ state: 'done', lots_withdrawn: 0, lots_settled: 6 })
    const reason = expect.stringContaining('1 live rows of gsa; its last good load had 4.')
    for (const moment of ['2026-11-24T18:15:00Z', '2026-11-25T18:00:00Z'])
      expect(await load(lasting.slice(0, 1), moment)).toMatchObject({ state: 'refused', reason })
    const half = await load(lasting.slice(0, 2), '2026-11-25T18:00:00Z')
    expect(half).toMatchObject({ state: 'done', lots_withdrawn: 2 })
  })

  it('is still compared with what does not end on that day', async () => {
    await load([...lasting, ...closing], '2026-11-20T18:00:00Z')
    const broken = [...lasting.slice(0, 1), ...closing.slice(0, 1)]
    const reason = expect.stringContaining('had 10, 6 of which have ended since.')
    expect(await load(broken.slice(0, 1), '2026-11-24T18:00:00Z')).toMatchObject({
      state: 'refused',
      reason,
    })
    expect(await load(broken, '2026-11-24T18:00:00Z')).toMatchObject({ state: 'refused' })
  })
})

it('knows in PostgreSQL every zone that a tracked source names', async () => {
  const zones = sources.map(({ tz }) => tz).filter(tz => tz?.includes('/'))
  expect(zones.length).toBeGreaterThan(0)
  const known =
    await ingestion.sql`select name from pg_timezone_names where name = any(${zones as string[]})`
  expect(new Set(known.map(({ name }) => name))).toEqual(new Set(zones))
})
