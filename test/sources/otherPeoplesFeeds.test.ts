import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { columnsOf, type FeedEntry, plainCells } from '../../src/domain/feeds/feedEntry.ts'
import { NAMED } from '../../src/domain/feeds/people.ts'
import { holdsPeople, isPerson, isPersonalColumn } from '../../src/domain/feeds/personalCells.ts'
import { PORTAL_FEEDS, parseFeedEntry, sourceOf } from '../../src/infra/sources/feeds.ts'
import { stageOffered } from '../../src/usecases/ingestion/stageLot.ts'
import { trySource } from '../../src/usecases/ingestion/trySource.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'
import { needs } from '../support/run/needs.ts'
import { forOneTest } from '../support/run/shared.ts'
import { json, startStandIn } from '../support/standIns/standIn.ts'

type Row = Record<string, unknown>
const MANNERS = {
  userAgent: 'test',
  pauseMs: 0,
  timeoutMs: 5000,
  mostBytes: 5_000_000,
  patienceMs: 0,
}
const ENTRY = {
  ...{
    key: 'springfield',
    name: 'Springfield',
    homepage: 'https://data.springfield.example/d/abcd-1234',
  },
  ...{ portal: 'socrata', address: 'https://data.springfield.example/resource/abcd-1234.json' },
  ...{
    kind: 'fixed_price',
    order: 'pin',
    zone: 'America/New_York',
    every_hours: 24,
    license: null,
  },
  ...{ redistribute: false, on: false, assumed: [] },
  lot: {
    id: '{pin}',
    title: 'City lot, {street}, Springfield',
    category: 'real-estate',
    state: 'IL',
  },
}
type Changes = Omit<Partial<typeof ENTRY>, 'lot'> & { lot?: Record<string, string> } & Record<
    string,
    unknown
  >
const entryWith = (changes: Changes = {}) =>
  parseFeedEntry({ ...ENTRY, ...changes, lot: { ...ENTRY.lot, ...changes.lot } })

const staged = (changes: Changes, ...rows: Row[]) =>
  stageOffered(sourceOf(entryWith(changes)), rows, 0, NOW) as unknown as Row[]
const lotOf = (changes: Changes, row: Row) =>
  staged(changes, { pin: '1', street: '7 Oak St', ...row })[0]

async function tried(feed: FeedEntry, rows: Row[]) {
  const site = await forOneTest(
    startStandIn(({ url }) => {
      if (url.pathname.includes('/api/views/')) return json({})
      if (url.pathname.endsWith('/query')) return json({ features: rows })
      return json(feed.portal === 'arcgis' ? {} : rows)
    }),
  )
  const from = {
    address: site.origin + new URL(feed.address).pathname,
    key: null,
    redirectHosts: [],
  }
  return { site, ...(await trySource(feed, { from, manners: MANNERS as never, now: NOW })) }
}

