import { type IncomingHttpHeaders, request } from 'node:http'
import * as zlib from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { insertLots, NOW } from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'

const SEARCH = '/api/v1/listings?per_page=50'

const api = serviceFor({ now: NOW })
let key: string
const warnings: string[] = []

beforeAll(async () => {
  process.on('warning', ({ name, message }) => warnings.push(`${name}: ${message}`))
  key = await api.makeKey('enterprise', { monthly: 1_000, perMinute: 1_000 })
  const description = 'Ümläut “4×4” '.repeat(20)
  await insertLots(
    api.sql,
    Array.from({ length: 40 }, (_, n) => ({ slug: `lot-${n}`, description })),
  )
})

interface Received {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
}

/** One call whose body stays as it was sent. */
function receive(
  path: string,
  sent: Record<string, string>,
  method = 'GET',
  body = '',
): Promise<Received> {
  const headers = { authorization: `Bearer ${key}`, ...sent }
  return new Promise((resolve, reject) => {
    const asking = request(api.address + path, { method, headers }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          bytes: Buffer.concat(chunks),
        }),
      )
    })
    asking.on('error', reject)
    asking.end(body)
  })
}

const decoders: Record<string, ((bytes: Buffer) => Buffer) | undefined> = {
  br: zlib.brotliDecompressSync,
  gzip: zlib.gunzipSync,
}

function textOf({ headers, bytes }: Received): string {
  const decode = decoders[headers['content-encoding'] ?? '']
  return (decode ? decode(bytes) : bytes).toString()
}

describe('a search', () => {
  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br;q=0.1, gzip;q=0.9', 'gzip'],
    ['gzip;q=0.9, br;q=0.1', 'gzip'],
    ['gzip;q=0.5, br', 'br'],
    ['br;q=0.5,gzip;q=0.5', 'br'],
    ['BR ; q=0.2 , GZIP ; q=0.201', 'gzip'],
    ['gzip;q=0.5, *;q=0.1', 'gzip'],
    ['*;q=0.3, br;q=0.1, gzip;q=0.5', 'gzip'],
    ['gzip, *;q=0', 'gzip'],
    ['identity, gzip;q=0.5', undefined],
    ['gzip;q=0.5, identity;q=0.1', 'gzip'],
    ['*', 'br'],
    ['zstd, br', 'br'],
    ['deflate', undefined],
    ['identity', undefined],
    ['', undefined],
  ])(
    'is sent to a client that accepts "%s" as %s, also when it is repeated',
    async (accepted, coding) => {
      const plain = textOf(await receive(SEARCH, {}))
      for (let call = 0; call < 3; call++) {
        const answer = await receive(SEARCH, { 'accept-encoding': accepted })
        expect([answer.status, answer.headers['content-encoding']]).toEqual([200, coding])
        expect(answer.headers['content-length']).toBe(String(answer.bytes.length))
        expect(answer.headers.vary).toBe('Authorization, Accept-Encoding')
        expect(textOf(answer)).toBe(plain)
      }
      const path = `${SEARCH}&sort=newest&page=1&q=${accepted.length + 1}`
      expect((await receive(path, { 'accept-encoding': accepted })).status).toBe(200)
    },
  )

  it('has the same ETag in each coding, 304 without a body, and the length of the GET for a HEAD', async () => {
    const gzip = { 'accept-encoding': 'gzip' }
    const [plain, coded] = [await receive(SEARCH, {}), await receive(SEARCH, gzip)]
    expect(coded.headers.etag).toBe(plain.headers.etag)
    const unchanged = await receive(SEARCH, { ...gzip, 'if-none-match': plain.headers.etag! })
    expect([unchanged.status, unchanged.bytes.length]).toEqual([304, 0])
    expect(unchanged.headers['content-encoding']).toBeUndefined()
    const head = await receive(SEARCH, gzip, 'HEAD')
    expect(head.headers['content-length']).toBe(coded.headers['content-length'])
    expect(head.bytes.length).toBe(0)
  })

  it('of less than 1 kB is sent as it is', async () => {
    const answer = await receive('/api/v1/listings?state=ZZ', { 'accept-encoding': 'br' })
    expect(answer.headers['content-encoding']).toBeUndefined()
  })
})

it.each([
  ['an export', '/api/v1/export'],
  ['a page', '/docs/quickstart'],
  ['a page of lots', '/search?sort=newest'],
  ['the contract', '/openapi.yaml'],
])('%s is compressed too', async (_what, path) => {
  const plain = textOf(await receive(path, {}))
  for (const [accepted, coding] of [
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0.1, gzip;q=0.9', 'gzip'],
    ['gzip;q=0.1, br;q=0.9', 'br'],
    ['gzip;q=0, br;q=0.001', 'br'],
  ]) {
    const answer = await receive(path, { 'accept-encoding': accepted! })
    expect(answer.headers['content-encoding']).toBe(coding)
    expect(answer.headers.vary).toContain('Accept-Encoding')
    expect(textOf(answer)).toBe(plain)
  }
  expect(warnings.filter(warning => warning.includes('listeners'))).toEqual([])
})

it('a tool call is compressed, each time with its own id', async () => {
  for (const id of [1, 'zwei', 3]) {
    const params = { name: 'search_listings', arguments: {} }
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
    const json = { 'content-type': 'application/json', 'content-length': String(body.length) }
    const answer = await receive('/api/v1/mcp', { 'accept-encoding': 'br', ...json }, 'POST', body)
    expect(answer.headers['content-encoding']).toBe('br')
    expect(JSON.parse(textOf(answer)).id).toBe(id)
  }
})
