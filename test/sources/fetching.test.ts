import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { politeFetch, retryAfterSeconds } from '../../src/infra/fetching/politeFetch.ts'
import { mayRedirect } from '../../src/infra/fetching/redirects.ts'
import { MANNERS } from '../support/standIns/sweeping.ts'

describe('a redirect', () => {
  const cases: [string, string, string[], boolean][] = [
    ['https://api.gsa.gov/a', 'https://bucket.s3.us-east-1.amazonaws.com/f?sig=1', ['*.amazonaws.com'], true],
    ['https://api.gsa.gov/a', 'https://amazonaws.com.evil.example/f', ['*.amazonaws.com'], false],
    ['https://api.gsa.gov/a', 'https://evilamazonaws.com/f', ['*.amazonaws.com'], false],
    ['https://api.gsa.gov/a', 'http://bucket.s3.amazonaws.com/f', ['*.amazonaws.com'], false],
    ['https://api.gsa.gov/a', 'https://user:word@bucket.s3.amazonaws.com/f', ['*.amazonaws.com'], false],
    ['https://api.gsa.gov/a', 'https://API.gsa.gov/b', [], true],
    ['https://api.gsa.gov/a', 'https://api.gsa.gov:8443/b', [], false],
    ['https://api.gsa.gov/a', 'file:///etc/passwd', ['*.amazonaws.com'], false],
    ['http://localhost:1/a', 'http://localhost:2/b', ['localhost:2'], true],
    ['http://localhost:1/a', 'http://localhost:3/b', ['localhost:2'], false],
    ['http://localhost:1/a', 'http://localhost:3/b', ['LOCALHOST'], true],
  ]
  it.each(cases)('from %s to %s with %j: %s', (from, to, allowed, expected) => {
    expect(mayRedirect(new URL(from), new URL(to), allowed)).toBe(expected)
  })
})

it('understands Retry-After as seconds and as a date', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  const headers = ['120', 'Sat, 21 Nov 2026 12:00:30 GMT', 'Sat, 21 Nov 2026 11:00:00 GMT', 'soon', null]
  expect(headers.map(header => retryAfterSeconds(header, now))).toEqual([120, 30, 0, null, null])
})

it('stops reading an answer that grows beyond the cap once it is unpacked', async () => {
  const packed = gzipSync(JSON.stringify([' '.repeat(30_000_000)]))
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(packed)
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const address = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  expect(packed.length).toBeLessThan(100_000)
  await expect(politeFetch(MANNERS)({ address, redirectHosts: [] })).rejects.toThrow(/more than 2 MB/)
  server.close()
  server.closeAllConnections()
})
