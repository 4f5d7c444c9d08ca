import { METHODS } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keyFromSecret, newKey } from '../../src/domain/apiKey.ts'
import { type HostileApi, startHostileApi } from '../support/hostileApi.ts'
import { HOSTILE_VALUES } from '../support/hostileInputs.ts'
import { contract, faultsOfAnswer } from '../support/hostileJudge.ts'

let api: HostileApi

beforeAll(async () => {
  api = await startHostileApi()
})

afterAll(() => api.close())

describe.each([
  ['getListing', '/api/v1/listings/'],
  ['getFlipScore', '/api/v1/flip-score/'],
  ['the page of a listing', '/listings/'],
] as const)('%s by a hostile id', (name, prefix) => {
  it(`is 404 for each of ${HOSTILE_VALUES.length} values`, async () => {
    const operation = contract.operations.find(({ operationId }) => operationId === name)
    const faults = await api.faultsOfAll(
      HOSTILE_VALUES,
      value => ({ method: 'GET', path: prefix + value }),
      (answer, value) => [
        ...(answer.status === 404 ? [] : [`${answer.status} instead of 404`]),
        ...(answer.body.includes('not_found') ? [] : ['the code is not not_found']),
        // An address that cannot be read, or that is empty, is not one of the operation.
        ...faultsOfAnswer(
          answer,
          answer.headers['ratelimit-limit'] ? (operation?.operationId ?? null) : null,
          value,
        ),
      ],
    )
    expect(faults).toEqual([])
  })
})

describe('addresses that are not there', () => {
  it.each([
    ...[
      '/api',
      '/api/',
      '/api/v1',
      '/api/v1/',
      '/api/v2/listings',
      '/api/v1/lists',
      '/v1/listings',
      '/API/V1/LISTINGS',
    ],
    ...[
      '/api/v1/listings/',
      '/api/v1/Listings',
      '/api/v1/listings//',
      '/api//v1/listings',
      '//api/v1/listings',
      '/api/v1//listings',
    ],
    ...[
      '/api/v1/listings/a/b',
      '/api/v1/listings/a/',
      '/api/v1/listings%2f',
      '/api/v1%2flistings',
      '/api/v1/listings%00',
    ],
    ...[
      '/api/v1/listings;a=b',
      '/api/v1/listings.json',
      '/api/v1/listings%20',
      '/api/v1/%6cistings/%',
      '/api/v1/listings/%2',
    ],
    ...[
      '/api/v1/../v1/listings',
      '/api/v1/./listings',
      '/api/v1/x/../listings',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/..%2f..%2fetc%2fpasswd',
    ],
    ...[
      '/../../etc/passwd',
      '/....//etc/passwd',
      '/..;/api',
      '/\\..\\windows',
      '/%5c..%5cwindows',
      '/.git/config',
      '/.env',
    ],
    ...[
      '/package.json',
      '/src/main.ts',
      '/migrations',
      '/node_modules/express/package.json',
      '/openapi.yaml/',
      '/openapi.yaml%00',
    ],
    ...[
      '/openapi.YAML',
      '/openapi',
      '/docs/',
      '/docs/../openapi.yaml',
      '/docs/errors/x',
      '/healthz/',
      '/readyz/x',
      '/metrics',
    ],
    ...[
      '/__proto__',
      '/constructor',
      '/api/v1/__proto__',
      '/api/v1/constructor',
      '/%',
      '/%ff',
      '/%c0%af',
      '/%00',
      '/*',
      '/:id',
    ],
    ...[
      '/api/v1/listings/..%2f..%2fsources',
      '/listings',
      '/listings/',
      '/listings/a/b',
      '/favicon.ico',
      '/robots.txt.',
      `/${'a'.repeat(10_000)}`,
    ],
    ...[
      `/${'a/'.repeat(4_000)}`,
      `/${'%2e'.repeat(3_000)}`,
      "/'",
      '/"',
      '/<script>',
      '/$%7B7*7%7D',
      '/|',
      '/^',
      '/`',
      '/{id}',
      '/api/v1/listings/{id}/',
    ],
  ])('404 %s', async path => {
    const answer = await api.ask({ method: 'GET', path })
    expect(answer.status).toBe(404)
    expect(faultsOfAnswer(answer, null, path)).toEqual([])
  })
})

