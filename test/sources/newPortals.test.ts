import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { parseFeedEntry } from '../../src/infra/sources/feeds.ts'
import { ingestionFor } from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'
import { runSurplusHere } from '../support/run/commandLine.ts'
import { temporaryFolder } from '../support/run/shared.ts'
import { addFeed, ckanPage, csvFile } from '../support/standIns/newFeeds.ts'
import {
  type Asked,
  BLOCK_PAGE,
  json,
  type Served,
  standInFor,
} from '../support/standIns/standIn.ts'
import { sweep } from '../support/standIns/sweeping.ts'

const CHANGED = 'Tue, 03 Mar 2026 07:28:00 GMT'
const ENTRY = {
  name: 'Springfield Surplus',
  homepage: 'https://surplus.springfield.example/auctions',
  kind: 'live',
  lot: {
    id: '{Lot No}',
    title: '{Item}',
    description: '{Notes}',
    condition: '{Condition}',
    auction: 'Auction of {Closes}',
    current_bid: '{High Bid}',
    starting_bid: '{Opening}',
    bids: '{Bids}',
    increment: '{Step}',
    reserve: '{Reserve}',
    quantity: '{Qty}',
    mileage: '{Odometer}',
    image: '{Photo}',
    link: 'https://surplus.springfield.example/lots/{Lot No}',
    end: '{Closes}',
    city: 'Springfield',
    state: 'IL',
  },
  zone: 'America/Chicago',
  every_hours: 24,
  license: null,
  redistribute: false,
  on: false,
  assumed: [],
}
const ROW = {
  'Lot No': 'S-1',
  Item: '2014 Ford F-150 XL',
  Notes: 'Runs and drives, 4x4',
  Condition: 'U',
  Closes: '2026-12-04',
  'High Bid': '$4,125.00',
  Opening: '500',
  Bids: '11',
  Step: '50',
  Reserve: 'Not met',
  Qty: '1',
  Odometer: '84,000',
  Photo: 'https://surplus.springfield.example/photos/1.jpg',
  Consignor: 'PLANTED',
}
const rowsOf = (count: number, changes: object = {}) =>
  Array.from({ length: count }, (_, n) => ({ ...ROW, 'Lot No': `S-${n + 1}`, ...changes }))

const CKAN_PATH = '/api/3/action/datastore_search?resource_id=0a1b-2c3d'
const ingestion = ingestionFor('each test')
let answer: (asked: Asked) => Served
const source = standInFor(asked => answer(asked))
const csvEntry = () => ({
  ...ENTRY,
  key: 'springfield-csv',
  portal: 'csv',
  address: `${source.origin}/lots.csv`,
})
const ckanEntry = () => ({
  ...ENTRY,
  key: 'springfield-ckan',
  portal: 'ckan',
  order: '_id',
  where: '{"Town": "Springfield"}',
  address: source.origin + CKAN_PATH,
})

/** A CKAN with this table. */
function ckanOf(table: object[], said = table.length) {
  const records = table.map((row, n) => ({ _id: n + 1, ...row }))
  return ({ url }: Asked): Served => {
    if (url.pathname.endsWith('/resource_show')) {
      const dates = {
        last_modified: '2026-03-03T07:28:00.123456',
        metadata_modified: '2026-11-20T00:00:00',
      }
      const result = { id: '0a1b-2c3d', package_id: 'surplus', ...dates }
      return json({ success: true, result })
    }
    if (url.pathname.endsWith('/package_show'))
      return json({
        success: true,
        result: { id: 'surplus', license_title: 'Open Data Commons PDDL' },
      })
    const first = Number(url.searchParams.get('offset'))
    const wanted = url.searchParams.get('fields')?.split(',')
    const page = records.slice(first, first + Number(url.searchParams.get('limit')))
    const ofColumns = (row: object) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => wanted?.includes(name) ?? true))
    return ckanPage(page.map(ofColumns), said, records)
  }
}

