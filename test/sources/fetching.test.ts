import { describe, expect, it } from 'vitest'
import { retryAfterSeconds } from '../../src/infra/fetching/politeFetch.ts'
import { mayRedirect } from '../../src/infra/fetching/redirects.ts'

describe('a redirect', () => {
  const cases: [string, string, string[], boolean][] = [
    [
      'https://api.gsa.gov/a',
      'https://bucket.s3.us-east-1.amazonaws.com/f?sig=1',
      ['*.amazonaws.com'],
      true,
    ],
    ['https://api.gsa.gov/a', 'https://amazonaws.com.evil.example/f', ['*.amazonaws.com'], false],
    ['https://api.gsa.gov/a', 'https://evilamazonaws.com/f', ['*.amazonaws.com'], false],
    ['https://api.gsa.gov/a', 'http://bucket.s3.amazonaws.com/f', ['*.amazonaws.com'], false],
    [
      'https://api.gsa.gov/a',
      'https://user:word@bucket.s3.amazonaws.com/f',
      ['*.amazonaws.com'],
      false,
    ],
    ['https://api.gsa.gov/a', 'https://API.gsa.gov/b', [], true],
    ['https://api.gsa.gov/a', 'https://api.gsa.gov:8443/b', [], false],
    ['https://api.gsa.gov/a', 'file:///etc/passwd', ['*.amazonaws.com'], false],
    ['https://api.gsa.gov/a', 'data:application/json,[]', [], false],
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
  const dates = [
    'Sat, 21 Nov 2026 12:00:30 GMT',
    'Sunday, 21-Nov-26 12:00:30 GMT',
    'Sat, 21 Nov 2026 11:00:00 GMT',
  ]
  const waits = ['120', ...dates, '-5', 'soon', null].map(header => retryAfterSeconds(header, now))
  expect(waits).toEqual([120, 30, 30, 0, null, null, null])
})
