import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Schemas } from '../../src/contract/types.ts'
import { createFolderStore } from '../../src/infra/archives/store.ts'
import { writeArchives } from '../../src/usecases/writeArchives.ts'
import { insertSearches } from '../support/alerts/savedSearches.ts'
import { archiveSettings, insertOctober } from '../support/archives/archiveWorld.ts'
import { linksOf } from '../support/contract/links.ts'
import { fromNow, insertLots, insertSales, MINUTE, NOW } from '../support/lots/fixtures.ts'
import { itUsesItsParameters } from '../support/operations/parameterPairs.ts'
import { itRefusesParameters } from '../support/operations/parameters.ts'
import { temporaryFolder } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import { PEPPER, PUBLIC_URL } from '../support/service/testSettings.ts'

const PATH = '/api/v1/archives'

describe('listArchives', () => {
  const folder = temporaryFolder()
  const api = serviceFor({ now: NOW, archiveFolder: folder, opensSeenPages: true })
  let key: string
  let otherKey: string

  beforeAll(async () => {
    key = await api.makeKey('enterprise', { owner: 'reader@example.com' })
    otherKey = await api.makeKey('enterprise', { owner: 'other@example.com' })
    await insertOctober(api.sql)
    await insertSales(api.sql, [
      { final_bid_cents: 700, sold_at: new Date('2026-08-02T00:00:00Z') },
    ])
    await insertLots(api.sql, [
      { slug: 'van', title: 'Ford van', zip: '60601', state: 'IL' },
      { slug: 'boat', title: 'Boat', state: 'TX' },
      { slug: 'van-of-a-partner', title: 'Ford van', source: 'govdeals', state: 'IL' },
    ])
    await api.sql`update accounts set plan = 'enterprise' where owner like '%@example.com'`
    await insertSearches(api.sql, [
      {
        account_id: await accountOf('reader@example.com'),
        name: 'Vans',
        query: { q: 'ford van' },
        by_file: true,
      },
      { account_id: await accountOf('reader@example.com'), name: 'No file', query: {} },
    ])
    await writeArchives(
      api.sql,
      archiveSettings(createFolderStore(folder, PEPPER, PUBLIC_URL)),
      null,
    )
  })

  async function accountOf(owner: string): Promise<number> {
    const [row] = await api.sql<{ id: number }[]>`select id from accounts where owner = ${owner}`
    return row!.id
  }

  const read = (query = '', by = key): Promise<Schemas['ArchivePage']> =>
    api.read(`${PATH}?${query}`, { key: by })

  const named = ({ data }: Schemas['ArchivePage']) =>
    data.map(({ month, table, format }) => `${month} ${table} ${format}`)
  const pathOf = ({ url }: Schemas['ArchiveFile']) => url.replace(PUBLIC_URL, '')
  const load = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(api.address + path, { headers })
    return { response, bytes: Buffer.from(await response.arrayBuffer()) }
  }

  it('200 with the files of every month, the newest first, and the feeds of the account', async () => {
    const { data, total } = await read('per_page=50')
    expect(total).toBe(21)
    expect(data[0]).toMatchObject({
      month: '2026-11',
      table: 'feed',
      day: '2026-11-21',
      feed: 'Vans',
      rows: 1,
    })
    expect(data.map(({ month }) => month)).toEqual([
      ...Array(3).fill('2026-11'),
      ...Array(9).fill('2026-10'),
      ...Array(9).fill('2026-08'),
    ])
    expect(data.find(({ table, format }) => table === 'sales' && format === 'csv')).toEqual({
      month: '2026-10',
      table: 'sales',
      format: 'csv',
      day: null,
      feed: null,
      bytes: expect.any(Number),
      rows: 41,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      schema_version: 4,
      url: expect.stringContaining(`${PUBLIC_URL}/archives/v1/csv/sales/month=2026-10/part-0000.`),
      url_expires_at: '2026-11-21T09:45:00Z',
    })
  })

  it.each([
    [
      'month=2026-08&table=sales',
      ['2026-08 sales csv', '2026-08 sales jsonl', '2026-08 sales parquet'],
    ],
    ['table=changes&format=parquet', ['2026-10 changes parquet', '2026-08 changes parquet']],
    ['table=feed&format=csv', ['2026-11 feed csv']],
    ['month=1999-01', []],
  ])('200 with the files of ?%s', async (query, expected) => {
    expect(named(await read(query))).toEqual(expected)
  })

  it('200 page by page, each file once, with the pages in Link', async () => {
    const all = named(await read('per_page=50'))
    const pages = await Promise.all([1, 2, 3, 4].map(page => read(`per_page=7&page=${page}`)))
    expect(pages.flatMap(named)).toEqual(all)
    expect(pages[3]).toMatchObject({ data: [], total: 21, total_pages: 3 })
    const { next, last } = linksOf(await api.get(`${PATH}?per_page=7`, { key }))
    expect([next, last]).toEqual([2, 3].map(page => `${PUBLIC_URL}${PATH}?per_page=7&page=${page}`))
  })

  it('200 with the feeds of the own account only, and only of searches that it has', async () => {
    expect((await read('table=feed', otherKey)).total).toBe(0)
    const moveTo = async (owner: string) =>
      api.sql`update saved_searches set account_id = ${await accountOf(owner)} where name = 'Vans'`
    await moveTo('other@example.com')
    expect([(await read('table=feed')).total, (await read('table=feed', otherKey)).total]).toEqual([
      0, 0,
    ])
    await moveTo('reader@example.com')
    expect((await read('table=feed')).total).toBe(3)
  })

  it('200 at the link of each file, without a key; its bytes, rows and checksum, whole and in parts', async () => {
    for (const file of (await read('per_page=50')).data) {
      const { response, bytes } = await load(pathOf(file))
      expect([file.url, response.status, bytes.length]).toEqual([file.url, 200, file.bytes])
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(file.sha256)
      expect(response.headers.get('content-encoding')).toBeNull()
    }
    const file = (await read('table=sales&format=parquet')).data[0]!
    const part = await load(pathOf(file), { Range: 'bytes=-4' })
    expect([part.response.status, part.bytes.toString()]).toEqual([206, 'PAR1'])
    const past = await load(pathOf(file), { Range: `bytes=${file.bytes}-` })
    expect([past.response.status, past.response.headers.get('content-type')]).toEqual([
      416,
      'application/json; charset=utf-8',
    ])
    expect(JSON.parse(past.bytes.toString()).error).toBe('The file has no such range.')
    expect(past.response.headers.get('content-disposition')).toBeNull()
    const head = await fetch(api.address + pathOf(file), { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(file.bytes)])
    expect(head.headers.get('accept-ranges')).toBe('bytes')
    expect(head.headers.get('content-disposition')).toBe(
      `attachment; filename="sales-month-2026-10-part-0000.${file.sha256.slice(0, 8)}.parquet"`,
    )
  })

  it('200 until a link has expired, 15 minutes at least, then 403', async () => {
    api.clock.now = fromNow(1)
    const path = pathOf((await read()).data[0]!)
    api.clock.now = fromNow(15 * MINUTE)
    expect((await load(path)).response.status).toBe(200)
    api.clock.now = fromNow(16 * MINUTE + 1)
    const { response, bytes } = await load(path)
    expect(response.status).toBe(403)
    expect(JSON.parse(bytes.toString())).toMatchObject({
      code: 'forbidden',
      error: expect.stringContaining('This link has expired or was changed.'),
    })
  })

  it('403 for a link that was changed: its file, its moment, its signature, or a path out of the folder', async () => {
    const [one, other] = (await read('table=sales')).data.map(pathOf) as [string, string]
    const query = one.slice(one.indexOf('?'))
    const expires = /expires=(\d+)/.exec(query)![1]!
    for (const path of [
      other.split('?')[0] + query,
      one.replace(expires, String(Number(expires) + 60)),
      one.replace(/signature=(.)/, (_, first) => `signature=${first === 'A' ? 'B' : 'A'}`),
      one.replace(/&signature=.*/, ''),
      one.replace(/\?.*/, ''),
      `/archives/v1/manifest.json${query}`,
      `/archives/..%2f..%2f..%2fetc%2fpasswd${query}`,
      `/archives/v1/..%2f..%2fpepper${query}`,
      `/archives/aggregates/manifest.json${query}&expires=1`,
    ]) {
      const { response } = await load(path)
      expect([path, response.status]).toEqual([path, 403])
    }
  })

  it('403 for a link that expires more than 20 minutes ahead, as a clock that is wrong signs it', async () => {
    const store = createFolderStore(folder, PEPPER, PUBLIC_URL)
    const now = Math.floor((api.clock.now ?? NOW).getTime() / 1000)
    const name = pathOf((await read('table=sales')).data[0]!).replace(/^\/archives\/|\?.*/g, '')
    const statusAhead = async (minutes: number) => {
      const { pathname, search } = new URL(await store.linkTo(name, now + minutes * 60))
      return (await load(pathname + search)).response.status
    }
    expect([await statusAhead(16), await statusAhead(21), await statusAhead(40 * 24 * 60)]).toEqual(
      [200, 403, 403],
    )
  })

  it('404 for the link of a file that was replaced, with where the new one is', async () => {
    const path = pathOf((await read('month=2026-08&table=sales')).data[0]!)
    await insertSales(api.sql, [
      { final_bid_cents: 800, sold_at: new Date('2026-08-03T00:00:00Z') },
    ])
    await writeArchives(
      api.sql,
      archiveSettings(createFolderStore(folder, PEPPER, PUBLIC_URL)),
      '2026-08',
    )
    const { response, bytes } = await load(path)
    expect(response.status).toBe(404)
    expect(bytes.toString()).toContain('GET /api/v1/archives has its link')
  })

  itRefusesParameters(api, PATH, {
    month: ['month=2026-13', 'month=2026-1', 'month=october'],
    table: ['table=listings'],
    format: ['format=xlsx'],
    per_page: ['per_page=51'],
    page: ['page=0'],
    day: ['day=2026-11-21'],
  })

  it('403 that names the plan that has archives', async () => {
    const { status, body } = await api.get(PATH, { key: await api.makeKey('pro_plus') })
    expect([status, body.error]).toEqual([403, expect.stringContaining('Enterprise')])
  })

  itUsesItsParameters(
    'listArchives',
    () => ({
      month: ['', 'month=2026-08'],
      table: ['', 'table=sales'],
      format: ['', 'format=parquet'],
      page: ['per_page=7', 'per_page=7&page=2'],
      per_page: ['', 'per_page=7'],
    }),
    async query => named(await read(query)),
  )
})