describe('methods', () => {
  const body = '{"q":"truck","__proto__":{"a":1}}'
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }

  it.each(contract.operations)(
    '405 with Allow for what $operationId does not take, body and all',
    async ({ path, method }) => {
      const taken = method === 'get' ? ['GET', 'HEAD', 'OPTIONS'] : ['POST', 'OPTIONS']
      const faults = await api.faultsOfAll(
        METHODS.filter(name => ![...taken, 'CONNECT', 'HEAD'].includes(name)),
        name => ({ method: name, path: path.replace('{id}', 'a-lot'), headers, body }),
        answer => [
          ...(answer.status === 405 ? [] : [`${answer.status} instead of 405`]),
          ...(answer.headers.allow === taken.join(', ') ? [] : [`Allow: ${answer.headers.allow}`]),
          ...faultsOfAnswer(answer, null),
        ],
      )
      expect(faults).toEqual([])
    },
  )

  it('404 for whatever method at an address that is not there', async () => {
    const faults = await api.faultsOfAll(
      METHODS.filter(name => name !== 'CONNECT' && name !== 'HEAD'),
      name => ({ method: name, path: '/api/v1/nothing' }),
      answer => [
        ...(answer.status === 404 ? [] : [`${answer.status} instead of 404`]),
        ...faultsOfAnswer(answer, null),
      ],
    )
    expect(faults).toEqual([])
  })

  it.each(contract.operations.filter(({ method }) => method === 'get'))(
    '$operationId takes no notice of a body',
    async operation => {
      const path = operation.path.replace('{id}', 'a-lot')
      for (const method of ['GET', 'HEAD']) {
        const bare = await api.ask({ method, path })
        for (const sent of [body, '{', '\0', 'a'.repeat(200_000)]) {
          const length = { ...headers, 'content-length': String(sent.length) }
          const answer = await api.ask({ method, path, headers: length, body: sent })
          expect(answer.status).toBe(bare.status)
          if (method === 'GET') expect(faultsOfAnswer(answer, operation.operationId)).toEqual([])
        }
      }
    },
  )
})

