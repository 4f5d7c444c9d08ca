import { readFileSync } from 'node:fs'
import type { OpenAPIV3_1 } from 'openapi-types'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { compileContract } from '../../src/compiledContract.ts'
import { readContract } from '../../src/contract/document.ts'
import { ERRORS } from '../../src/contract/errors.ts'
import { projectFile } from '../../src/contract/projectFile.ts'
import { contract } from '../support/contract/contract.ts'
import { linksOf } from '../support/contract/links.ts'
import { forOneTest } from '../support/run/shared.ts'
import { serviceFor, start } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'

const written = readFileSync(projectFile('openapi.yaml'), 'utf8')

describe('the documents of the service', () => {
  const api = serviceFor({ opensSeenPages: true })

  it('200 for /openapi.yaml as it is written, without a key', async () => {
    const answer = await fetch(`${api.address}/openapi.yaml`)
    const text = await answer.text()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/yaml; charset=utf-8')
    expect(text).toBe(written)
    expect(parse(text).info.version).toBe('1.0.0')
  })

  it.each([
    ['/openapi.json', '3.1.0', written],
    [
      '/openapi-3.0.json',
      '3.0.3',
      readFileSync(projectFile('generated', 'openapi-3.0.json'), 'utf8'),
    ],
  ])(
    '200 for %s with the addresses of this service, without a key',
    async (path, version, derived) => {
      const { status, body, headers } = await api.get(path, { key: null })
      expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
      const own = parse(derived.replaceAll('https://surplus.example', PUBLIC_URL))
      own.servers[0].url = PUBLIC_URL
      // No CONTACT_EMAIL is set here.
      delete own.info.contact.email
      expect(body).toEqual(own)
      expect([body.openapi, body.servers]).toEqual([
        version,
        [{ url: PUBLIC_URL, description: 'Production' }],
      ])
      expect(operationIdsOf(body)).toEqual(operationIdsOf(parse(written)))
    },
  )

  it.each(['/openapi.yaml', '/openapi.json', '/openapi-3.0.json'])(
    '200 for %s whatever key is sent, nothing is counted, and any origin may read it',
    async path => {
      const bad = await api.get(path, { key: 'nonsense' })
      expect([bad.status, bad.headers['access-control-allow-origin']]).toEqual([200, '*'])
      expect(bad.headers['ratelimit-limit']).toBeUndefined()
      const head = await api.head(path, { key: null })
      expect([head.status, head.text ?? '']).toEqual([200, ''])
      const again = await api.get(path, {
        key: null,
        headers: { 'If-None-Match': bad.headers.etag! },
      })
      expect(again.status).toBe(304)
    },
  )

  it.each([
    ...[
      '/openapi.yaml',
      '/openapi.json',
      '/openapi-3.0.json',
      '/',
      '/docs',
      '/listings/a-lot',
      '/healthz',
    ],
  ])(
    '405 invalid_request with Allow for whatever would change %s, and 204 for OPTIONS',
    async path => {
      for (const method of ['post', 'put', 'patch', 'delete'] as const) {
        const { status, body, headers } = await api.send(method, path, { key: null })
        expect([status, body.code, headers.allow]).toEqual([
          405,
          'invalid_request',
          'GET, HEAD, OPTIONS',
        ])
      }
      const { status, headers } = await api.send('options', path, { key: null })
      expect([status, headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS'])
    },
  )

  it.each(Object.keys(ERRORS))(
    '200 at the docs address of %s, with a section of that name',
    async code => {
      const { status, text } = await api.get('/docs/errors', { key: null })
      expect(status).toBe(200)
      expect(text).toContain(`id="${code}"`)
    },
  )

  it('the errors of the examples are the sentences of the service', async () => {
    const spent = await api.makeKey('free', { monthly: 0 })
    const hurried = await api.makeKey('free', { perMinute: 0 })
    const post = (options: object) => api.send('post', '/api/v1/mcp', options)
    const listing = '/api/v1/comps?listing_id=0b1f3c9e-5d0a-3f6b-8c1d-2f6a7b8c9d0e'
    const refused = [
      await api.get('/api/v1/listings?catgory=vehicles'),
      await api.get('/api/v1/listings', { key: null }),
      await api.get('/api/v1/listings', { key: 'unknown' }),
      await api.get(listing, { key: await api.makeKey('free') }),
      await post({ body: {}, headers: { Origin: 'https://elsewhere.example' } }),
      await api.get('/api/v1/listings/no-such-lot'),
      await post({ body: { padding: 'a'.repeat(66_000) } }),
      await post({ body: 'text', headers: { 'Content-Type': 'text/plain' } }),
      await api.get('/api/v1/listings', { key: hurried }),
      await api.get('/api/v1/listings', { key: spent }),
    ]
    const { responses } = parse(written).components
    const examples = Object.values<OpenAPIV3_1.ResponseObject>(responses).flatMap(({ content }) => {
      const { example, examples } = content?.['application/json'] ?? {}
      return example
        ? [example]
        : Object.values(examples ?? {}).map(one => (one as { value: object }).value)
    })
    const plain = (body: object) => JSON.stringify(body).replace(/[\d,]+(?= (calls|seconds))/g, 'N')
    const told = examples.map(body => plain(body).replaceAll('https://surplus.example', PUBLIC_URL))
    for (const { body } of refused) expect(told).toContain(plain(body))
  })

  it('200 at every address that an answer names', async () => {
    const refused = await api.get('/api/v1/export', { key: await api.makeKey('free') })
    const exhausted = await api.get('/api/v1/sources', {
      key: await api.makeKey('free', { monthly: 0 }),
    })
    const found = await api.get('/api/v1/listings')
    const addresses = [
      ...[refused, exhausted].flatMap(({ body }) => [body.docs, body.upgrade]),
      ...Object.values(linksOf(found)).filter(address => !address.includes('/api/')),
    ]
    expect(addresses).toHaveLength(5)
    for (const address of addresses) {
      expect(address.startsWith(`${PUBLIC_URL}/`)).toBe(true)
      const answer = await fetch(address.replace(PUBLIC_URL, api.address))
      const type = answer.headers.get('content-type')
      expect([address, answer.status, type]).toEqual([address, 200, 'text/html; charset=utf-8'])
    }
  })

  it('200 with Deprecation, Sunset and the notice in Link for a deprecated operation, whatever its answer', async () => {
    const compiledContract = await compileContract(
      readContract(deprecated('2026-06-01', "'2026-12-31T12:00:00Z'")),
    )
    const aging = await forOneTest(start({ settings: { compiledContract } }))
    const answers = [
      await aging.get('/api/v1/sources'),
      await aging.head('/api/v1/sources'),
      await aging.get('/api/v1/sources?x=1'),
      await aging.get('/api/v1/sources', { key: null }),
      await aging.get('/api/v1/sources', { key: await aging.makeKey('free', { monthly: 0 }) }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 401, 429])
    for (const answer of answers) {
      expect(answer.headers.deprecation).toBe(`@${Date.UTC(2026, 5, 1) / 1000}`)
      expect(answer.headers.sunset).toBe('Thu, 31 Dec 2026 12:00:00 GMT')
      expect(linksOf(answer).deprecation).toBe(`${PUBLIC_URL}/docs/versioning`)
    }
    expect(linksOf(answers[0]!)['terms-of-service']).toBe(`${PUBLIC_URL}/terms`)
    expect((await aging.get('/docs/versioning', { key: null })).status).toBe(200)
    const other = await aging.get('/api/v1/listings')
    expect([other.headers.deprecation, other.headers.sunset]).toEqual([undefined, undefined])
  })

  it('200 without Deprecation and Sunset by the contract as it is', async () => {
    expect(contract.operations.filter(({ deprecation }) => deprecation)).toEqual([])
    const { headers } = await api.get('/api/v1/sources')
    expect([headers.deprecation, headers.sunset]).toEqual([undefined, undefined])
  })

  it.each([
    ['179 days', deprecated('2026-01-01', '2026-06-29')],
    ['a sunset before the deprecation', deprecated('2026-06-01', '2025-06-01')],
    ['no sunset', deprecated('2026-06-01', null)],
    ['no deprecation date', deprecated(null, '2026-12-31')],
    ['dates that are none', deprecated('soon', 'later')],
  ])('a service with %s for its clients refuses to start', (_what, text) => {
    expect(() => readContract(text)).toThrow(
      'listSources is deprecated: the contract must state x-deprecated and x-sunset, at least 180 days apart.',
    )
  })

  it('a service with exactly 180 days for its clients starts', () => {
    const { operations } = readContract(deprecated('2026-01-01', '2026-06-30'))
    const [aging] = operations.filter(({ deprecation }) => deprecation)
    expect(aging?.operationId).toBe('listSources')
  })
})

/** The contract with `listSources` deprecated. */
function deprecated(since: string | null, until: string | null): string {
  const name = '      operationId: listSources\n'
  expect(written).toContain(name)
  const dates = [since && `      x-deprecated: ${since}\n`, until && `      x-sunset: ${until}\n`]
  return written.replace(name, `${name}      deprecated: true\n${dates.filter(Boolean).join('')}`)
}

function operationIdsOf({ paths }: OpenAPIV3_1.Document): (string | undefined)[] {
  return Object.values(paths ?? {}).flatMap(item => [
    item?.get?.operationId,
    item?.post?.operationId,
  ])
}