describe.each([
  ['csv', csvEntry, () => csvFile([ROW], { 'last-modified': CHANGED })],
  ['ckan', ckanEntry, ckanOf([ROW])],
] as const)('a table of the kind %s', (_portal, entry, serve) => {
  it('gives every field of a lot, keeps no other column, and says when it was changed', async () => {
    answer = serve
    const { key, address } = await addFeed(ingestion.sql, entry())
    const swept = await sweep(ingestion, key, address)
    expect(swept).toMatchObject({ state: 'done', rows_taken: 1, rows_set_aside: 0 })
    const [lot] = await ingestion.sql`select * from lots where source = ${key}`
    expect(lot).toMatchObject({
      source_id: 'S-1',
      title: '2014 Ford F-150 XL',
      condition_grade: 'usable',
      auction_name: 'Auction of 2026-12-04',
      current_bid_cents: 412_500,
      starting_bid_cents: 50_000,
      num_bids: 11,
      bid_increment_cents: 5_000,
      reserve_met: false,
      quantity: 1,
      image_url: ROW.Photo,
      source_url: 'https://surplus.springfield.example/lots/S-1',
      ends_at: new Date('2026-12-05T05:59:59Z'),
    })
    expect(lot).toMatchObject({ odometer_miles: 84_000 })
    const [{ said } = {}] = await ingestion.sql`
      select rfc3339(publisher_changed_at) as said from sources where source = ${key}`
    expect(said).toBe('2026-03-03T07:28:00Z')
    expect(JSON.stringify(await ingestion.sql`select lots::text from lots`)).not.toContain(
      'PLANTED',
    )
  })

  it('is tried like any other, and recorded so that it can be served again', async () => {
    answer = serve
    const folder = temporaryFolder()
    const [file, record] = [join(folder, 'entry.json'), join(folder, 'recorded')]
    writeFileSync(file, JSON.stringify(entry()))
    const { code, stdout } = await runSurplusHere(['try-source', file, '--record', record], {
      FETCH_PAUSE_MS: '0',
    })
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\nUsable\.\n$/)])
    expect(stdout).toMatch(/^The publisher changed it last on Mar 3, 2026/m)
    const body = readFileSync(record)
    answer = () => ({ body })
    const { key, address } = await addFeed(ingestion.sql, entry())
    expect(await sweep(ingestion, key, address)).toMatchObject({ state: 'done', rows_taken: 1 })
  })
})

describe('a CSV file at an address', () => {
  beforeEach(() => addFeed(ingestion.sql, csvEntry()))
  const fetchIt = (served: Served) => {
    answer = () => served
    return sweep(ingestion, 'springfield-csv', csvEntry().address, { now: NOW })
  }
  const text = (rows = rowsOf(30)) => String(csvFile(rows).body)

  it.each<[string, () => Served, string]>([
    ['a web page', () => BLOCK_PAGE, 'a web page'],
    ['JSON', () => json({ error: 'no such file' }), 'The header cannot be used: it lacks'],
    ['nothing', () => ({ body: '' }), 'empty'],
    ['a header alone', () => ({ body: text().split('\r\n')[0]! }), 'There are no rows.'],
    [
      'a header without a column of the entry',
      () => ({ body: text().replace('Lot No', 'Number') }),
      'it lacks Lot No.',
    ],
    [
      'a column of the entry twice',
      () => ({ body: text().replace('Consignor', 'Item') }),
      'it names Item twice.',
    ],
    ['UTF-16', () => ({ body: Buffer.from(`\ufeff${text()}`, 'utf16le') }), 'UTF-16'],
    ['a compressed file', () => ({ body: gzipSync(text()) }), 'gzip'],
    ['semicolons', () => ({ body: text().replaceAll(',', ';') }), 'semicolons'],
    ['tabs', () => ({ body: text().replaceAll(',', '\t') }), 'tabs'],
    ['a file cut off in a line', () => ({ body: text().slice(0, -40) }), 'was cut off'],
    [
      'more bytes than are read',
      () => ({ body: text() + ' '.repeat(2_100_000) }),
      'more than 2 MB',
    ],
    [
      'another host',
      () => ({ status: 302, headers: { location: 'http://foreign.example/lots.csv' } }),
      'redirects to foreign.example',
    ],
  ])('is refused as a whole where %s comes, with a reason', async (_what, served, said) => {
    const { state, reason, lots_new } = await fetchIt(served())
    expect([state, lots_new, reason]).toEqual(['refused', 0, expect.stringContaining(said)])
  })

  it('costs a row that cannot be read, says which and why, and takes the others', async () => {
    const lines = text().split('\r\n')
    lines[3] = lines[3]!.replace('"U"', '"U" x')
    lines[5] = `${lines[5]},one cell more`
    const { state, rows_taken, rows_set_aside, set_aside_reasons } = await fetchIt({
      body: lines.join('\r\n'),
    })
    expect([state, rows_taken, rows_set_aside]).toEqual(['done', 28, 2])
    expect(JSON.stringify(set_aside_reasons)).toMatch(
      /A quote in this line.*16 cells, but the header names 14|14 columns/,
    )
  })

  it('is not fetched again while it says that it is unchanged', async () => {
    const served = csvFile(rowsOf(3), { etag: '"one"' })
    answer = ({ headers }) => (headers['if-none-match'] === '"one"' ? { status: 304 } : served)
    const again = () => sweep(ingestion, 'springfield-csv', csvEntry().address, { now: NOW })
    expect(await again()).toMatchObject({ is_unchanged: false, lots_new: 3 })
    expect(await again()).toMatchObject({ is_unchanged: true, lots_withdrawn: 0 })
  })
})

