import { expect, it } from 'vitest'
import { refusalOf, type TestService } from '../service/start.ts'
import { PUBLIC_URL } from '../service/testSettings.ts'
import { callsOf } from '../service/usage.ts'
import type { TestedOperation } from './commonTests.ts'

/** The headers of data, and HEAD. */
export function itAnswersHead(api: TestService, { path, plan }: TestedOperation): void {
  it('200 is for the caller alone, to be revalidated, and names the terms', async () => {
    const { headers } = await api.get(path)
    expect(headers['cache-control']).toBe('private, no-cache')
    expect(headers.vary).toBe('Authorization, Accept-Encoding')
    expect(headers.link).toContain(`<${PUBLIC_URL}/terms>; rel="terms-of-service"`)
    expect(headers['access-control-expose-headers']).toContain('RateLimit-Remaining')
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  })

  it('200 for a HEAD, with the headers of the GET and no body, and it counts', async () => {
    const owner = `head ${path}`
    const key = await api.makeKey(plan, { owner })
    // supertest accepts gzip with a GET only.
    const headers = { 'Accept-Encoding': 'identity' }
    const got = await api.get(path, { key, headers })
    const head = await api.head(path, { key, headers })
    expect(head.status).toBe(200)
    expect(head.text ?? '').toBe('')
    expect(lasting(head.headers)).toEqual(lasting(got.headers))
    expect(await callsOf(api.sql, owner)).toBe(2)
  })
}

/** The headers that two answers to the same question share. */
function lasting(headers: Record<string, string>): Record<string, string> {
  const passing = [
    'date',
    'x-request-id',
    'ratelimit',
    'ratelimit-remaining',
    'x-ratelimit-remaining',
    'transfer-encoding',
  ]
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !passing.includes(name)))
}

/** 404 and preflights; 405: test/hostile/addresses.test.ts. */
export function itAnswersAtOneAddress(api: TestService, { path }: TestedOperation): void {
  const [address = '', query = ''] = path.split('?')

  it.each([
    // Hosts of agents add a slash, so that address answers with one too.
    ...(address.endsWith('/mcp') ? [] : [`${address}/`]),
    address.toUpperCase(),
    address.replace('/api', '/Api'),
    address.replace('v1', 'v2'),
  ])('404 not_found for %s, without asking for a key', async other => {
    expect(refusalOf(await api.get(`${other}?${query}`, { key: null }))).toContain('404 not_found:')
  })

  itAnswersPreflights(api, path, 'GET', 'GET, HEAD, OPTIONS')
}

export function itAnswersPreflights(
  api: TestService,
  path: string,
  method: string,
  allow = method,
): void {
  it('204 for a preflight from any origin, without a key', async () => {
    const asked = 'authorization, if-none-match, content-type, mcp-protocol-version'
    const { status, headers } = await api.send('options', path, {
      key: null,
      headers: {
        Origin: 'https://somewhere.example',
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': asked,
      },
    })
    expect([status, headers.allow]).toEqual([204, allow])
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['access-control-allow-methods']).toContain(method)
    expect(headers['access-control-allow-headers']).toBe(asked)
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  })
}

/** 304, and the ETag it depends on. Only JSON has one. */
export function itRevalidates(api: TestService, { path, plan }: TestedOperation): void {
  it('304 without a body while the ETag in If-None-Match is current, and it counts', async () => {
    const owner = `etag ${path}`
    const key = await api.makeKey(plan, { owner })
    const { headers } = await api.get(path, { key })
    const etag = headers.etag!
    for (const sent of [etag, `"other", ${etag}`, '*', etag.replace('W/', '')]) {
      const answer = await api.get(path, { key, headers: { 'If-None-Match': sent } })
      expect([sent, answer.status, answer.text]).toEqual([sent, 304, ''])
      expect(answer.headers.etag).toBe(etag)
      expect(answer.headers['ratelimit-limit']).toBe(headers['ratelimit-limit'])
    }
    const head = await api.head(path, { key, headers: { 'If-None-Match': etag } })
    expect(head.status).toBe(304)
    expect(await callsOf(api.sql, owner)).toBe(6)
  })

  it('200 with the same ETag when If-None-Match names another body', async () => {
    const { headers } = await api.get(path)
    const answer = await api.get(path, { headers: { 'If-None-Match': 'W/"3c-somethingelse"' } })
    expect([answer.status, answer.headers.etag]).toEqual([200, headers.etag])
  })
}
