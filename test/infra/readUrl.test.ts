import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { feedToken } from '../../src/domain/alerts/savedSearch.ts'
import { insertSearches } from '../support/alerts/savedSearches.ts'
import { type FreshDatabase, freshDatabase, outdateAnswers } from '../support/database/database.ts'
import { DAY, fromNow, insertLots, insertSales, NOW } from '../support/lots/fixtures.ts'
import { callTool } from '../support/mcp/mcp.ts'
import { forOneTest, shared } from '../support/run/shared.ts'
import { startService } from '../support/service/service.ts'
import { start } from '../support/service/start.ts'
import { PEPPER } from '../support/service/testSettings.ts'
import type { FormBrowser } from '../support/site/formBrowser.ts'
import { readPage } from '../support/site/readPage.ts'

const NOWHERE = 'postgres://nobody@127.0.0.1:1/nothing'
const OWNER = 'owner@read-url.example'

// Another database, which differs from the primary as much as no replica would: each answer shows
// which of them was read.
const copy = shared(freshDatabase)
const api = shared(() =>
  start({ now: NOW, opensSeenPages: false, settings: { readUrl: copy.url } }),
)

/** Lots and a sale whose titles name their database. */
async function fill({ sql }: Pick<FreshDatabase, 'sql'>, title: string, slugs: string[]) {
  const item = { item: 'ford-f-150', category: 'vehicles', state: 'TX' }
  await insertLots(
    sql,
    slugs.map(slug => ({ ...item, slug, title })),
  )
  await insertSales(sql, [{ ...item, title, sold_at: fromNow(-DAY), final_bid_cents: 100_00 }])
}

const lotPaths = [
  '/search',
  '/search?q=truck',
  '/listings/lot',
  '/listings/lot/end.ics',
  '/feeds/listings.rss',
]

beforeAll(async () => {
  await fill(api, 'Truck of the primary', ['lot'])
  await fill(copy, 'Truck of the copy', ['lot', 'second'])
})

const titlesIn = (text: string) => [...new Set(text.match(/Truck of the (?:primary|copy)/g))]
const titlesAt = async (path: string, address = api.address) =>
  titlesIn((await readPage(address + path)).html)

describe('with DATABASE_READ_URL', () => {
  it.each(['/', '/lots/texas'])('%s counts the lots of the copy', async path => {
    expect((await readPage(api.address + path)).words).toMatch(/\b2 live lots\b/)
  })

  it('pages of lots and feeds of a search are read from the copy', async () => {
    for (const path of lotPaths)
      expect([path, await titlesAt(path)]).toEqual([path, ['Truck of the copy']])
  })

  it('a lot that the copy does not have yet has no page, and one that it still has keeps its page', async () => {
    await insertLots(api.sql, [{ slug: 'new' }])
    const statusOf = async (slug: string) =>
      (await readPage(`${api.address}/listings/${slug}`)).status
    expect([await statusOf('new'), await statusOf('second')]).toEqual([404, 200])
    expect((await api.read('/api/v1/listings/new')).data.id).toBeDefined()
    await api.sql`delete from lots where slug = 'new'`
  })

  it('the API reads the primary, REST and MCP, counts too', async () => {
    const paths = ['listings', 'listings/lot', 'export', 'sales?category=vehicles', 'changes']
    for (const path of paths) {
      const { status, text } = await api.get(`/api/v1/${path}`)
      expect([path, status, titlesIn(text)]).toEqual([path, 200, ['Truck of the primary']])
    }
    expect(titlesIn((await callTool(api, 'search_listings', { q: 'truck' })).text)).toEqual([
      'Truck of the primary',
    ])
    const { data } = await api.read('/api/v1/sources')
    expect(data.find(({ source }: { source: string }) => source === 'gsa').live_count).toBe(1)
  })

  describe('an account', () => {
    let visitor: FormBrowser
    beforeAll(async () => {
      visitor = await api.signedIn(OWNER)
    })

    it('reads the primary on each page, for as long as it is signed in', async () => {
      const titles = async (path: string) => titlesIn((await visitor.open(path)).body)
      for (const path of [...lotPaths, '/account/alerts/new?q=truck'])
        expect([path, await titles(path)]).toEqual([path, ['Truck of the primary']])
      expect((await visitor.open('/')).text).toContain('1 live lot')
      expect((await visitor.open('/listings/second')).status).toBe(404)
    })

    it('has feeds and files of its alerts from the primary, which need no session', async () => {
      const [account] = await api.sql<{ id: number }[]>`
        update accounts set plan = 'enterprise' where owner = ${OWNER} returning id`
      const [id] = await insertSearches(api.sql, [{ account_id: account!.id }])
      const path = `/feeds/alerts/${feedToken(PEPPER, id!, 1)}`
      expect(await titlesAt(`${path}.csv`)).toEqual(['Truck of the primary'])
      for (const format of ['rss', 'json', 'ics'])
        expect((await readPage(`${api.address}${path}.${format}`)).status).toBe(200)
    })
  })

  describe('that fails', () => {
    it('pages are read from the primary, which the log says once, and from the copy when it answers again', async () => {
      await copy.sql`alter table lots rename column title to heading`
      for (const path of lotPaths)
        expect([path, await titlesAt(path)]).toEqual([path, ['Truck of the primary']])
      await copy.sql`alter table lots rename column heading to title`
      for (const path of lotPaths)
        expect([path, await titlesAt(path)]).toEqual([path, ['Truck of the copy']])
      expect(api.log().split('DATABASE_READ_URL fails')).toHaveLength(2)
    })

    it('a read that takes too long there is refused, not tried again', async () => {
      await copy.sql.begin(async lock => {
        await lock`lock table lots in access exclusive mode`
        expect((await readPage(`${api.address}/listings/lot`)).status).toBe(503)
      })
    })
  })
})

describe('a server that cannot be reached', () => {
  // Found pages would be those of another test.
  beforeEach(() => outdateAnswers(copy.sql))

  it('at DATABASE_READ_URL costs no page', async () => {
    const service = await forOneTest(
      startService(api.databaseUrl, undefined, { readUrl: NOWHERE, now: () => NOW }),
    )
    const pages = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        titlesAt(lotPaths[n % lotPaths.length]!, service.address),
      ),
    )
    expect(new Set(pages.flat())).toEqual(new Set(['Truck of the primary']))
    expect((await fetch(`${service.address}/readyz`)).status).toBe(200)
  })

  it('at DATABASE_URL leaves the pages of the copy, while calls get 503 and /readyz too', async () => {
    const service = await forOneTest(
      startService(NOWHERE, undefined, { readUrl: copy.url, now: () => NOW }),
    )
    for (const path of lotPaths)
      expect([path, await titlesAt(path, service.address)]).toEqual([path, ['Truck of the copy']])
    const headers = { authorization: `Bearer ${await api.masterKey()}` }
    for (const path of ['/api/v1/listings', '/readyz'])
      expect([path, (await fetch(service.address + path, { headers })).status]).toEqual([path, 503])
  })
})
