import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKey } from '../../src/domain/apiKey.ts'
import { type ServiceProcess, startServiceProcess } from '../support/service/processes.ts'
import { type Answer, type Asked, exchange, send } from '../support/service/rawHttp.ts'
import { start, type TestService } from '../support/service/start.ts'

interface Line {
  level: number
  req: { id: string; method: string; path: string }
  res?: { status: number }
}

let api: TestService
let service: ServiceProcess
const keys: Record<string, string> = { stranger: newKey() }

beforeAll(async () => {
  api = await start()
  service = await startServiceProcess(api.databaseUrl, 'trace')
  keys.known = await api.makeKey('enterprise')
  keys.spent = await api.makeKey('free', { monthly: 0 })
  keys.poor = await api.makeKey('free')
})

afterAll(async () => {
  await service.kill()
  await api.close()
})

const lines = () => service.log().split('\n').filter(Boolean)
const parsed = () => lines().map(line => JSON.parse(line) as Line)

/** Waits until the log, which is written in the background, is silent. */
async function settledLog(): Promise<string[]> {
  for (let before = -1; before !== service.log().length; await sleep(150)) before = service.log().length
  return lines()
}

function authorized(key: string, asked: Partial<Asked>): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, ...asked.headers }
  return send(service.address, { method: 'GET', path: '/api/v1/sources', ...asked, headers })
}

/** A text with percent-encoding taken off, as often as somebody put it on. */
function plain(text: string): string {
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return decoded === text ? text : plain(decoded)
}

/** The part that makes a key a secret, and nothing shorter. */
const secretOf = (key: string) => key.slice('bp_live_'.length, -6)
const encoded = (text: string) => [...text].map(letter => `%${letter.charCodeAt(0).toString(16)}`).join('')

