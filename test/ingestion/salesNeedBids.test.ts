import { describe, expect, it } from 'vitest'
import { OPEN_DATA_COLUMNS } from '../../src/domain/feeds/openDataRow.ts'
import { closeEndedLots } from '../../src/infra/ingestion/closings.ts'
import { clock } from '../../src/infra/postgres/clock.ts'
import { findListings } from '../../src/infra/search/listings.ts'
import { filterOf, withDefaults } from '../../src/usecases/searchLots.ts'
import { changesOf } from '../support/ingestion/changeLog.ts'
import {
  csv,
  type FeedCells,
  hoursFromNow,
  ingestionFor,
  liveRow,
  ndjson,
} from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'
import { gsaLot } from '../support/standIns/gsaLots.ts'
import { gsaStandInFor } from '../support/standIns/gsaStandIn.ts'
import { addFeed, csvFile } from '../support/standIns/newFeeds.ts'
import { standInFor } from '../support/standIns/standIn.ts'
import { sweep } from '../support/standIns/sweeping.ts'

const ingestion = ingestionFor('each test')
const later = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000)

async function lot(sourceId: string) {
  const [found] = await ingestion.sql`
    select
      lot_status(outcome, starts_at, ends_at, ${NOW}) as status, current_bid_cents, starting_bid_cents, num_bids, bids_known,
      reserve_met, final_bid_cents, rfc3339(ends_at) as ends
    from lots
    where source_id = ${sourceId}`
  return found
}

/** The ids of the lots that were sold. */
async function sold(): Promise<string[]> {
  const found = await ingestion.sql<{ id: string }[]>`
    select source_id as id
    from lots
    where sold_at is not null or final_bid_cents is not null
    order by source_id`
  return found.map(({ id }) => id)
}

/** What a source can say of the bids on a lot, in cents. */
interface Said {
  num_bids: number | null
  current_bid_cents: number | null
  starting_bid_cents: number | null
  reserve_met: boolean | null
  outcome: string | null
}

const NUMBERS = [null, 0, 1, 4]
const AMOUNTS = [null, 0, 5_000]

const EVERYTHING: Said[] = NUMBERS.flatMap(num_bids =>
  AMOUNTS.flatMap(current_bid_cents =>
    [null, 4_000, 5_000, 9_000].flatMap(starting_bid_cents =>
      [null, true, false].flatMap(reserve_met =>
        [null, 'sold', 'unsold', 'withdrawn'].map(outcome => ({
          num_bids,
          current_bid_cents,
          starting_bid_cents,
          reserve_met,
          outcome,
        })),
      ),
    ),
  ),
)

function isSale({
  num_bids,
  current_bid_cents,
  starting_bid_cents,
  reserve_met,
  outcome,
}: Said): boolean {
  if (num_bids === 0 || reserve_met === false || outcome === 'unsold' || outcome === 'withdrawn')
    return false
  if (outcome === 'sold' || num_bids !== null) return current_bid_cents === 5_000
  return (current_bid_cents ?? 0) > (starting_bid_cents ?? 0)
}

const idOf = (said: Said) => Object.values(said).map(String).join(' ')
const expectedOf = (all: Said[]) => all.filter(isSale).map(idOf).sort()

/** How the lots of a file come to their end: when it is, and what brings it. */
const CLOSES: [name: string, end: string, close: () => Promise<unknown>][] = [
  ['by the clock', hoursFromNow(1), () => closeEndedLots(ingestion.sql, later(2))],
  ['by a load after it', hoursFromNow(-1), async () => {}],
  [
    'by being gone on its last day',
    '2026-11-21',
    () => ingestion.load([liveRow('other')], { now: later(6), acceptShrinkage: true }),
  ],
]

