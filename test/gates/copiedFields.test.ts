import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import { SCORE_VERSION } from '../../src/domain/appraisal/flipScore.ts'
import { LOT_COLUMNS, sqlTypeOf } from '../../src/domain/feeds/lotRow.ts'
import { LISTING_FIELDS } from '../support/contract/listingFields.ts'
import { fromNow, HOUR, insertLots, NOW } from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'

/** The fields that docs/guides/sync.md lists as moving without a change. */
const guide = readFileSync(projectFile('docs/guides/sync.md'), 'utf8')
const table = guide.slice(guide.indexOf('{#silent}'), guide.indexOf('{#loop}'))
const SILENT = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, names]) =>
  [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
)

/** What moves a field whose column has another name, or does not take any value of its type. */
const OWN_MOVES: Record<string, Record<string, unknown>> = {
  category: { category: 'vehicles' },
  state: { state: 'OH' },
  zip: { zip: '44301' },
  current_bid_cents: { current_bid_cents: 900 },
  buy_now_cents: { buy_now_cents: 800 },
  starting_bid_cents: { starting_bid_cents: 700 },
  num_bids: { num_bids: 6 },
  start_date: { starts_at: fromNow(-HOUR) },
  end_date: { ends_at: fromNow(5 * HOUR) },
  source_url: { source_url: 'https://auctions.example/another' },
  item: { item: 'ford-f-150' },
  quantity: { quantity: 4 },
  vehicle_year: { vehicle_year: 2014 },
  value_grade: { value_grade: 'few' },
  appraised: { value_grade: null },
  offer_kind: { offer_kind: 'fixed_price' },
  bid_increment_cents: { bid_increment_cents: 500 },
  auction_id: { auction_id: 'gsa-3-1', auction_name: '3-1' },
  bid_conditions: { bid_conditions: ['sealed_bid'] },
}
/** What a lot never changes, and what an answer about no place lacks. */
const FIXED = ['id', 'source', 'bidprowl_url', 'distance_miles']

/** The fields that no change carries. */
const OF_THE_DETAIL = Object.keys(
  JSON.parse(readFileSync(projectFile('generated/openapi-3.0.json'), 'utf8')).components.schemas
    .ListingDetail.allOf[1].properties,
)

/** A value of each type of column, which the lot has not. */
const OTHER_VALUES: Record<string, unknown> = {
  text: 'another',
  boolean: true,
  integer: 7,
  float8: 7.5,
}

/** The fields that are columns of a lot, which a load fills. */
const BY_TYPE = LOT_COLUMNS.flatMap(column => {
  const isOther = [...SILENT, ...FIXED, ...Object.keys(OWN_MOVES)].includes(column)
  const value = OTHER_VALUES[sqlTypeOf(column)]
  const isMoved = LISTING_FIELDS.includes(column) && !isOther && value !== undefined
  return isMoved ? [[column, { [column]: value }] as const] : []
})

/** What moves each other field of an open lot: the columns, with a value that the lot has not. */
const MOVES: typeof OWN_MOVES = { ...Object.fromEntries(BY_TYPE), ...OWN_MOVES }

const api = serviceFor({ now: NOW })
const lot = async () => (await api.read('/api/v1/listings/copied')).data as Record<string, unknown>
const latest = async () => (await api.read('/api/v1/changes?cursor=latest')).next_cursor as string

beforeAll(() => insertLots(api.sql, [{ slug: 'copied' }]))

describe('a field of the listing in a change', () => {
  it('is in the table of the guide, is fixed, or moves with a change: exactly one of them', () => {
    expect([...SILENT, ...FIXED, ...Object.keys(MOVES)].toSorted()).toEqual(
      [...LISTING_FIELDS, ...OF_THE_DETAIL].toSorted(),
    )
  })

  it('moves without a change after an upgrade, so the guide asks for a new full copy', () => {
    expect(guide).toContain('**After this version take one new full copy**')
    expect(guide).toContain(`\`score_version\` ${SCORE_VERSION}`)
  })

  it.each(Object.entries(MOVES))(
    '%s moves with a change that carries it',
    async (field, columns) => {
      const [before, cursor] = [await lot(), await latest()]
      await api.sql`update lots set ${api.sql(columns as Record<string, never>)} where slug = 'copied'`
      const after = await lot()
      expect(after[field]).not.toEqual(before[field])
      const { data } = await api.read(`/api/v1/changes?cursor=${cursor}`)
      expect(data).toHaveLength(1)
      expect(data[0].listing[field]).toEqual(after[field])
    },
  )

  it.each([
    ['flip_score', [40, 36, 44]],
    ['approximate_value_cents', [100_000, 80_001, 119_999]],
  ])('%s stays within what the guide says without a change', async (field, [from, copied, to]) => {
    for (const value of [from, copied])
      await api.sql`update lots set ${api.sql({ [field]: value } as Record<string, never>)} where slug = 'copied'`
    const cursor = await latest()
    await api.sql`update lots set ${api.sql({ [field]: to } as Record<string, never>)} where slug = 'copied'`
    expect((await lot())[field]).toBe(to)
    expect((await api.read(`/api/v1/changes?cursor=${cursor}`)).data).toEqual([])
    await api.sql`update lots set ${api.sql({ [field]: Math.ceil(from! * 1.2) } as Record<string, never>)} where slug = 'copied'`
    const { data } = await api.read(`/api/v1/changes?cursor=${cursor}`)
    expect(data.map((change: { kind: string }) => change.kind)).toEqual(['score'])
  })
})