describe('the Authorization header', () => {
  const key = newKey()
  const known = () => api.key
  const secret = key.slice('bp_live_'.length, -6)

  it.each([
    ['nothing', () => ''],
    ['the scheme alone', () => 'Bearer'],
    ['the scheme and blanks', () => 'Bearer    '],
    ['the key alone', known],
    ['another scheme', () => `Basic ${Buffer.from(`${known()}:`).toString('base64')}`],
    ['a scheme that begins alike', () => `Bearers ${known()}`],
    ['no blank between', () => `Bearer${known()}`],
    ['a colon between', () => `Bearer: ${known()}`],
  ])('401 missing_api_key for %s', async (_what, authorization) => {
    const answer = await api.ask({
      method: 'GET',
      path: '/api/v1/sources',
      headers: { authorization: authorization() },
    })
    expect(answer.status).toBe(401)
    expect(JSON.parse(answer.body).code).toBe('missing_api_key')
    expect(faultsOfAnswer(answer, 'listSources')).toEqual([])
  })

  it.each([
    ['a key that nobody was given', () => key],
    ['a key with another last character', () => `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`],
    ['a key cut short', () => known().slice(0, -1)],
    ['a key with one more character', () => `${known()}a`],
    ['a key in capitals', () => known().toUpperCase()],
    ['a key under another prefix', () => known().replace('bp_live_', 'bp_test_')],
    ['a key in quotes', () => `"${known()}"`],
    ['a key and a comment', () => `${known()} -- `],
    ['two keys', () => `${known()},${known()}`],
    ['two keys and a blank', () => `${known()} ${known()}`],
    ['a key with a NUL, encoded', () => `${known()}%00`],
    ['a quote in the secret', () => keyFromSecret(`'${secret.slice(1)}`)],
    ['a percent sign in the secret', () => keyFromSecret(`${'%'.repeat(30)}`)],
    ['umlauts', () => `bp_live_${'ä'.repeat(36)}`],
    ['SQL', () => "' or '1'='1' --"],
    ['257 characters', () => 'a'.repeat(257 - 'Bearer '.length)],
    ['10,000 characters', () => 'a'.repeat(10_000)],
  ])('401 invalid_api_key for %s', async (_what, token) => {
    const headers = { authorization: `Bearer ${token()}` }
    const answer = await api.ask({ method: 'GET', path: '/api/v1/sources', headers })
    expect(answer.status).toBe(401)
    expect(JSON.parse(answer.body).code).toBe('invalid_api_key')
    expect(faultsOfAnswer(answer, 'listSources')).toEqual([])
  })

  it.each([
    ['bearer', (sent: string) => `bearer ${sent}`],
    ['BEARER and several blanks', (sent: string) => `BEARER    ${sent}`],
    ['a blank behind', (sent: string) => `Bearer ${sent} `],
  ])('200 for %s (RFC 7235: the scheme in any case)', async (_what, authorization) => {
    const headers = { authorization: authorization(known()) }
    expect((await api.ask({ method: 'GET', path: '/api/v1/sources', headers })).status).toBe(200)
  })

  it.each<[string, () => { path?: string; headers?: Record<string, string> }]>([
    ['in X-Api-Key', () => ({ headers: { 'x-api-key': known() } })],
    ['in a cookie', () => ({ headers: { cookie: `key=${known()}` } })],
    ['in Proxy-Authorization', () => ({ headers: { 'proxy-authorization': `Bearer ${known()}` } })],
    ['in the query', () => ({ path: `/api/v1/sources?api_key=${known()}` })],
  ])('401 for a key that is sent %s', async (_where, place) => {
    const { path = '/api/v1/sources', headers = {} } = place()
    const answer = await api.ask({ method: 'GET', path, headers: { authorization: '', ...headers } })
    expect(answer.status).toBe(401)
  })
})

describe('other headers', () => {
  it.each([
    [
      'Host',
      ['', 'a b', 'evil.example', 'evil.example:99999', '[::1', '../..', "a'b", 'a\tb', 'x'.repeat(5_000)],
    ],
    ['Accept', ['text/html', '*/*;q=0', ';;;', 'application/xml', 'a'.repeat(5_000)]],
    ['Accept-Encoding', ['gzip, br', '*;q=0', 'identity;q=0', ';;']],
    ['If-None-Match', ['*', '"', 'W/"', '"a", "b"', 'W/"x" '.repeat(500), '\u00ff']],
    ['If-Modified-Since', ['0', 'never', 'Thu, 01 Jan 1970 00:00:00 GMT', '99999999999999']],
    ['Range', ['bytes=0-0', 'bytes=-1', 'bytes=9-1', 'lines=1-2', 'bytes=0-0,'.repeat(900)]],
    ['X-Forwarded-For', ["' or 1=1", '::1', '999.999.999.999', 'a,'.repeat(2_000)]],
    ['X-HTTP-Method-Override', ['DELETE', 'POST']],
    ['X-Request-Id', ['a\tb', "'", '<script>', '0'.repeat(5_000)]],
    [
      'Content-Type',
      ['application/json', 'multipart/form-data', 'multipart/form-data; boundary=', ';', 'a'.repeat(5_000)],
    ],
    ['Content-Encoding', ['gzip', 'br', 'what']],
    ['Origin', ['null', 'http://evil.example', 'a b']],
    ['Cookie', ['a=b', '__proto__=1', ';;;=', 'a'.repeat(5_000)]],
  ])('%s may say anything', async (name, values) => {
    const faults = await api.faultsOfAll(
      values,
      value => ({ method: 'GET', path: '/api/v1/listings', headers: { [name]: value } }),
      answer => [
        ...([200, 304].includes(answer.status) ? [] : [`${answer.status} instead of 200`]),
        ...faultsOfAnswer(answer, 'searchListings'),
      ],
    )
    expect(faults).toEqual([])
  })
})