/** A file of either form gives the same rows, and a lot closes whatever its file was. */
describe.each<[name: string, closes: typeof CLOSES, textOf: (rows: FeedCells[]) => string]>([
  ['feed.ndjson', CLOSES, ndjson],
  ['feed.csv', CLOSES.slice(0, 1), csv],
])('%s', (name, closes, textOf) => {
  it.each(closes)(
    'makes no sale of a lot without a bid, closed %s',
    async (_name, end_date, close) => {
      const rows = EVERYTHING.map(said => liveRow(idOf(said), { ...said, end_date }))
      const { rows_set_aside } = await ingestion.load(textOf(rows), { name })
      const priceless = EVERYTHING.filter(
        ({ outcome, current_bid_cents, num_bids, reserve_met }) =>
          outcome === 'sold' &&
          num_bids !== 0 &&
          reserve_met !== false &&
          current_bid_cents !== 5_000,
      )
      expect(rows_set_aside).toBe(priceless.length)
      await close()
      expect(await sold()).toEqual(expectedOf(EVERYTHING))
      expect(
        await ingestion.sql`select from lots where sold_at is not null and bids_known and num_bids = 0`,
      ).toEqual([])
    },
  )
})

describe('GSA', () => {
  const gsa = gsaStandInFor()

  it('makes no sale of a lot without a bidder', async () => {
    const bids = NUMBERS.flatMap(biddersCount =>
      [null, 0, 50].map(highBidAmount => [biddersCount, highBidAmount]),
    )
    gsa.lots = bids.map(([biddersCount, highBidAmount], n) =>
      gsaLot(n, { biddersCount, highBidAmount }),
    )
    const address = `${gsa.api.origin}/assets/gsaauctions/v2/auctions`
    await sweep(ingestion, 'gsa', address, { key: gsa.key, redirectHosts: ['127.0.0.1'] })
    await closeEndedLots(ingestion.sql, later(24 * 7))
    const expected = bids.flatMap(([bidders, bid], n) =>
      bidders !== 0 && bid === 50 ? `3-1-QSC-I-27-006-${String(n).padStart(3, '0')}` : [],
    )
    expect(await sold()).toEqual(expected)
  })
})

describe('an entry', () => {
  let rows: FeedCells[] = []
  const source = standInFor(() => csvFile(rows))

  it('makes no sale of a lot without a bid', async () => {
    const said = EVERYTHING.filter(({ outcome }) => outcome === null)
    rows = said.map(one => ({ ...one, id: idOf(one), title: 'Steel desk', ends: '2026-11-24' }))
    const dollars = (column: string) => `{${column}_dollars}`
    rows = rows.map(row => ({
      ...row,
      current_dollars: row.current_bid_cents && Number(row.current_bid_cents) / 100,
      opening_dollars: row.starting_bid_cents && Number(row.starting_bid_cents) / 100,
    }))
    const { key, address } = await addFeed(ingestion.sql, {
      key: 'springfield',
      name: 'Springfield',
      homepage: 'https://surplus.springfield.example',
      portal: 'csv',
      address: `${source.origin}/lots.csv`,
      kind: 'live',
      lot: {
        id: '{id}',
        title: '{title}',
        current_bid: dollars('current'),
        starting_bid: dollars('opening'),
        bids: '{num_bids}',
        reserve_met: '{reserve_met}',
        end: '{ends}',
      },
      zone: 'America/Chicago',
      every_hours: 24,
      license: null,
      redistribute: false,
      on: false,
      assumed: [],
    })
    expect(await sweep(ingestion, key, address)).toMatchObject({ rows_taken: said.length })
    await closeEndedLots(ingestion.sql, later(24 * 7))
    expect(await sold()).toEqual(expectedOf(said))
  })
})

describe('the open dataset', () => {
  it('makes no sale of a lot without a bid', async () => {
    const rows = ['true', 'false'].flatMap(isSold => ['', '0', '2'].map(count => [isSold, count]))
    const lines = rows.map(([isSold, bid_count]) => {
      const id = `gsa-${isSold}-${bid_count}`
      const cells = {
        id,
        title: 'Desk',
        current_or_final_bid: 50,
        bid_count,
        sold: isSold,
        ended_at: '2026-05-06',
      }
      const row: FeedCells = { ...cells, source_url: 'https://www.gsaauctions.gov/1' }
      return OPEN_DATA_COLUMNS.map(column => row[column] ?? '').join(',')
    })
    const text = `${OPEN_DATA_COLUMNS.join(',')}\n${lines.join('\n')}\n`
    await ingestion.load(text, { feed: 'open-data', name: 'open.csv' })
    expect(await sold()).toEqual(['true-', 'true-2'])
  })
})

