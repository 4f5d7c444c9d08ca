import { beforeAll, describe, expect, it } from 'vitest'
import type { Listing, Schemas } from '../../src/contract/types.ts'
import { contract } from '../support/contract/contract.ts'
import { HOSTILE_TEXTS } from '../support/hostile/hostileInputs.ts'
import { violationsOf } from '../support/hostile/hostileViolations.ts'
import { insertAppraisal, insertLots, insertSales } from '../support/lots/fixtures.ts'
import { SORTS } from '../support/lots/sortable.ts'
import { readStrictCsv } from '../support/lots/strictCsv.ts'
import { serviceFor } from '../support/service/start.ts'

/** The service lives by the clock of the database, and sales count for a year. */
const AN_HOUR_AGO = new Date(Date.now() - 3_600_000)
const SOURCE_NAME = `<b>"O'Brien" & Söhne</b>`

const api = serviceFor()
let ids: string[]

const shortened = (text: string, length: number) => [...text].slice(0, length).join('')

/** Every column of text that a source could fill. */
const rows = HOSTILE_TEXTS.map((text, index) => ({
  slug: `hostile-${index}`,
  title: shortened(text, 500),
  description: text,
  state: shortened(text, 2),
  city: shortened(text, 200),
  zip: shortened(text, 10),
  condition_grade: shortened(text, 40),
  image_url: text,
  source_url: `https://auctions.example/?a='${encodeURIComponent(text)}'`,
  current_bid_cents: index * 100,
  num_bids: index % 7,
  flip_score: index % 101,
  starts_at: '-infinity' as const,
  ends_at: 'infinity' as const,
}))

const byId = () => new Map(ids.map((id, index) => [id, rows[index]!]))

beforeAll(async () => {
  await api.sql`update sources set name = ${SOURCE_NAME} where source = 'gsa'`
  ids = await insertLots(api.sql, rows)
})

async function read<Body>(
  path: string,
  operationId: Parameters<typeof violationsOf>[1],
): Promise<Body> {
  const answer = await api.ask({ method: 'GET', path })
  expect(answer.status, path).toBe(200)
  expect(violationsOf(answer, operationId), path).toEqual([])
  return JSON.parse(answer.body || '{}') as Body
}

const TEXTS = [
  'title',
  'state',
  'city',
  'zip',
  'condition_grade',
  'image_url',
  'source_url',
] as const

function expectAsStored(listing: Listing, row: (typeof rows)[number]): void {
  for (const name of TEXTS) expect(listing[name]).toBe(row[name])
  expect(listing.bidprowl_url).toMatch(new RegExp(`/listings/${row.slug}$`))
  expect(listing.source_name).toBe(SOURCE_NAME)
}

describe(`${rows.length} lots whose every text is hostile`, () => {
  it('are each read as stored by id, and some by slug', async () => {
    for (const [n, [id, row]] of [...byId()].entries()) {
      for (const name of n % 5 ? [id] : [id, row.slug]) {
        const { data } = await read<Schemas['ListingEnvelope']>(
          `/api/v1/listings/${name}`,
          'getListing',
        )
        expectAsStored(data, row)
      }
    }
  })

  it.each(SORTS)('are all on the pages of a search by %s, as stored', async sort => {
    const seen: string[] = []
    for (let page = 1; page <= Math.ceil(rows.length / 50); page++) {
      const path = `/api/v1/listings?sort=${sort}&per_page=50&page=${page}`
      const { data, total } = await read<Schemas['ListingPage']>(path, 'searchListings')
      expect(total).toBe(rows.length)
      for (const listing of data) expectAsStored(listing, byId().get(listing.id)!)
      seen.push(...data.map(({ id }) => id))
    }
    expect(seen.toSorted()).toEqual(ids.toSorted())
  })

  it('are found by their own words, or not, but never fail', async () => {
    for (const { title } of rows) {
      const path = `/api/v1/listings?q=${encodeURIComponent(shortened(title, 200))}`
      await read(path, 'searchListings')
    }
  })

  it('are whole in the export, whose cells no spreadsheet runs', async () => {
    const answer = await api.ask({ method: 'GET', path: '/api/v1/export' })
    expect(violationsOf(answer, 'exportListings')).toEqual([])
    const [header, ...cells] = readStrictCsv(answer.body)
    expect(header).toEqual(contract.propertiesOf('Listing'))
    expect(cells).toHaveLength(rows.length)
    for (const row of cells) {
      const told = Object.fromEntries(header!.map((name, index) => [name, row[index]!]))
      const stored = byId().get(told.id!)!
      for (const name of TEXTS) expect(told[name]).toBe(asCell(stored[name]))
      for (const cell of row) expect(cell).not.toMatch(/^[=+\-@\t\r]/)
    }
  })

  it('are pages of HTML in which nothing of them is markup', async () => {
    for (const { slug } of rows) {
      const answer = await api.ask({ method: 'GET', path: `/listings/${slug}` })
      expect(answer.status).toBe(200)
      expect(answer.body).not.toMatch(
        /<script>alert|<img src=x|<\?xml|<b>"O'Brien|href="javascript:/,
      )
    }
  })

  it('say their source in the list of sources', async () => {
    const { data } = await read<Schemas['SourceList']>('/api/v1/sources', 'listSources')
    expect(data.find(({ source }) => source === 'gsa')).toMatchObject({
      name: SOURCE_NAME,
      live_count: rows.length,
    })
  })
})

