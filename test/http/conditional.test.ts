import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { insertLots } from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'

const api = serviceFor()
let headers: Record<string, string>
let id: string

beforeAll(async () => {
  headers = { authorization: `Bearer ${await api.masterKey()}` }
  ;[id = ''] = await insertLots(api.sql, [{ slug: 'truck', category: 'vehicles' }])
})

const SEARCH = '/api/v1/listings?category=vehicles'
const ADDRESSES: [what: string, path: () => string][] = [
  ['a listing', () => `/api/v1/listings/${id}`],
  ['a search', () => SEARCH],
  ['the contract', () => '/openapi.json'],
  ['a page that is drawn for each reader', () => '/listings/truck'],
  ['a guide', () => '/docs/caching'],
  ['a feed', () => '/feeds/listings.rss'],
  ['a sitemap', () => '/sitemaps/listings-0.xml'],
  ['the image of shared links', () => '/share.png'],
  ['an icon', () => '/favicon.svg'],
]

describe("Node's fetch, which sends `Cache-Control: no-cache` beside If-None-Match", () => {
  it('does send it', async () => {
    const server = createServer((req, res) => res.end(req.headers['cache-control'])).listen(
      0,
      '127.0.0.1',
    )
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}`, {
      headers: { 'If-None-Match': '"a"' },
    })
    expect(await response.text()).toBe('no-cache')
    server.close()
  })

  it.each(ADDRESSES)('304 for %s that is unchanged, 200 for another tag', async (_what, path) => {
    const read = (tag?: string) =>
      fetch(api.address + path(), {
        headers: { ...headers, ...(tag ? { 'If-None-Match': tag } : {}) },
      })
    const first = await read()
    const body = await first.text()
    expect(first.status).toBe(200)
    const tag = first.headers.get('etag')!
    const same = await read(`"other", ${tag}`)
    expect([same.status, await same.text(), same.headers.get('etag')]).toEqual([304, '', tag])
    const other = await read('"other"')
    expect([other.status, await other.text()]).toEqual([200, body])
  })
})