describe('a table of CKAN', () => {
  const fetchIt = async () => {
    const { key, address } = await addFeed(ingestion.sql, ckanEntry())
    return sweep(ingestion, key, address, { now: NOW })
  }

  it('is read to its last page, with its filters, and no column but those of the entry', async () => {
    answer = ckanOf(rowsOf(2001))
    expect(await fetchIt()).toMatchObject({ state: 'done', reason: null, lots_new: 2001 })
    const pages = source.asked.filter(({ url }) => url.searchParams.has('offset'))
    expect(pages.map(({ url }) => url.searchParams.get('offset'))).toEqual(['0', '1000', '2000'])
    for (const { url } of pages) {
      expect(url.searchParams.get('filters')).toBe('{"Town": "Springfield"}')
      expect(url.searchParams.get('fields')).toContain('Lot No')
      expect(url.searchParams.get('fields')).not.toContain('Consignor')
    }
  })

  it.each<[string, (asked: Asked) => Served, RegExp]>([
    ['fewer rows than it counts', ckanOf(rowsOf(30), 45), /has 45 rows and sent 30/],
    [
      'no success',
      () => json({ success: false, error: { message: 'PLANTED', __type: 'Not Found' } }),
      /no records/,
    ],
    [
      'no total',
      () => json({ success: true, result: { records: rowsOf(3) } }),
      /no records with their total/,
    ],
    ['no records', () => json({ success: true, result: { total: 3 } }), /no records/],
    ['the same page again and again', () => ckanPage(rowsOf(1000), 3000), /the same page again/],
    ['an error', () => ({ status: 409, body: '{"success": false}' }), /answered 409/],
  ])('is refused where it sends %s', async (_what, serve, reason) => {
    answer = serve
    const result = await fetchIt()
    expect(result).toMatchObject({
      state: 'refused',
      lots_new: 0,
      reason: expect.stringMatching(reason),
    })
    expect(result.reason).not.toContain('PLANTED')
  })
})

describe('a field of an entry', () => {
  it.each([
    ['Reserve', 'Met', { reserve_met: true }],
    ['Reserve', 'No Reserve', { reserve_met: true }],
    ['Reserve', 'reserve not met', { reserve_met: false }],
    ['Reserve', 'N', { reserve_met: false }],
    ['Reserve', '', { reserve_met: null }],
    ['Qty', '12', { quantity: 12 }],
    ['Qty', '0', { quantity: 1 }],
    [
      'Condition',
      'Runs and drives, needs brakes and a battery before it is used again',
      { condition_grade: 'repairable' },
    ],
    ['Condition', 'Brand new', { condition_grade: 'new' }],
    ['Condition', 'Good', { condition_grade: 'Good' }],
    ['Odometer', '121004 miles', { odometer_miles: 121_004 }],
    ['Odometer', 'Unknown', { odometer_miles: null }],
    ['Odometer', '0', { odometer_miles: null }],
    ['Bids', '0', { num_bids: 0, current_bid_cents: null }],
    ['Photo', 'no photo', { image_url: null }],
  ])('reads %s of %j', async (column, value, expected) => {
    answer = () => csvFile([{ ...ROW, Notes: '', [column]: value }])
    const { key, address } = await addFeed(ingestion.sql, csvEntry())
    expect(await sweep(ingestion, key, address)).toMatchObject({ state: 'done' })
    const [lot] = await ingestion.sql`select * from lots where source = ${key}`
    expect({ ...lot, description: lot?.description ?? '' }).toMatchObject(expected)
  })

  it.each<[string, object, RegExp]>([
    [
      'a condition for a file, which has no language',
      { ...ENTRY, portal: 'csv', where: 'a = 1' },
      /\/where is not for/,
    ],
    ['CKAN without an order', { ...ENTRY, portal: 'ckan' }, /required property 'order'/],
    [
      'a condition for CKAN that is none',
      { ...ENTRY, portal: 'ckan', order: '_id', where: 'a = 1' },
      /its filters as JSON/,
    ],
    [
      'the page of a table of CKAN',
      { ...ENTRY, portal: 'ckan', order: '_id', address: 'https://a.gov/dataset/x' },
      /datastore_search/,
    ],
  ])('is refused with a sentence: %s', (_what, entry, reason) => {
    const whole = { key: 'springfield', address: `https://a.gov${CKAN_PATH}`, ...entry }
    expect(() => parseFeedEntry(whole)).toThrow(reason)
  })
})
