import { beforeAll, describe, expect, it } from 'vitest'
import { keyFromSecret, newKey } from '../../src/domain/apiKey.ts'
import { faultsOfAll } from '../support/hostile/faultsOfAll.ts'
import { violationsOf } from '../support/hostile/hostileViolations.ts'
import { exchange } from '../support/service/rawHttp.ts'
import { serviceFor } from '../support/service/start.ts'

const api = serviceFor()
let masterKey: string

beforeAll(async () => {
  masterKey = await api.masterKey()
})

describe('the Authorization header', () => {
  const key = newKey()
  const known = () => masterKey
  const secret = key.slice('bp_live_'.length, -6)
  const expectRefused = async (authorization: string, code: string) => {
    const answer = await api.ask({
      method: 'GET',
      path: '/api/v1/sources',
      headers: { authorization },
    })
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([401, code])
    expect(violationsOf(answer, 'listSources')).toEqual([])
  }

  it.each([
    ['the scheme and blanks', () => 'Bearer    '],
    ['a scheme that begins alike', () => `Bearers ${known()}`],
    ['no blank between', () => `Bearer${known()}`],
    ['a colon between', () => `Bearer: ${known()}`],
  ])('401 missing_api_key for %s', async (_what, authorization) => {
    await expectRefused(authorization(), 'missing_api_key')
  })

  it.each([
    ['a key cut short', () => known().slice(0, -1)],
    ['a key with one more character', () => `${known()}a`],
    ['a key in capitals', () => known().toUpperCase()],
    ['a key under another prefix', () => known().replace('bp_live_', 'bp_test_')],
    ['a key and a comment', () => `${known()} -- `],
    ['two keys', () => `${known()},${known()}`],
    ['a key with a NUL, encoded', () => `${known()}%00`],
    ['a quote in the secret', () => keyFromSecret(`'${secret.slice(1)}`)],
    ['a percent sign in the secret', () => keyFromSecret(`${'%'.repeat(30)}`)],
    ['umlauts', () => `bp_live_${'ä'.repeat(36)}`],
    ['SQL', () => "' or '1'='1' --"],
    ['257 characters', () => 'a'.repeat(257 - 'Bearer '.length)],
    ['10,000 characters', () => 'a'.repeat(10_000)],
  ])('401 invalid_api_key for %s', async (_what, token) => {
    await expectRefused(`Bearer ${token()}`, 'invalid_api_key')
  })

  it.each([
    ...[
      'undefined',
      'null',
      'None',
      '[object Object]',
      '\u0024{input:surplus_key}',
      '\u0024{SURPLUS_KEY}',
      '$API_KEY',
      '%API_KEY%',
    ],
    ...[
      '<API_KEY>',
      '<your key>',
      '{{key}}',
      '{api_key}',
      'YOUR_API_KEY',
      'your-api-key',
      'API_KEY',
      'MY_TOKEN',
      'ACCESS_TOKEN',
    ],
    ...['xxxxxxxx', 'bp_live_xxxxxxxx', 'bp_live_...', '***'],
  ])('401 invalid_api_key that names the placeholder %s', async placeholder => {
    for (const path of ['/api/v1/sources', '/api/v1/mcp']) {
      const method = path.endsWith('mcp') ? 'POST' : 'GET'
      const headers = { authorization: `Bearer ${placeholder}`, 'content-type': 'application/json' }
      const answer = await api.ask({
        method,
        path,
        headers,
        body: method === 'POST' ? '{}' : undefined,
      })
      const { code, error } = JSON.parse(answer.body)
      expect([answer.status, code]).toEqual([401, 'invalid_api_key'])
      expect(error).toContain(`"${placeholder}" stands where the key belongs`)
    }
  })

  it('never repeats what may be a key, whatever stands around it', async () => {
    for (const token of [
      `<${known()}>`,
      `\${${known()}}`,
      `{{${newKey()}}}`,
      known(),
      `API_KEY=${known()}x`,
    ]) {
      const answer = await api.ask({
        method: 'GET',
        path: '/api/v1/sources',
        headers: { authorization: `Bearer ${token}x` },
      })
      expect([answer.status, answer.body.includes('bp_live_')]).toEqual([401, false])
    }
  })

  it('401 for a second header of the name, whichever is right', async () => {
    for (const [one, other] of [
      [known(), 'x'],
      ['x', known()],
      [known(), known()],
    ]) {
      const lines = [
        'GET /api/v1/sources HTTP/1.1',
        'Host: a',
        'Connection: close',
        `Authorization: Bearer ${one}`,
        `authorization: Bearer ${other}`,
      ]
      const { answers } = await exchange(api.address, `${lines.join('\r\n')}\r\n\r\n`)
      expect([answers[0]!.status, JSON.parse(answers[0]!.body).error]).toEqual([
        401,
        'Send one Authorization header, not several.',
      ])
      expect(violationsOf(answers[0]!, 'listSources')).toEqual([])
    }
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
    ['in a cookie', () => ({ headers: { cookie: `key=${known()}` } })],
    ['in Proxy-Authorization', () => ({ headers: { 'proxy-authorization': `Bearer ${known()}` } })],
    ['in the query', () => ({ path: `/api/v1/sources?api_key=${known()}` })],
  ])('401 for a key that is sent %s', async (_where, place) => {
    const { path = '/api/v1/sources', headers = {} } = place()
    const answer = await api.ask({
      method: 'GET',
      path,
      headers: { authorization: '', ...headers },
    })
    expect(answer.status).toBe(401)
  })
})

describe('other headers', () => {
  const LONG = '0'.repeat(5_000)
  it.each([
    [
      'Host',
      ['', 'a b', 'evil.example', 'evil.example:99999', '[::1', '../..', "a'b", 'a\tb', LONG],
    ],
    ['Accept', ['text/html', '*/*;q=0', ';;;', 'application/xml', LONG]],
    ['Accept-Encoding', ['gzip, br', '*;q=0', 'identity;q=0', ';;']],
    ['If-None-Match', ['*', '"', 'W/"', '"a", "b"', 'W/"x" '.repeat(500), '\u00ff']],
    ['If-Modified-Since', ['0', 'never', 'Thu, 01 Jan 1970 00:00:00 GMT', '99999999999999']],
    ['Range', ['bytes=0-0', 'bytes=-1', 'bytes=9-1', 'lines=1-2', 'bytes=0-0,'.repeat(900)]],
    ['X-Forwarded-For', ["' or 1=1", '::1', '999.999.999.999', 'a,'.repeat(2_000)]],
    ['X-HTTP-Method-Override', ['DELETE', 'POST']],
    ['X-Request-Id', ['a\tb', "'", '<script>', LONG]],
    [
      'Content-Type',
      ['application/json', 'multipart/form-data', 'multipart/form-data; boundary=', ';', LONG],
    ],
    ['Content-Encoding', ['gzip', 'br', 'what']],
    ['Origin', ['null', 'http://evil.example', 'a b']],
    ['Cookie', ['a=b', '__proto__=1', ';;;=', LONG]],
  ])('%s may say anything', async (name, values) => {
    const faults = await faultsOfAll(
      api,
      values,
      value => ({ method: 'GET', path: '/api/v1/listings', headers: { [name]: value } }),
      answer => [
        ...([200, 304].includes(answer.status) ? [] : [`${answer.status} instead of 200`]),
        ...violationsOf(answer, 'searchListings'),
      ],
    )
    expect(faults).toEqual([])
  })
})
