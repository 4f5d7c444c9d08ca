import { beforeAll, describe, expect, it } from 'vitest'
import { loadDemo } from '../../src/commands/demo.ts'
import { isNullable } from '../../src/contract/document.ts'
import type { Schemas } from '../../src/contract/types.ts'
import { openAdminConnection } from '../../src/infra/postgres/database.ts'
import { contract } from '../support/contract/contract.ts'
import { NOW } from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'

const api = serviceFor({ now: NOW })

/** What is stored of a lot, and of its source. */
type Stored = Record<string, unknown> & {
  bid_conditions: string[]
  like_count: number
  is_open: boolean
  num_bids: number
}
type Listing = Schemas['Listing']
type Row<T> = [property: keyof T & string, nullWhen: string, isNull: (value: T, stored: Stored) => boolean]

/** Whether a source published nothing for a column. */
const unpublished = (column: string) => (_: unknown, stored: Stored) => stored[column] === null
const isWords = ({ value_grade }: Listing) => value_grade === null || value_grade === 'words'
const isSealed = (_: unknown, { bid_conditions }: Stored) => bid_conditions.includes('sealed_bid')

/** When each property of a lot is null, in both directions: it is null then, and at no other time. */
const OF_A_LOT: Row<Listing>[] = [
  ['state', 'the source names no place', unpublished('state')],
  ['city', 'the source names none', unpublished('city')],
  ['zip', 'the source names none', unpublished('zip')],
  ['current_bid_cents', 'nobody has bid', unpublished('current_bid_cents')],
  ['buy_now_cents', 'nobody can buy it at once', unpublished('buy_now_cents')],
  ['starting_bid_cents', 'the source publishes none', unpublished('starting_bid_cents')],
  ['flip_score', 'no sale is like it, or no price is known', unpublished('flip_score')],
  ['condition_grade', 'the source grades none', unpublished('condition_grade')],
  [
    'image_url',
    'it has no picture, or its host refuses',
    (_, { image_url, photos_status }) => image_url === null || Number(photos_status) >= 400,
  ],
  ['start_date', 'the source publishes none', (_, { starts_at }) => !Number.isFinite(Number(starts_at))],
  ['end_date', 'the source publishes none', (_, { ends_at }) => !Number.isFinite(Number(ends_at))],
  ['distance_miles', 'the search has no ZIP code', () => true],
  ['item', 'the title names none', unpublished('item')],
  ['quantity', 'neither title nor description names a number', unpublished('quantity')],
  ['vehicle_year', 'the title names none', unpublished('vehicle_year')],
  ['vehicle_make', 'the title names none', unpublished('vehicle_make')],
  ['vehicle_model', 'the title names none', unpublished('vehicle_model')],
  [
    'buyers_premium_percent',
    'neither lot nor source publishes it',
    (_, { buyers_premium_percent, premium_percent }) =>
      buyers_premium_percent === null && premium_percent === null,
  ],
  [
    'also_listed_as',
    'no other listing of it is known',
    (_, { duplicate_of, is_listed_twice }) => duplicate_of === null && !is_listed_twice,
  ],
  ['value_grade', 'there is no value', lot => !lot.appraised],
  [
    'approximate_value_cents',
    'there is no value, or a note says why it is not shown',
    lot => !lot.appraised || lot.value_note !== null,
  ],
  ['bid_increment_cents', 'the source does not publish it', unpublished('bid_increment_cents')],
  [
    'next_bid_cents',
    'it is not known, nobody can bid, bids are sealed, or it has ended',
    (lot, stored) =>
      lot.status === 'ended' ||
      lot.offer_kind === 'fixed_price' ||
      isSealed(lot, stored) ||
      (lot.current_bid_cents ? lot.bid_increment_cents === null : lot.starting_bid_cents === null),
  ],
  ['end_precision', 'there is no end', lot => lot.end_date === null],
  ['auction_id', 'the source names none', unpublished('auction_id')],
  [
    'approximate_close_cents',
    'there is no value to go by, the price is fixed, bids are sealed, or it is too early to say',
    (lot, stored) =>
      isWords(lot) ||
      lot.value_note !== null ||
      lot.offer_kind === 'fixed_price' ||
      isSealed(lot, stored) ||
      stored.approximate_close_cents === null,
  ],
  ['value_note', 'nothing is withheld', unpublished('value_note')],
  [
    'limit_cents',
    'no value is shown, it is a guess from words, or a machine has fewer than 5 like sales',
    (lot, { like_count }) =>
      lot.approximate_value_cents === null ||
      isWords(lot) ||
      (lot.category === 'heavy-equipment' && like_count < 5),
  ],
  ['verdict', 'there is no limit', unpublished('verdict')],
  ['reserve_met', 'the source does not say', unpublished('reserve_met')],
  ['odometer_miles', 'nothing is stated', unpublished('odometer_miles')],
  ['engine_hours', 'nothing is stated', unpublished('engine_hours')],
  ['runs', 'nothing is stated', unpublished('runs')],
  ['road_title', 'nothing is stated', unpublished('road_title')],
  ['open_recall', 'nothing is stated', unpublished('open_recall')],
  [
    'no_bid_chance',
    'it has a bid, bids are not published or seen, it has no value, or too few ended without one',
    (lot, stored) =>
      stored.num_bids > 0 || !stored.bids_known || isSealed(lot, stored) || stored.no_bid_chance === null,
  ],
]