describe('what is known of a lot whose every text is hostile', () => {
  it('is read as stored, ten comparables at a time', async () => {
    const sold = { sold_at: AN_HOUR_AGO, final_bid_cents: 12_345 }
    const sales = await insertSales(
      api.sql,
      rows.map(({ title, source_url }) => ({ title, source_url, ...sold })),
    )
    for (let start = 0; start < rows.length; start += 10) {
      const lot_id = ids[start]!
      const sale_ids = sales.slice(start, start + 10)
      await insertAppraisal(api.sql, { lot_id, sale_ids, similarities: sale_ids.map(() => 0.5) })
      const { data } = await read<Schemas['CompsEnvelope']>(
        `/api/v1/comps?listing_id=${lot_id}`,
        'getComps',
      )
      expect(data.comparables?.map(({ title }) => title)).toEqual(
        rows.slice(start, start + 10).map(({ title }) => title),
      )
    }
  })

  it('is read by its id and by its slug: the Flip Score', async () => {
    const factors = Object.fromEntries(
      contract.propertiesOf('FlipFactors').map(name => [name, name.endsWith('_points') ? 0 : 1]),
    )
    for (let index = 1; index < rows.length; index += 10) {
      const lot_id = ids[index]!
      await insertAppraisal(api.sql, { lot_id, flip_score: 50, factors })
      for (const name of [lot_id, rows[index]!.slug]) {
        const { data } = await read<Schemas['FlipScoreEnvelope']>(
          `/api/v1/flip-score/${name}`,
          'getFlipScore',
        )
        expect(data).toMatchObject({ id: lot_id, flip_score: 50, factors })
      }
    }
  })

  it('is asked for by a hostile item: its sales, and no others', async () => {
    const items = [...new Set(HOSTILE_TEXTS.map(text => shortened(text, 100)))]
    const sale = { sold_at: AN_HOUR_AGO, final_bid_cents: 700 }
    await insertSales(
      api.sql,
      items.flatMap(item => Array.from({ length: 5 }, () => ({ ...sale, item }))),
    )
    for (const item of items) {
      const path = `/api/v1/comps?item=${encodeURIComponent(item)}`
      const { data } = await read<Schemas['CompsEnvelope']>(path, 'getComps')
      expect(data).toMatchObject({ item, sold_count: 5, median_cents: 700 })
    }
  })
})

describe('the Link header of a page', () => {
  it('stays below 8,000 characters, and still leads to the next page', async () => {
    const query = `q=${encodeURIComponent(`cmd or ${'😀'.repeat(190)}`)}&source=gsa`
    const always = { starts_at: '-infinity', ends_at: 'infinity' } as const
    const lots = Array.from({ length: 9 }, (_, index) => ({
      slug: `cmd-${index}`,
      title: 'cmd',
      ...always,
    }))
    await insertLots(api.sql, lots)
    const answer = await api.ask({
      method: 'GET',
      path: `/api/v1/listings?${query}&per_page=2&page=2`,
    })
    expect(violationsOf(answer, 'searchListings')).toEqual([])
    const next = /<([^>]*)>; rel="next"/.exec(answer.headers.link!)?.[1]
    expect(new URL(next!).searchParams.get('page')).toBe('3')
  })
})

/** As the contract says: an apostrophe before what a spreadsheet would run. */
function asCell(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
}