describe('a cell of an entry', () => {
  const starting = { kind: 'live', lot: { starting_bid: '{ask}' } }

  it.each(['To be determined', '$4,000 or best offer', 'See notice', '-5', '1e5'])(
    'that is no price (%s) costs the price and not the lot, and is counted',
    async ask => {
      const { trial } = await tried(
        entryWith(starting),
        [1, 2].map(pin => ({ pin: `${pin}`, street: '7 Oak St', ask })),
      )
      expect(trial).toMatchObject({ rows_taken: 2, rows_set_aside: 0, why_unusable: null })
      expect(trial.lots[0]?.starting_bid_cents).toBeNull()
      expect(trial.cells_not_read).toEqual([
        { cells: 2, what: expect.stringMatching(/^price not read: .+ \(/) },
      ])
    },
  )

  it.each(['price', 'starting_bid', 'current_bid', 'buy_now', 'increment'])(
    'that is nothing but a contact is counted where a price should stand: %s',
    field => {
      for (const ask of [
        'Call Jane Quarles 816-555-0142',
        'QUARLES JANE Q',
        'jane at example dot gov',
      ]) {
        const changes = field === 'price' ? { kind: 'sold', basis: 'awarded' } : { kind: 'live' }
        const lot = { [field]: '{ask}', end: '{on}' }
        const row = lotOf({ ...changes, lot }, { ask, on: NOW.toISOString() })
        const { unread, reason, raw } =
          row ?? lotOf({ ...changes, lot }, { ask, on: '2026-12-01' })!
        expect(`${unread}${reason}`).toMatch(
          /price not read: a text that names|US dollars .*a text that names/,
        )
        expect(`${unread}${reason}${raw}`).not.toMatch(/jane|quarles|0142/i)
      }
    },
  )

  it('that names a person says that a row is gone', () => {
    const feed = entryWith({ closed: 'held' })
    const rows = [null, 'Jane Quarles, 816-555-0142', 'QUARLES JANE Q'].map((held, pin) => ({
      ...{ pin: `${pin}`, street: '7 Oak St' },
      held,
    }))
    expect(stageOffered(sourceOf(feed), rows, 0, NOW)).toHaveLength(1)
  })

  it('is named with its value', () => {
    const { unread } = lotOf(
      { ...starting, lot: { ...starting.lot, zip: '{zip}', state: '{in}' } },
      {
        ask: 'To be determined',
        zip: '0',
        in: 'Ontario',
      },
    )!
    expect(unread).toEqual([
      'price not read: To be determined (starting_bid_cents)',
      'state not read: Ontario',
      'zip not read: 0',
    ])
  })

  it('of the end costs only the end, but for a sale', () => {
    const live = { kind: 'live', lot: { end: '{on}' } }
    expect(lotOf(live, { on: 'after the holidays' })).toMatchObject({
      ends_at: 'infinity',
      unread: ['end_date not read: after the holidays'],
    })
    const sold = { kind: 'sold', basis: 'awarded', lot: { end: '{on}', price: '{paid}' } }
    expect(lotOf(sold, { on: 'last week', paid: 5 })).toMatchObject({
      reason: expect.stringMatching(/^on must/),
    })
  })

  it.each([
    [{ url: 'https://data.springfield.example/7' }],
    [{ url: 'https://data.springfield.example/7', description: 'Apply' }],
    ['<a href="https://data.springfield.example/7" target="_blank">View</a>'],
    [' https://data.springfield.example/7 '],
  ])('is a link as %j', link => {
    expect(lotOf({ lot: { link: '{page}' } }, { page: link })?.source_url).toBe(
      'https://data.springfield.example/7',
    )
  })

  it.each([[null], [{ url: null }], [{}], [''], ['View']])(
    'is no link as %j, and the lot stays',
    page => {
      expect(lotOf({ lot: { link: '{page}' } }, { page })?.source_url).toBe(ENTRY.homepage)
    },
  )

  it.each([null, '', ' ', 'N/A', undefined])(
    'of a missing street (%j) leaves the parcel',
    street => {
      expect(lotOf({}, { street })).toMatchObject({ title: 'City lot, parcel 1', source_id: '1' })
    },
  )

  it('may have alternatives, of which the first that is filled counts', () => {
    const lot = { id: '{pin|parcel}', title: 'Lot, {street|corner}', starting_bid: '{ask|minimum}' }
    const feed = entryWith({ kind: 'live', lot })
    expect(columnsOf(feed)).toEqual(['pin', 'parcel', 'street', 'corner', 'ask', 'minimum'])
    const row = {
      pin: null,
      parcel: '7',
      street: 'N/A',
      corner: 'Elm and Oak',
      ask: ' ',
      minimum: '5',
    }
    expect(lotOf({ kind: 'live', lot }, row)).toMatchObject({
      source_id: '7',
      title: 'Lot, Elm and Oak',
      starting_bid_cents: 500,
    })
  })

  it.each([
    [1796274000000, '2026-12-04T04:59:59Z'],
    ['1796274000000', '2026-12-04T04:59:59Z'],
    [1796256000000, '2026-12-04T04:59:59Z'],
    ['2026-12-03T05:00:00.000Z', '2026-12-04T04:59:59Z'],
    [1796274060000, '2026-12-03T05:01:00Z'],
    ['20261203', '2026-12-04T04:59:59Z'],
    [20261203, '2026-12-04T04:59:59Z'],
    ['2026/12/03', '2026-12-04T04:59:59Z'],
    ['03-Dec-2026', '2026-12-04T04:59:59Z'],
    ['3 December 2026', '2026-12-04T04:59:59Z'],
    ['2026/12/03 14:00', '2026-12-03T19:00:00Z'],
    ['3-Dec-2026 1400 hrs', '2026-12-03T19:00:00Z'],
    ['12/3/2026 1400 hours', '2026-12-03T19:00:00Z'],
    ['20261203 0900 hrs', '2026-12-03T14:00:00Z'],
  ])('is the time %j as %s', (on, ends_at) => {
    expect(lotOf({ kind: 'live', lot: { end: '{on}' } }, { on })).toMatchObject({ ends_at })
  })

  it.each([
    ['1400 hrs', '2026-12-03T19:00:00Z'],
    ['0900', '2026-12-03T14:00:00Z'],
    ['14:00', '2026-12-03T19:00:00Z'],
    ['2500 hrs', '2026-12-04T04:59:59Z'],
  ])('of an hour of its own is read as %s', (at, ends_at) => {
    const live = { kind: 'live', lot: { end: '{on}', time: '{at}' } }
    expect(lotOf(live, { on: '20261203', at })).toMatchObject({ ends_at })
  })

  it('raises a bid for days after a day in any form', () => {
    const status = { column: 'stage', raised: { upset: 10 } }
    for (const on of ['20261203', '12/3/2026', 1796274000000])
      expect(
        lotOf({ kind: 'live', status, lot: { end: '{on}' } }, { on, stage: 'upset' })?.ends_at,
      ).toBe('2026-12-14T04:59:59Z')
  })
})

describe('several conditions', () => {
  const conditions = {
    where: ["owned = 'YES'", "stage = 'Open' OR stage = 'New'"],
    status: [
      { column: 'owned', live: ['yes'] },
      { column: 'stage', live: ['Open', 'New'], gone: ['under'] },
    ],
  }

  it.each([
    ['socrata', {}],
    ['arcgis', { address: 'https://data.springfield.example/FeatureServer/0', order: 'OBJECTID' }],
  ])('are all asked of %s, and checked here too', async (portal, more) => {
    const feed = entryWith({ ...conditions, portal, ...more })
    const cells = (pin: number, owned: string, stage: string) => ({
      OBJECTID: pin,
      pin,
      street: 'Oak',
      owned,
      stage,
    })
    const rows: Row[] = [
      cells(1, 'YES', 'Open'),
      cells(2, 'YES', 'Under contract'),
      cells(3, 'NO', 'Open'),
    ]
    const answer = portal === 'arcgis' ? rows.map(attributes => ({ attributes })) : rows
    const { site, trial } = await tried(feed, answer)
    expect(trial).toMatchObject({ rows_taken: 1, rows_not_offered: 2 })
    const asked = site.asked.map(
      ({ url }) => url.searchParams.get('$where') ?? url.searchParams.get('where'),
    )
    expect(asked.join()).toContain("(owned = 'YES') AND (stage = 'Open' OR stage = 'New')")
  })

  it('let the land bank of St. Louis read what is for sale', () => {
    const feed = PORTAL_FEEDS.find(({ key }) => key === 'st-louis-lra')!
    const cells = {
      Handle: '1',
      Address: '7 Oak St',
      LRA: 'YES',
      Case_Status: 'Available',
      Status: 'Available',
    }
    const lots = (change: Row) =>
      stageOffered(
        sourceOf(parseFeedEntry(feed)),
        [{ attributes: { OBJECTID: 1, ...cells, ...change } }],
        0,
        NOW,
      )
    expect(lots({})).toHaveLength(1)
    for (const change of [{ LRA: 'NO' }, { Case_Status: 'Under Option' }, { Status: 'Sold' }])
      expect(lots(change)).toHaveLength(0)
  })
})

describe('rows under one id of a portal', () => {
  it('that repeat a lot are merged as a load merges them', async () => {
    const rows = ['2021', '2022', '2023'].map(year => ({ pin: '7', street: '7 Oak St', year }))
    const { trial } = await tried(entryWith({ lot: { description: 'Tax year {year}' } }), [
      ...rows,
      { pin: '8', street: '9 Elm St' },
    ])
    expect(trial).toMatchObject({
      rows_read: 4,
      rows_taken: 2,
      rows_repeated: 2,
      why_unusable: null,
    })
    expect(trial.lots.map(({ source_id, description }) => [source_id, description])).toEqual([
      ['7', 'Tax year 2023'],
      ['8', null],
    ])
  })

  it('that are different lots make the entry unusable', async () => {
    const rows = [1, 2, 3].map(n => ({ pin: n < 3 ? '7' : '8', street: `${n} Oak St` }))
    const { trial } = await tried(entryWith(), rows)
    expect(trial).toMatchObject({ rows_taken: 1, rows_set_aside: 2 })
    expect(trial.why_unusable).toBe('3 rows have 2 ids. Correct lot.id.')
  })

  it.each(['1.23457E+11', '1E+15'])('are never under the rounded id %s', pin => {
    expect(lotOf({}, { pin })).toMatchObject({
      reason: expect.stringContaining('a spreadsheet made'),
    })
    expect(lotOf({}, { pin })).not.toHaveProperty('source_id')
  })
})

describe('a column of people', () => {
  it.each(
    (
      'name NAME name1 Name_2 own1 OWN2 own_name party PARTY1 parties sold_to SoldTo awarded_to convey_to pd_by purchased_by ' +
      'awardee vendor VendorName payee customer CustomerNo lessee recipient grantee taxpayer_name mail_city lessor heirs ' +
      'poc POC_NAME Ansprechpartner kontakt Kontaktperson buyer winner HighBidder owner_number bidder_no bidder_names officer owners'
    ).split(' '),
  )('is refused by its name: %s', column => {
    expect(isPersonalColumn(column)).toBe(true)
    const lot = { description: `{${column}}` }
    expect(() => entryWith({ lot })).toThrow(/looks like personal data/)
  })

  it.each(
    (
      'subdivision_name street_name property_address town hobby total_acres auto lot_number department story baby_crib city ' +
      'bidderCount BIDDERS_COUNT bidders number_of_bidders num_bidders total_bidders no_of_bidders numBidders unique_bidders ' +
      'owner_count number_of_owners buyers_premium_percent buyer_premium pocket epoch'
    ).split(' '),
  )('is not %s', column => expect(isPersonalColumn(column)).toBe(false))

  const PEOPLE = [
    ['QUARLES JANE Q', 'ROE ROBERT T', 'QUARLES NANCY'],
    ['QUARLES JANE Q & ROBERT T JT', 'ROE WILLIAM & MARY', 'Springfield Holdings LLC'],
    ['Quarles Family Trust', 'QUARLES LIVING TRUST', 'ROE REVOCABLE TRUST'],
    ['HEIRS OF JANE QUARLES', 'UNKNOWN HEIRS OF ROE', 'QUARLES ESTATE OF ROBERT'],
    ['ESTATE OF JANE QUARLES', 'QUARLES JANE ET AL', 'ROE JOHN ETUX'],
    ['Quarles, Jane', 'Roe, Robert T.', 'Nancy B. Quarles'],
    ['ZABRISKIE ALOYSIUS B', 'QUARLES THERON K', 'ROE ELVIRA M'],
  ]
  it.each(PEOPLE)('is refused by what stands in it: %s, %s, %s', async (...values) => {
    expect(holdsPeople(values)).toBe(true)
    const feed = entryWith({ lot: { title: 'Tax lien, {held}, {street}' } })
    const rows = values.map((held, n) => ({ pin: `${n}`, street: n ? `${n} Oak St` : ' ', held }))
    const { trial, recording } = await tried(feed, rows)
    expect(trial.why_unusable).toBe(
      'Most values of held look like people. Take it out of the entry.',
    )
    expect(JSON.stringify({ trial, recording })).not.toMatch(/quarles|zabriskie|\broe\b/i)
    expect(trial.lots.map(({ title }) => title)).toEqual([
      'Tax lien, parcel 0',
      'Tax lien, 1 Oak St',
      'Tax lien, 2 Oak St',
    ])
  })

  it.each([
    ['SAINT LOUIS', 'SAINT LOUIS', 'KIRKWOOD'],
    ['San Antonio', 'San Antonio', 'San Antonio'],
    ['MARTIN LUTHER KING DR', 'JAMES ST', 'WILLIAM PENN HWY'],
    ['VACANT LAND', 'OAK RIDGE', 'SINGLE FAMILY'],
    ['2014 FORD F150 XL', 'JOHN DEERE', 'DESKS & CHAIRS'],
    ['Available', 'Public Sale', 'Hold for Study'],
    ['LOT 4, SQ. 2.', 'SECT-12', 'SUBURBAN TRACTS'],
    ['Real Estate of the County', 'Real Estate', 'Land'],
  ])('is not one of %s, %s, %s', (...values) => {
    expect(holdsPeople(values)).toBe(false)
    expect(values.filter(isPerson)).toEqual([])
  })

  it('leaves a lot what is no person, wherever one stands alone in a cell', () => {
    const cells = plainCells({
      a: 'QUARLES JANE Q & ROBERT T JT',
      b: 'Quarles Family Trust',
      c: 'OAK RIDGE',
      d: '7 Oak St',
    })
    expect(cells).toEqual({ a: NAMED, b: NAMED, c: 'OAK RIDGE', d: '7 Oak St' })
    expect(
      lotOf({ lot: { description: '{a}' } }, { a: 'Quarles Family Trust' })?.description,
    ).toBeNull()
  })

  it('shows one example of every column, cut to 40 characters', async () => {
    const { trial } = await tried(entryWith(), [{ pin: '1', street: `${'1'.repeat(50)} Oak St` }])
    expect(trial.columns.map(({ column, example }) => [column, example])).toEqual([
      ['pin', '1'],
      ['street', '1'.repeat(40)],
    ])
  })
})

/** The feeds of other people, where they are at hand; the tests above have the same shapes. */
const CASES = new URL('../../../shared/data/cases/feeds/', import.meta.url)
const isThere = existsSync(CASES)
const keys = isThere
  ? readdirSync(CASES).flatMap(name => /^(.*)\.entry\.json$/.exec(name)?.[1] ?? [])
  : ['every feed']

describe(
  'the case',
  needs(isThere, 'the cases of other feeds (../shared/data/cases/feeds)'),
  () => {
    it.each(keys)('%s gives what it should', async key => {
      const read = (kind: string) =>
        JSON.parse(readFileSync(new URL(`${key}.${kind}.json`, CASES), 'utf8'))
      const right = read('expect')
      if (right.people && key.startsWith('yavapai')) {
        expect(() => parseFeedEntry(read('entry'))).toThrow(/NAME looks like personal data/)
        return
      }
      const feed = parseFeedEntry(read('entry'))
      const { trial } = await tried(feed, read('rows'))
      expect(trial.why_unusable).toBeNull()
      if (right.lots) expect(trial.rows_taken).toBe(right.lots)
      if (right.titles) expect(trial.lots.map(({ title }) => title)).toEqual(right.titles)
      if (right.prices) expect(trial.lots.map(lot => lot.final_bid_cents)).toEqual(right.prices)
      if (right.quantity) expect(trial.lots.map(({ quantity }) => quantity)).toEqual(right.quantity)
      if (right.links)
        expect(trial.lots.map(lot => lot.source_url)).toEqual(
          right.links.map((link: string | null) => link ?? feed.homepage),
        )
      if (right.ends)
        expect([trial.lots[0]?.ends_at, trial.lots[2]?.ends_at]).toEqual([
          right.ends[0],
          right.ends[2],
        ])
    })
  },
)