it.each(['0', '0.0', 'none', 'No bids', '0 bids', 'No bids yet'])(
  'the number of bids %j is 0',
  async num_bids => {
    const rows = [liveRow('live', { num_bids, end_date: hoursFromNow(-1) })]
    await ingestion.load([...rows, liveRow('sold', { num_bids, outcome: 'sold' })], {
      partial: true,
    })
    expect(await lot('live')).toMatchObject({
      bids_known: true,
      current_bid_cents: null,
      starting_bid_cents: 12_500,
    })
    expect(await sold()).toEqual([])
  },
)

it.each(['no', 'Not met', 'FALSE', 'Reserve not met'])(
  'a reserve that is %j makes no sale',
  async reserve_met => {
    await ingestion.load([liveRow('live', { reserve_met, end_date: hoursFromNow(-1) })], {
      partial: true,
    })
    expect(await lot('live')).toMatchObject({ reserve_met: false })
    expect(await sold()).toEqual([])
  },
)

describe('a lot on which nobody has bid', () => {
  const opening = { current_bid_cents: 750_000, num_bids: 0, end_date: hoursFromNow(1) }

  it('has the asking price as its starting bid, where the source gives none', async () => {
    await ingestion.load([
      liveRow('open', opening),
      liveRow('given', { ...opening, starting_bid_cents: 100 }),
    ])
    const none = { current_bid_cents: null, num_bids: 0, bids_known: true, status: 'live' }
    expect(await lot('open')).toMatchObject({ ...none, starting_bid_cents: 750_000 })
    expect(await lot('given')).toMatchObject({ ...none, starting_bid_cents: 100 })
  })

  it('keeps its starting bid when the first bid comes, which is one change', async () => {
    await ingestion.load([liveRow('one', opening)])
    await ingestion.load(
      [liveRow('one', { ...opening, current_bid_cents: 760_000, num_bids: 1 })],
      {
        now: later(0.5),
      },
    )
    expect(await lot('one')).toMatchObject({
      current_bid_cents: 760_000,
      starting_bid_cents: 750_000,
    })
    expect((await changesOf(ingestion.sql, 'one')).map(({ kind }) => kind)).toEqual([
      'listed',
      'bid',
    ])
  })

  it('is found by no_bids, as is one whose number of bids is unknown while no amount is a bid', async () => {
    const unknown = { num_bids: null, starting_bid_cents: 5_000 }
    await ingestion.load([
      liveRow('none', opening),
      liveRow('asked', { ...unknown, current_bid_cents: 5_000 }),
      liveRow('bid', { ...unknown, current_bid_cents: 6_000 }),
      liveRow('bids', { num_bids: 2 }),
    ])
    const context = { sql: ingestion.sql, now: clock(NOW), publicUrl: 'https://lots.example' }
    const window = { limit: 9, offset: 0, columns: ['title'] }
    const { text } = await findListings(context, filterOf(withDefaults({ no_bids: true })), window)
    expect(text.split('\n').sort()).toEqual(['["Steel desk asked"]', '["Steel desk none"]'])
  })

  it('takes no bids at a fixed price, which is a sale all the same', async () => {
    const fixed = {
      offer_kind: 'fixed_price',
      num_bids: 0,
      current_bid_cents: null,
      end_date: hoursFromNow(-1),
    }
    await ingestion.load([liveRow('fixed', { ...fixed, outcome: 'sold', final_bid_cents: 9_900 })])
    expect(await lot('fixed')).toMatchObject({ final_bid_cents: 9_900, bids_known: false })
  })
})

it('a lot of a version that did not store whether bids are known is sold above its starting bid, or by its bids', async () => {
  const end_date = hoursFromNow(1)
  await ingestion.load([
    liveRow('above', { starting_bid_cents: 100, end_date }),
    liveRow('at', { starting_bid_cents: 12_500, end_date }),
    liveRow('none', { end_date }),
    liveRow('bids', { starting_bid_cents: 12_500, end_date }),
  ])
  await ingestion.sql`update lots set bids_known = null, num_bids = case source_id when 'bids' then 3 else 0 end`
  await closeEndedLots(ingestion.sql, later(2))
  expect(await sold()).toEqual(['above', 'bids', 'none'])
})

