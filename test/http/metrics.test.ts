import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { newKey } from '../../src/domain/apiKey.ts'
import type { ServiceSettings } from '../../src/service.ts'
import { type Answer, send } from '../support/service/rawHttp.ts'
import { startService } from '../support/service/service.ts'
import { serviceFor, start } from '../support/service/start.ts'
import { METRICS_TOKEN } from '../support/service/testSettings.ts'

const api = serviceFor({
  settings: { metricsToken: null, publicUrl: 'http://localhost:8080' },
})
let key: string
beforeAll(async () => {
  key = await api.makeKey('pro')
})

const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  send(api.address, { method: 'GET', path, headers })

const authorized = (path: string, headers: Record<string, string> = {}) =>
  get(path, { authorization: `Bearer ${key}`, ...headers })

function sample(text: string, name: string, labels: string): number {
  const line = text.split('\n').find(one => one.startsWith(`${name}{${labels}}`))
  return Number(line?.split(' ').at(-1) ?? Number.NaN)
}

describe('GET /metrics', () => {
  it('counts and times each answer by operation and status', async () => {
    const before = (await get('/metrics')).body
    await authorized('/api/v1/listings')
    await authorized('/api/v1/listings')
    await authorized('/api/v1/listings?page=0')
    const { status, headers, body } = await get('/metrics')
    const ok = 'operation="searchListings",method="GET",status="200"'
    const name = 'surplus_request_duration_seconds_count'
    expect(status).toBe(200)
    expect(headers['content-type']).toMatch(/^text\/plain/)
    expect(sample(body, name, ok) - (sample(before, name, ok) || 0)).toBe(2)
    expect(
      sample(body, name, 'operation="searchListings",method="GET",status="400"'),
    ).toBeGreaterThan(0)
  })

  it('counts refusals by the code of the error body', async () => {
    await get('/api/v1/listings')
    await get('/api/v1/listings', { authorization: `Bearer ${newKey()}` })
    const { body } = await get('/metrics')
    const name = 'surplus_refusals_total'
    expect(sample(body, name, 'operation="searchListings",code="missing_api_key"')).toBeGreaterThan(
      0,
    )
    expect(sample(body, name, 'operation="searchListings",code="invalid_api_key"')).toBeGreaterThan(
      0,
    )
  })

  it('tells whether the database answers and when each source was last loaded', async () => {
    await api.sql`update sources set last_success_at = '2026-05-01T00:00:00Z' where source = 'gsa'`
    await api.sql`insert into sweeps (source, next_due_at) values ('irs', now())`
    const { body } = await get('/metrics')
    expect(body).toContain('surplus_database_up 1')
    expect(body).toContain('surplus_counting_up 1')
    expect(body).toContain('surplus_source_last_success_timestamp_seconds{source="gsa"} 1777593600')
    // An alert for old data must see a source that has never answered.
    expect(body).toContain('surplus_source_last_success_timestamp_seconds{source="irs"} 0')
    expect(body).not.toContain('surplus_source_last_success_timestamp_seconds{source="hud"}')
  })

  it('tells that calls cannot be counted', async () => {
    const away = await start({ unreachable: true })
    const authorization = `Bearer ${await away.makeKey('free')}`
    await away.ask({ method: 'GET', path: '/api/v1/sources', headers: { authorization } })
    const metrics = {
      method: 'GET',
      path: '/metrics',
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    }
    const { body } = await away.ask(metrics)
    await away.close()
    expect(body).toMatch(/surplus_database_up 0\n(.*\n)*surplus_counting_up 0\n/)
  })

  it('has few labels, whatever methods and addresses clients think of', async () => {
    await send(api.address, { method: 'PURGE', path: '/x-unheard-of' })
    await get(`/listings/${key}`)
    const { body } = await get('/metrics')
    expect(body).toContain('method="other"')
    expect(body).not.toContain('PURGE')
    expect(body).not.toContain('unheard-of')
    expect(body).not.toContain(key)
  })

  it.each([
    ['a forwarding header', { 'x-forwarded-for': '203.0.113.9' }],
    ['the header of nginx', { 'x-real-ip': '203.0.113.9' }],
    ['another forwarding header', { 'x-forwarded-proto': 'https' }],
    ['the header of HTTP itself', { via: '1.1 proxy' }],
    ['the header of a content network', { 'cf-connecting-ip': '203.0.113.9' }],
    ['a public Host', { host: 'surplus.example' }],
    ['a public Host that begins like a local one', { host: 'localhost.example' }],
  ])('404 without a token for a request with %s, as a proxy sends it', async (_what, headers) => {
    const answer = await get('/metrics', headers)
    expect(answer.status).toBe(404)
    expect(JSON.parse(answer.body).code).toBe('not_found')
  })

  it('404 without a token for HTTP/1.0, which nginx speaks by default, adding no header', async () => {
    const { hostname, port } = new URL(api.address)
    const socket = connect(Number(port), hostname)
    socket.end(`GET /metrics HTTP/1.0\r\nHost: ${hostname}:${port}\r\n\r\n`)
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 /)
  })

  /** The statuses of calls to a service that is not local, with this token or none. */
  const statusesOf = async (
    metricsToken: string | null,
    calls: Record<string, string>[],
    settings: Partial<ServiceSettings> = {},
  ) => {
    const service = await startService(api.databaseUrl, undefined, { metricsToken, ...settings })
    const asked = calls.map(headers =>
      send(service.address, { method: 'GET', path: '/metrics', headers }),
    )
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    await service.close()
    return statuses
  }

  it('404 without a token where PUBLIC_URL is not local', async () =>
    expect(await statusesOf(null, [{}])).toEqual([404]))

  it('404 without a token where the service is told to stand behind a proxy', async () =>
    expect(
      await statusesOf(null, [{}], { publicUrl: 'http://localhost:8080', trustProxyHops: 1 }),
    ).toEqual([404]))

  it('wants the token where one is set', async () => {
    const right = { authorization: 'Bearer a-long-token', 'x-forwarded-for': '203.0.113.9' }
    const calls: Record<string, string>[] = [{}, { authorization: 'Bearer a-long-tokem' }, right]
    expect(await statusesOf('a-long-token', calls)).toEqual([404, 404, 200])
  })
})
