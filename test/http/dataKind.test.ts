import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAdminConnection } from '../../src/infra/postgres/database.ts'
import { loadDemo } from '../../src/usecases/ingestion/demoLoads.ts'
import { NOW } from '../support/lots/fixtures.ts'
import { modernRequest, post } from '../support/mcp/mcp.ts'
import { startApi, type TestApi } from '../support/service/api.ts'
import { exchange } from '../support/service/rawHttp.ts'

const SEARCH = '/api/v1/listings?per_page=5'

let api: TestApi

beforeAll(async () => {
  api = await startApi({ opensSeenPages: false })
})

afterAll(() => api.close())

async function kindOf(path: string, key?: string | null): Promise<string | undefined> {
  return (await api.get(path, { ...(key === undefined ? {} : { key }) })).headers['x-data']
}

describe('X-Data', () => {
  it('is live before demo data are loaded, also on a repeated answer', async () => {
    expect([await kindOf(SEARCH), await kindOf(SEARCH), await kindOf('/healthz', null)]).toEqual([
      'live',
      'live',
      'live',
    ])
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

  it.each([
    [
      '304',
      async () => {
        const { etag } = (await api.get(SEARCH)).headers
        return api.get(SEARCH, { headers: { 'If-None-Match': etag! } })
      },
    ],
    ['400', () => api.get('/api/v1/listings?per_page=many')],
    ['401', () => api.get(SEARCH, { key: null })],
    ['404', () => api.get('/api/v1/nothing', { key: null })],
    ['405', () => api.send('post', SEARCH, { key: null })],
    [
      '429',
      async () => {
        const key = await api.makeKey('free', { monthly: 1 })
        await api.get(SEARCH, { key })
        return api.get(SEARCH, { key })
      },
    ],
    ['export', () => api.get('/api/v1/export')],
    [
      'a tool call',
      () => {
        const { message, headers } = modernRequest('tools/call', { name: 'search_listings', arguments: {} })
        return post(api, message, { headers, key: null })
      },
    ],
    ['a page', () => api.get('/search', { key: null })],
    ['a feed', () => api.get('/feeds/listings.json', { key: null })],
    ['a preflight', () => api.send('options', SEARCH, { key: null })],
    ['/healthz', () => api.get('/healthz', { key: null })],
    ['/openapi.json', () => api.get('/openapi.json', { key: null })],
  ])('is on every answer: %s', async (_name, call) => {
    expect((await call()).headers['x-data']).toBe('demo')
  })

  it('is on refusals of the HTTP parser', async () => {
    const { answers } = await exchange(api.address, 'this is not HTTP\r\n\r\n')
    expect(answers.map(({ status, headers }) => [status, headers['x-data']])).toEqual([[400, 'demo']])
  })

  it('may be read by scripts of any origin', async () => {
    const { headers } = await api.get(SEARCH, { headers: { Origin: 'https://example.com' } })
    expect(headers['access-control-expose-headers']).toContain('X-Data')
  })
})