it('a lot below its reserve ends without a sale, and one that reached it is sold', async () => {
  const end_date = hoursFromNow(1)
  const rows = [true, false, null].map(reserve_met =>
    liveRow(String(reserve_met), { reserve_met, end_date }),
  )
  await ingestion.load(rows)
  await closeEndedLots(ingestion.sql, later(2))
  expect(await sold()).toEqual(['null', 'true'])
  const said = { reserve_met: false, outcome: 'sold', final_bid_cents: 58_000 }
  await ingestion.load([liveRow('said', { ...said, end_date: hoursFromNow(-1) })], {
    partial: true,
  })
  expect(await lot('said')).toMatchObject({
    status: 'unsold',
    current_bid_cents: 12_500,
    final_bid_cents: null,
  })
})

describe('a date that cannot be', () => {
  const UNKNOWN = [
    ...[
      '1900-01-01',
      '1899-12-30',
      '0001-01-01',
      '1970-01-01',
      '9999-12-31',
      '2099-12-31',
      '1753-01-01',
    ],
    ...[
      '1969-12-31T19:00:00-05:00',
      '9999-12-31T23:59:59Z',
      '1601-01-01T00:00:00Z',
      '0001-01-01T00:00:00Z',
    ],
    ...[
      '4501-01-01',
      '2079-06-06',
      '1980-01-01',
      '1904-01-01T00:00:00+00:00',
      '2038-01-19T03:14:07Z',
    ],
  ]

  it.each(UNKNOWN)('is unknown, and makes no sale: %s', async end_date => {
    await ingestion.load([liveRow('live', { end_date, start_date: end_date })])
    expect(await lot('live')).toMatchObject({ status: 'live', ends: null, final_bid_cents: null })
    const closed = liveRow('closed', { end_date, outcome: 'sold', final_bid_cents: 5_000 })
    const { set_aside } = await ingestion.load([closed, liveRow('other')], { partial: true })
    expect(set_aside.map(({ reason }) => reason)).toEqual([
      `end_date must be the day of the sale, not "${end_date}".`,
    ])
    expect(await sold()).toEqual([])
  })
})

it('an upgrade that takes bids, sales and ends for what they are tells nobody', async () => {
  const open = { num_bids: 0, current_bid_cents: 12_500 }
  const closed = { ...open, end_date: hoursFromNow(-1) }
  const rows = [
    liveRow('open', open),
    liveRow('closed', closed),
    liveRow('past', { end_date: '1900-01-01' }),
  ]
  await ingestion.load(rows)
  // As the version before had read them.
  await ingestion.sql.unsafe(`
    begin;
    set local session_replication_role = replica;
    update lots set reading = 2, bids_known = null, current_bid_cents = 12500, starting_bid_cents = null;
    update lots set final_bid_cents = 12500, price_basis = 'last_observed', sold_at = ends_at where source_id = 'closed';
    update lots
    set is_open = false, ends_at = '1900-01-02Z', final_bid_cents = 12500, price_basis = 'last_observed', sold_at = '1900-01-02Z'
    where source_id = 'past';
    insert into lot_changes
    select 1000 + row_number() over (), id, observed_at, 'ended', 12500, 0, ends_at, false
    from lots
    where not is_open;
    update data_version set last_change = 2000;
    commit`)
  const before = await ingestion.sql`select lot_id, kind from lot_changes order by seq`
  await ingestion.load(rows, { now: later(1) })
  expect(await sold()).toEqual([])
  expect(await lot('past')).toMatchObject({ status: 'live', ends: null })
  expect(await ingestion.sql`select lot_id, kind from lot_changes order by seq`).toEqual(before)
  await ingestion.load(
    rows.map(row => ({ ...row, num_bids: 1 })),
    { now: later(2) },
  )
  const [, next] = await changesOf(ingestion.sql, 'open')
  expect(next).toMatchObject({ kind: 'bid', bid: 12_500, num_bids: 1 })
})
