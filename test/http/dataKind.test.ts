import { describe, expect, it } from 'vitest'
import { loadDemo } from '../../src/commands/demo.ts'
import { openAdminConnection } from '../../src/infra/postgres/database.ts'
import { NOW } from '../support/lots/fixtures.ts'
import { initializeRequest, modernRequest, post } from '../support/mcp/mcp.ts'
import { exchange } from '../support/service/rawHttp.ts'
import { serviceFor } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'

const SEARCH = '/api/v1/listings?per_page=5'

const api = serviceFor()

const kindOf = async (path: string) => (await api.get(path)).headers['x-data']

describe('X-Data', () => {
  it('is live before demo data are loaded, also on a repeated answer', async () => {
    for (const path of [SEARCH, SEARCH, '/healthz']) expect(await kindOf(path)).toBe('live')
  })

  it('is demo from the first call after another process began to load demo data', async () => {
    const elsewhere = openAdminConnection(api.databaseUrl)
    await loadDemo(elsewhere, { lots: 30, sales: 60, seed: 1, now: NOW, onProgress: () => {} })
    await elsewhere.end()
    expect(await kindOf(SEARCH)).toBe('demo')
  })

  it('is demo where an answer made before is repeated', async () => {
    const before = '/api/v1/listings?per_page=6'
    await api.sql`update data_version set kind = 'live'`
    expect(await kindOf(before)).toBe('live')
    await api.sql`update data_version set kind = 'demo'`
    expect(await kindOf(before)).toBe('demo')
  })

  const search = modernRequest('tools/call', { name: 'search_listings', arguments: {} })
  it.each<readonly [string, () => ReturnType<typeof post>]>([
    [
      '304',
      async () =>
        api.get(SEARCH, { headers: { 'If-None-Match': (await api.get(SEARCH)).headers.etag! } }),
    ],
    ['400', () => api.get('/api/v1/listings?per_page=many')],
    [
      '429',
      async () => {
        const key = await api.makeKey('free', { monthly: 1 })
        await api.get(SEARCH, { key })
        return api.get(SEARCH, { key })
      },
    ],
    ['export', () => api.get('/api/v1/export')],
    ['a tool call', () => post(api, search.message, { headers: search.headers, key: null })],
    ['a preflight', () => api.send('options', SEARCH, { key: null })],
    ...['/search', '/feeds/listings.json', '/healthz', '/openapi.json'].map(
      path => [path, () => api.get(path, { key: null })] as const,
    ),
  ])('is on every answer: %s', async (_name, call) => {
    expect((await call()).headers['x-data']).toBe('demo')
  })

  it('is on refusals of the HTTP parser', async () => {
    const { answers } = await exchange(api.address, 'this is not HTTP\r\n\r\n')
    expect(answers.map(({ status, headers }) => [status, headers['x-data']])).toEqual([
      [400, 'demo'],
    ])
  })

  it('may be read by scripts of any origin', async () => {
    const { headers } = await api.get(SEARCH, { headers: { Origin: 'https://example.com' } })
    expect(headers['access-control-expose-headers']).toContain('X-Data')
  })
})

describe('what a person or an agent is told about demo data', () => {
  const NOTICE = /these lots are made up and can’t be bid on/

  it.each(['/', '/search', '/docs', '/docs/reference', '/pricing', '/account/sign-in'])(
    '%s has a banner',
    async path => {
      const text = await (await fetch(api.address + path)).text()
      expect(text).toContain('<aside class="demo" aria-label="Demo data">Demo: ')
    },
  )

  it('an error page has a banner, and a JSON error has none', async () => {
    const page = await fetch(`${api.address}/nothing`, { headers: { Accept: 'text/html' } })
    expect([page.status, NOTICE.test(await page.text())]).toEqual([404, true])
    expect((await api.get('/api/v1/nothing', { key: null })).text).not.toMatch(NOTICE)
  })

  it('no page has a banner while the data are live', async () => {
    await api.sql`update data_version set kind = 'live'`
    await api.get(SEARCH)
    const { text, headers } = await api.get('/', { key: null })
    expect([headers['x-data'], NOTICE.test(text)]).toEqual(['live', false])
    expect((await api.get('/llms.txt', { key: null })).text).not.toMatch(NOTICE)
    await api.sql`update data_version set kind = 'demo'`
    await api.get(SEARCH)
  })

  it('/llms.txt says so', async () => {
    expect((await api.get('/llms.txt', { key: null })).text).toMatch(NOTICE)
  })

  it('the instructions for agents say so, in both revisions', async () => {
    const initialized = await post(api, initializeRequest('2025-06-18'), { key: null })
    expect(initialized.body.result.instructions).toMatch(NOTICE)
    const { message, headers } = modernRequest('server/discover')
    const discovered = await post(api, message, { headers, key: null })
    expect(discovered.body.result.instructions).toMatch(NOTICE)
  })

  it('a lot leads to its own page, everywhere, and its page offers no bid', async () => {
    const { body } = await api.get(SEARCH)
    expect(body.data).not.toEqual([])
    for (const lot of body.data)
      expect([lot.source_url, lot.image_url]).toEqual([lot.bidprowl_url, null])
    const { text } = await api.get('/api/v1/export')
    expect(text).not.toMatch(/https?:\/\/(?!surplus\.test)/)
    const page = await api.get(new URL(body.data[0].bidprowl_url).pathname, { key: null })
    expect(page.text).toContain('A demo lot: it has no official page.')
    expect(page.text).toContain('<meta name="robots" content="noindex">')
    expect(page.text).not.toMatch(/class="action"[^>]*>(Bid|See) at|application\/ld\+json/)
  })

  it('a comparable leads to its own page', async () => {
    const [lot] = await api.sql<{ id: string }[]>`
      select lot_id as id from appraisals where cardinality(sale_ids) > 0 limit 1`
    const { body } = await api.get(`/api/v1/comps?listing_id=${lot!.id}`)
    for (const { source_url } of body.data.comparables) {
      expect(source_url).toMatch(new RegExp(`^${PUBLIC_URL}/listings/`))
      expect((await api.get(new URL(source_url).pathname, { key: null })).status).toBe(200)
    }
  })

  it('sources that have not agreed to be read have no live lot and no fetch', async () => {
    const { body } = await api.get('/api/v1/sources')
    const fetched = body.data.filter(
      (source: { last_success_at: string | null }) => source.last_success_at !== null,
    )
    const federal = [
      'gsa',
      'gsa-fleet',
      'gsa-real-estate',
      'hud',
      'irs',
      'treasury',
      'us-marshals',
      'usda',
    ]
    expect(federal).toEqual(
      expect.arrayContaining(fetched.map(({ source }: { source: string }) => source)),
    )
    expect(fetched).not.toEqual([])
  })
})
