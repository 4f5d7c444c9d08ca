import { beforeAll, describe, expect, it } from 'vitest'
import type { Listing, Schemas } from '../../src/contract/types.ts'
import { LISTING_FIELDS } from '../support/contract/listingFields.ts'
import { DAY, fromNow, HOUR, insertLots, NOW } from '../support/lots/fixtures.ts'
import { FILTER_PAIRS, FINDINGS_OF_EACH, insertSearchWorld } from '../support/lots/searchWorld.ts'
import { insertSortable, orderedIds, SORTS } from '../support/lots/sortable.ts'
import { readStrictCsv } from '../support/lots/strictCsv.ts'
import { itUsesItsParameters } from '../support/operations/parameterPairs.ts'
import { itRefusesParameters } from '../support/operations/parameters.ts'
import { serviceFor, type TestService } from '../support/service/start.ts'

const PATH = '/api/v1/export'

interface Export {
  total: number
  columns: string[]
  /** One object per row, every cell as text. */
  rows: Record<string, string>[]
}

describe('exportListings', () => {
  const api = serviceFor({ now: NOW, opensSeenPages: true })
  const crowds = serviceFor({ now: NOW })

  beforeAll(() => insertSearchWorld(api.sql))

  async function read(query: string, of: TestService = api): Promise<Export> {
    const { status, headers, text } = await of.get(`${PATH}?${query}`)
    expect([query, status, headers['content-type']]).toEqual([
      query,
      200,
      'text/csv; charset=utf-8',
    ])
    const [columns = [], ...lines] = readStrictCsv(text)
    const rows = lines.map(cells => Object.fromEntries(cells.map((cell, n) => [columns[n], cell])))
    return { total: Number(headers['x-total-count']), columns, rows }
  }

  it('200 with a header row of the Listing fields in contract order', async () => {
    expect((await read('')).columns).toEqual(LISTING_FIELDS)
  })

  it('200 with the values of the search, nulls as empty cells', async () => {
    const { data } = (await api.get('/api/v1/listings?zip=60601')).body as Schemas['ListingPage']
    const { rows } = await read('zip=60601')
    expect(rows).toEqual(data.map(asText))
    expect(rows.map(row => row.distance_miles)).toEqual(['0', data[1]!.distance_miles!.toString()])
    const [chair] = (await read('q=chair')).rows
    expect([chair?.current_bid_cents, chair?.end_date, chair?.num_bids]).toEqual(['', '', '0'])
  })

  it('200 with the conditions of bidding in one cell', async () => {
    const bid_conditions = ['sealed_bid', 'inspection_required']
    await insertLots(crowds.sql, [{ slug: 'conditions', source: 'gsa-fleet', bid_conditions }])
    const { rows } = await read('source=gsa-fleet', crowds)
    expect(rows.map(row => row.bid_conditions)).toEqual(['sealed_bid;inspection_required'])
  })

  it.each(FINDINGS_OF_EACH)(
    '200 with the same lots as the search of ?%s: %j',
    async (query, found) => {
      const { rows, total } = await read(query)
      expect([slugsOf(rows), total]).toEqual([found, found.length])
    },
  )

  it.each(SORTS)('200 sorted by %s as the search is, on one page', async sort => {
    const source = `sorted-${sort.replace('_', '-')}`
    const lots = await insertSortable(crowds.sql, source)
    const { rows } = await read(`source=${source}&sort=${sort}`, crowds)
    expect(rows.map(({ id }) => id)).toEqual(orderedIds(lots, sort))
  })

  it('200 with a header row alone when nothing matches', async () => {
    const { text, headers } = await api.get(`${PATH}?state=ZZ`)
    expect(text).toBe(`${LISTING_FIELDS.join(',')}\r\n`)
    expect(headers['x-total-count']).toBe('0')
  })

  it('200 with quotes, commas, line breaks and every alphabet intact', async () => {
    const titles = [
      ...[
        'plain',
        'a, b',
        '"quoted"',
        '5" pipe',
        'two\nlines',
        'two\r\nlines',
        'žluťoučký 中文 🚚',
      ],
      ...[' spaced ', 'C:\\temp\\', '\\\\server\\"share"', '(in brackets)'],
    ]
    await insertLots(
      crowds.sql,
      titles.map((title, n) => titled('dla', title, n)),
    )
    const { text } = await crowds.get(`${PATH}?source=dla`)
    const [columns = [], ...rows] = readStrictCsv(text)
    expect(rows.map(row => row[columns.indexOf('title')])).toEqual(titles)
    for (const cell of ['"a, b"', '"""quoted"""', '"5"" pipe"', '"two\nlines"', '"two\r\nlines"']) {
      expect(text).toContain(`,${cell},`)
    }
    expect(text.split('\r\n').at(-1), 'the last row is ended too').toBe('')
  })

  it('200 with a byte order mark before the same file, whole or compressed, only where it is asked for', async () => {
    const headers = { authorization: `Bearer ${await api.masterKey()}` }
    for (const coding of ['identity', 'gzip']) {
      const bytes = async (query: string) => {
        const sent = { headers: { ...headers, 'accept-encoding': coding } }
        return Buffer.from(
          await (await fetch(`${api.address}${PATH}?${query}`, sent)).arrayBuffer(),
        )
      }
      const plain = await bytes('')
      expect(plain.subarray(0, 3).toString()).toBe('id,')
      expect(await bytes('bom=true')).toEqual(
        Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain]),
      )
      expect(await bytes('bom=false')).toEqual(plain)
    }
  })

  it('200 with cells that a spreadsheet would run made safe by an apostrophe', async () => {
    const dangerous = [
      ...['=1+1', '=cmd|"/c calc"!A1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'],
      ...['＝1', '＋1', '－1', '＠A'],
    ]
    const harmless = [' =1', "'=1", '1=1', 'a@b', '1-1', '٣']
    await insertLots(
      crowds.sql,
      [...dangerous, ...harmless].map((title, n) => ({
        ...titled('irs', title, n),
        city: title,
        condition_grade: title,
      })),
    )
    const { rows } = await read('source=irs', crowds)
    const expected = [...dangerous.map(text => `'${text}`), ...harmless]
    for (const column of ['title', 'city', 'condition_grade']) {
      expect(rows.map(row => row[column])).toEqual(expected)
    }
  })

  it('200 with a dated file name, by the UTC day', async () => {
    const name = async (now: Date) => {
      api.clock.now = now
      return (await api.get(`${PATH}?category=vehicles`)).headers['content-disposition']
    }
    expect(await name(NOW)).toBe('attachment; filename="surplus-listings-2026-11-21.csv"')
    expect(await name(new Date('2027-01-01T00:00:00Z'))).toContain('2027-01-01.csv')
    expect(await name(new Date('2026-12-31T23:59:59.999Z'))).toContain('2026-12-31.csv')
  })

  it('200 with the first 5,000 of 5,100 lots, and 5,100 in X-Total-Count', async () => {
    await fillCrowds(crowds)
    const { rows, total } = await read('source=hud', crowds)
    expect([rows.length, total]).toEqual([5_000, 5_100])
    expect(slugsOf(rows)).toEqual(Array.from({ length: 5_000 }, (_, n) => `many-${n + 1}`))
    crowds.clock.now = fromNow(HOUR + 100_000)
    expect(await read('source=hud', crowds)).toMatchObject({
      total: 5_000,
      rows: { length: 5_000 },
    })
  })

  it('200 with lots of one moment, the first ones and the last ones, while both change together', async () => {
    await fillCrowds(crowds)
    const pair = ['many-200', 'many-4900']
    let isOver = false
    const changes = (async () => {
      for (let bid = 1; !isOver; bid++)
        await crowds.sql`update lots set current_bid_cents = ${bid} where slug in ${crowds.sql(pair)}`
    })()
    const seen: unknown[][] = []
    while (seen.length < 4 || new Set(seen.flat()).size < 2) {
      const { rows } = await read('source=hud', crowds)
      const two = rows.filter(row => pair.some(slug => row.bidprowl_url!.endsWith(`/${slug}`)))
      seen.push(two.map(row => row.current_bid_cents))
    }
    isOver = true
    await changes
    expect(seen.filter(([one, other]) => one === undefined || one !== other)).toEqual([])
  })

  it('200 whatever If-None-Match says: a file has no ETag', async () => {
    const { status, headers } = await api.get(`${PATH}?category=vehicles`, {
      headers: { 'If-None-Match': '*' },
    })
    expect([status, headers.etag]).toEqual([200, undefined])
  })

  // Its filters have the bounds of the search: test/gates/contractRules.test.ts.
  itRefusesParameters(api, PATH, {
    page: ['page=1'],
    per_page: ['per_page=20'],
    catgory: ['catgory=vehicles'],
    category: ['category=cars'],
    zip: ['zip=99999'],
    price_min: ['price_min=2&price_max=1'],
    sort: ['sort=nearest'],
    buy_now: ['buy_now=true&buy_now=true'],
  })

  itUsesItsParameters(
    'exportListings',
    () => ({ ...FILTER_PAIRS, bom: ['bom=true', 'bom=false'] }),
    async query => {
      const { columns, rows } = await read(query)
      return [columns[0], ...slugsOf(rows)]
    },
  )
})

function titled(source: string, title: string, n: number) {
  return { slug: `${source}-${n}`, source, title, ends_at: fromNow(DAY + n * 1000) }
}

function asText(listing: Listing): Record<string, string> {
  return Object.fromEntries(
    Object.entries(listing).map(([name, value]) => [name, String(value ?? '')]),
  )
}

function slugsOf(rows: Record<string, string>[]): string[] {
  return rows.map(row => row.bidprowl_url!.split('/').at(-1)!)
}

/** 5,100 lots of HUD, each ending a second after the one before. */
async function fillCrowds(crowds: TestService): Promise<void> {
  await crowds.sql`
    insert into lots (source, source_id, slug, title, category, source_url, ends_at, is_open, observed_at)
    select
      'hud', n, 'many-' || n, 'Number ' || n, 'other', 'https://auctions.example',
      ${fromNow(HOUR).toISOString()}::timestamptz + n * interval '1 second', true, now()
    from generate_series(1, 5100) as n
    on conflict do nothing`
}