describe('the log', () => {
  it('never holds a key, wherever a client puts it', async () => {
    for (const key of Object.values(keys)) {
      const places: Partial<Asked>[] = [
        {},
        { path: `/api/v1/sources?api_key=${key}` },
        { path: `/api/v1/sources?${key}` },
        { path: `/api/v1/listings?q=${key}` },
        { path: `/api/v1/listings?q=${encoded(key)}` },
        { path: `/api/v1/export?q=${key}` },
        { path: `/api/v1/comps?item=${key}` },
        { path: `/api/v1/listings/${key}` },
        { path: `/api/v1/listings/${key.toUpperCase()}` },
        { path: `/api/v1/listings/x${key}-y` },
        { path: `/api/v1/listings/${encoded(key)}` },
        { path: `/api/v1/listings/${encoded(encoded(key))}` },
        { path: `/api/v1/listings/bp%5Flive%5F${key.slice(8)}` },
        { path: `/api/v1/listings/bp_live_${encoded(key.slice(8))}` },
        { path: `/api/v1/flip-score/${key}` },
        { path: `/listings/${key}` },
        { path: `/${key}/api/v1/sources` },
        { path: `/${key}%` },
        { path: `http://${key}@surplus.test/api/v1/sources` },
        { method: 'DELETE', path: `/api/v1/listings/${key}` },
        {
          headers: {
            cookie: `key=${key}`,
            referer: `http://a/?${key}`,
            'user-agent': key,
            'x-request-id': key,
          },
        },
        { method: 'POST', path: '/api/v1/mcp', ...json({ method: key, params: { key } }) },
        { method: 'POST', path: '/api/v1/mcp', ...json(`{"${key}`) },
      ]
      for (const place of places) await authorized(key, place)
      await exchange(service.address, `get /${key} HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n\r\n`)
      await exchange(service.address, `GET /${key}?${key} HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    }
    const log = await settledLog()
    expect(log.length).toBeGreaterThan(80)
    for (const line of log) {
      for (const key of Object.values(keys)) {
        expect(plain(line).toLowerCase()).not.toContain(secretOf(key).toLowerCase())
      }
    }
  })

  it('never holds a key when the service fails, whose cause it does hold', async () => {
    const before = lines().length
    await api.sql`alter table lots rename column search to search_away`
    const answer = await authorized(keys.known!, { path: `/api/v1/listings?q=${keys.stranger}` })
    await api.sql`alter table lots rename column search_away to search`
    expect(answer.status).toBe(500)
    const written = (await settledLog()).slice(before)
    expect(written.join('\n')).toContain('42703')
    for (const key of Object.values(keys)) expect(plain(written.join('\n'))).not.toContain(secretOf(key))
  })

  it('is JSON, line by line', async () => {
    for (const line of await settledLog()) expect(() => JSON.parse(line), line).not.toThrow()
  })

  it.each<[string, Partial<Asked>, number]>([
    ['200', {}, 200],
    ['HEAD', { method: 'HEAD' }, 200],
    ['a HEAD that is refused', { method: 'HEAD', path: '/api/v1/listings?page=0' }, 400],
    ['400', { path: '/api/v1/listings?page=0' }, 400],
    ['401', { headers: { authorization: 'Bearer nonsense' } }, 401],
    ['404', { path: '/api/v1/nothing' }, 404],
    ['an address that cannot be read', { path: '/%zz' }, 404],
    ['405', { method: 'PUT' }, 405],
    ['OPTIONS', { method: 'OPTIONS' }, 204],
    ['a page', { path: '/pricing' }, 200],
    ['an export', { path: '/api/v1/export' }, 200],
    ['/healthz', { path: '/healthz' }, 200],
  ])(
    'has one line for %s, with the id that the caller was told, method, path and status',
    async (_what, asked, status) => {
      const { headers } = await authorized(keys.known!, asked)
      await settledLog()
      const about = parsed().filter(({ req }) => req?.id === headers['x-request-id'])
      expect(about).toHaveLength(1)
      const path = (asked.path ?? '/api/v1/sources').split('?')[0]
      expect(about[0]).toMatchObject({
        level: 30,
        req: { method: asked.method ?? 'GET', path },
        res: { status },
      })
    },
  )

  it.each<[string, string, number, object]>([
    ['what is no HTTP', 'get / HTTP/1.1\r\nHost: a\r\n\r\n', 400, {}],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: a\r\nA: ${'a'.repeat(17_000)}\r\n\r\n`, 431, {}],
    ['a request without a Host', 'GET /docs?a HTTP/1.1\r\n\r\n', 400, { method: 'GET', path: '/docs' }],
    ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 405, { method: 'CONNECT', path: 'a:443' }],
    [
      'an expectation that is none',
      'GET /docs HTTP/1.1\r\nHost: a\r\nExpect: magic\r\n\r\n',
      417,
      { method: 'GET', path: '/docs' },
    ],
    [
      'a body that breaks off in nonsense',
      'POST /api/v1/mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      { method: 'POST', path: '/api/v1/mcp' },
    ],
  ])('has one line for %s, which Express never answers', async (_what, bytes, status, asked) => {
    const { answers } = await exchange(service.address, bytes)
    expect(answers.map(answer => answer.status)).toEqual([status])
    const id = answers[0]!.headers['x-request-id']
    await settledLog()
    const about = parsed().filter(({ req }) => req?.id === id)
    expect(about).toMatchObject([{ level: 30, req: { id, ...asked }, res: { status } }])
  })

  it('has one more line for a failure, and says both at level error', async () => {
    await api.sql`alter table sources rename to sources_away`
    const { headers, status } = await authorized(keys.known!, {})
    await api.sql`alter table sources_away rename to sources`
    expect(status).toBe(500)
    await settledLog()
    const about = parsed().filter(({ req }) => req?.id === headers['x-request-id'])
    expect(about.map(({ level, res }) => [level, res?.status])).toEqual([
      [50, undefined],
      [50, 500],
    ])
  })

  it('has one line for a client that hangs up', async () => {
    const before = parsed().length
    await api.sql.begin(async lock => {
      await lock`lock table sources in access exclusive mode`
      const { port, hostname } = new URL(service.address)
      const socket = connect(Number(port), hostname)
      socket.write(`GET /api/v1/sources HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${keys.known}\r\n\r\n`)
      await sleep(150)
      socket.destroy()
      await sleep(150)
    })
    await settledLog()
    expect(
      parsed()
        .slice(before)
        .map(({ req }) => req.path),
    ).toEqual(['/api/v1/sources'])
  })
})

function json(body: unknown): Pick<Asked, 'headers' | 'body'> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    headers: { 'content-type': 'application/json', 'content-length': String(text.length) },
    body: text,
  }
}