/** Properties of sold-price statistics, and the kinds of calls that have them. */
const OF_COMPS: Partial<Record<keyof Schemas['Comps'], string[]>> = {
  item: ['item'],
  model_years: ['item'],
  listing_id: ['listing'],
  percentiles: ['item', 'listing', 'title'],
  confidence: ['listing', 'title'],
  comparables: ['listing', 'title'],
  stats_of: ['listing', 'title'],
  your_costs: ['buyer'],
}

const nullableOf = (schema: string) => {
  const { properties = {} } = contract.document.components!.schemas![schema] as { properties?: object }
  return Object.entries(properties)
    .filter(([, written]) => isNullable(contract.document, written))
    .map(([name]) => name)
}

const lots: Listing[] = []
const stored = new Map<string, Stored>()

beforeAll(async () => {
  const elsewhere = openAdminConnection(api.databaseUrl)
  await loadDemo(elsewhere, { lots: 400, sales: 3_000, seed: 5, now: NOW, onProgress: () => {} })
  await elsewhere.end()
  for (let page = 1; page <= 8; page++) {
    const { data } = await api.read(`/api/v1/listings?per_page=50&page=${page}`)
    lots.push(...data)
  }
  const rows = await api.sql<(Stored & { id: string })[]>`
    select
      l.*, s.premium_percent, s.photos_status, extract(epoch from l.starts_at) as starts_at,
      extract(epoch from l.ends_at) as ends_at, (select count(*)::int from unnest(a.similarities) as similarity where similarity >= 0.3) as like_count,
      exists (select from lots other where other.duplicate_of = l.id and other.is_open) as is_listed_twice
    from lots l
    join sources s using (source)
    left join appraisals a on a.lot_id = l.id`
  for (const row of rows) stored.set(row.id, row)
}, 240_000)

describe('a property of a lot', () => {
  it('that may be null has its row here', () => {
    expect(OF_A_LOT.map(([property]) => property)).toEqual(nullableOf('Listing'))
    expect(lots.length).toBeGreaterThan(300)
  })

  it.each(OF_A_LOT)('%s is null when %s, and only then', (property, _when, isNull) => {
    for (const lot of lots) {
      const told = [lot.title, lot.id, lot[property] === null]
      expect(told).toEqual([lot.title, lot.id, isNull(lot, stored.get(lot.id)!)])
    }
  })

  it.each(['max_bid_cents', 'limit_cents'] as const)('%s is null for some lots with a value', name => {
    const valued = lots.filter(lot => lot.approximate_value_cents !== null)
    const limits = valued.filter(lot => lot.limit_cents === null)
    expect([name, valued.length > limits.length, limits.length > 0]).toEqual([name, true, true])
  })
})

describe('sold-price statistics', () => {
  it('have each property by the kinds of calls that the contract names, and null by the others', async () => {
    const lot = lots.find(
      ({ value_grade, value_note }) => value_grade === 'comparables' && value_note === null,
    )!
    const item = (await api.read('/api/v1/items')).data.find(
      ({ sold_count }: Schemas['Item']) => sold_count >= 5,
    )
    const calls: [kinds: string[], query: string][] = [
      [['category'], 'category=vehicles'],
      [['item'], `item=${item.slug}`],
      [['listing'], `listing_id=${lot.id}`],
      [['listing', 'buyer'], `listing_id=${lot.id}&tax_percent=8`],
      [['title'], `q=${encodeURIComponent(lot.title)}`],
    ]
    for (const [kinds, query] of calls) {
      const { data } = await api.read(`/api/v1/comps?${query}`)
      for (const [property, having] of Object.entries(OF_COMPS))
        expect([query, property, data[property] === null]).toEqual([
          query,
          property,
          !having.some(kind => kinds.includes(kind)),
        ])
      if (!data.appraisal) continue
      const { max_bid_cents, target_margin_percent, resale_value_cents, grade } = data.appraisal
      expect([target_margin_percent === null, resale_value_cents === null]).toEqual([
        max_bid_cents === null,
        max_bid_cents === null,
      ])
      if (grade === 'words') expect(max_bid_cents).toBeNull()
    }
  })

  it('name a highest bid exactly where the listing has a limit', async () => {
    const valued = lots.filter(({ approximate_value_cents }) => approximate_value_cents !== null).slice(0, 60)
    for (const lot of valued) {
      const { data } = await api.read(`/api/v1/comps?listing_id=${lot.id}`)
      expect([lot.title, data.appraisal.max_bid_cents === null]).toEqual([
        lot.title,
        lot.limit_cents === null,
      ])
    }
  })
})
