import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { newKey } from '../../src/domain/apiKey.ts'
import { processFor } from '../support/service/processes.ts'
import { type Answer, type Asked, exchange, send } from '../support/service/rawHttp.ts'
import { serviceFor, start } from '../support/service/start.ts'

interface Line {
  level: number
  req: { id: string; method: string; path: string }
  res?: { status: number }
  account_id?: number
  key_id?: string
  ip_block?: string
}

const api = serviceFor()
const service = processFor(api, 'trace')
const keys: Record<string, string> = { stranger: newKey() }

beforeAll(async () => {
  keys.known = await api.makeKey('enterprise')
  keys.spent = await api.makeKey('free', { monthly: 0 })
  keys.poor = await api.makeKey('free')
})

const lines = () => service.log().split('\n').filter(Boolean)
const parsed = () => lines().map(line => JSON.parse(line) as Line)

/** Waits until the log, which is written in the background, is silent. */
async function settledLog(): Promise<string[]> {
  for (let before = -1; before !== service.log().length; await sleep(150))
    before = service.log().length
  return lines()
}

/** Each list holds the lines that the log has for the id of its first one, and no more. */
async function expectLines(expected: object[]): Promise<void> {
  await settledLog()
  const found = (expected as [Line][]).map(([{ req }]) =>
    parsed().filter(line => line.req?.id === req.id),
  )
  expect(found).toMatchObject(expected)
}

function authorized(key: string, asked: Partial<Asked>): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, ...asked.headers }
  return send(service.address, { method: 'GET', path: '/api/v1/sources', ...asked, headers })
}

/** A text with percent-encoding taken off, as often as somebody put it on. */
function plain(text: string): string {
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return decoded === text ? text : plain(decoded)
}

/** The part that makes a key a secret, and nothing shorter. */
const secretOf = (key: string) => key.slice('bp_live_'.length, -6)
const encoded = (text: string) =>
  [...text].map(letter => `%${letter.charCodeAt(0).toString(16)}`).join('')

describe('the log', () => {
  it('names the key and the account of each call, of refused and repeated ones too, and without a key the hashed address block', async () => {
    const named = async (key: string) => {
      const [one] = await api.sql<{ account_id: number; key_id: string }[]>`
        select account_id, id as key_id from keys where hint = ${key.slice(-4)} order by created_at desc limit 1`
      return { account_id: one!.account_id, key_id: one!.key_id }
    }
    const keyless = { ip_block: expect.stringMatching(/^[\da-f]{64}$/) }
    const expected: [string, Record<string, string>, object][] = [
      ...['known', 'known', 'spent'].map(
        name =>
          [name, { authorization: `Bearer ${keys[name]}` }, {}] as [
            string,
            Record<string, string>,
            object,
          ],
      ),
      ['stranger', { authorization: `Bearer ${keys.stranger}` }, keyless],
      ['none', {}, keyless],
    ]
    for (const [name, headers, fields] of expected) {
      const { headers: got } = await send(service.address, {
        method: 'GET',
        path: '/api/v1/sources',
        headers,
      })
      await settledLog()
      const line = parsed().find(({ req, res }) => res && req.id === got['x-request-id'])
      expect(line, name).toMatchObject(fields === keyless ? fields : await named(keys[name]!))
    }
  })

  it('never holds a key, wherever a client puts it', async () => {
    for (const key of Object.values(keys)) {
      const names = [key, key.toUpperCase(), `x${key}-y`, encoded(key), encoded(encoded(key))]
      names.push(`bp%5Flive%5F${key.slice(8)}`, `bp_live_${encoded(key.slice(8))}`)
      const headers = {
        cookie: `key=${key}`,
        referer: `http://a/?${key}`,
        'user-agent': key,
        'x-request-id': key,
      }
      const places: Partial<Asked>[] = [
        ...[{}, { headers }],
        ...[`api_key=${key}`, key].map(query => ({ path: `/api/v1/sources?${query}` })),
        ...[key, encoded(key)].map(q => ({ path: `/api/v1/listings?q=${q}` })),
        ...[`export?q=${key}`, `comps?item=${key}`].map(path => ({ path: `/api/v1/${path}` })),
        ...names.map(name => ({ path: `/api/v1/listings/${name}` })),
        ...[`/api/v1/flip-score/${key}`, `/listings/${key}`].map(path => ({ path })),
        ...[`/${key}/api/v1/sources`, `/${key}%`, `http://${key}@surplus.test/api/v1/sources`].map(
          path => ({
            path,
          }),
        ),
        { method: 'DELETE', path: `/api/v1/listings/${key}` },
        { method: 'POST', path: '/api/v1/mcp', ...json({ method: key, params: { key } }) },
        { method: 'POST', path: '/api/v1/mcp', ...json(`{"${key}`) },
      ]
      await Promise.all(places.map(place => authorized(key, place)))
      await exchange(
        service.address,
        `get /${key} HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      )
      await exchange(
        service.address,
        `GET /${key}?${key} HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      )
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
    for (const key of Object.values(keys))
      expect(plain(written.join('\n'))).not.toContain(secretOf(key))
  })

  it('has one line for each answer, with the id that the caller got, method, path and status', async () => {
    const calls: [asked: Partial<Asked>, status: number][] = [
      [{}, 200],
      [{ method: 'HEAD' }, 200],
      [{ method: 'HEAD', path: '/api/v1/listings?page=0' }, 400],
      [{ path: '/api/v1/listings?page=0' }, 400],
      [{ headers: { authorization: 'Bearer nonsense' } }, 401],
      [{ path: '/api/v1/nothing' }, 404],
      [{ path: '/%zz' }, 404],
      [{ method: 'PUT' }, 405],
      [{ method: 'OPTIONS' }, 204],
      [{ path: '/pricing' }, 200],
      [{ path: '/api/v1/export' }, 200],
    ]
    const expected: object[] = []
    for (const [asked, status] of calls) {
      const { method = 'GET', path = '/api/v1/sources' } = asked
      const id = (await authorized(keys.known!, asked)).headers['x-request-id']
      expected.push([{ level: 30, req: { id, method, path: path.split('?')[0] }, res: { status } }])
    }
    await expectLines(expected)
  })

  it('has no line for a health check that holds, for which no call is made', async () => {
    const ids: string[] = []
    for (const path of ['/healthz', '/readyz'])
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await send(service.address, { method, path })
        expect(status).toBe(200)
        ids.push(headers['x-request-id']!)
      }
    const log = (await settledLog()).join('\n')
    for (const id of ids) expect(log).not.toContain(id)
  })

  it('has one line for each request that Express never answers', async () => {
    const docs = { method: 'GET', path: '/docs' }
    const chunked =
      'POST /api/v1/mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
    const sent: [bytes: string, status: number, asked: object][] = [
      ['get / HTTP/1.1\r\nHost: a\r\n\r\n', 400, {}],
      [`GET / HTTP/1.1\r\nHost: a\r\nA: ${'a'.repeat(17_000)}\r\n\r\n`, 431, {}],
      ['GET /docs?a HTTP/1.1\r\n\r\n', 400, docs],
      ['CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 405, { method: 'CONNECT', path: 'a:443' }],
      ['GET /docs HTTP/1.1\r\nHost: a\r\nExpect: magic\r\n\r\n', 417, docs],
      [`${chunked}zz\r\n`, 400, { method: 'POST', path: '/api/v1/mcp' }],
    ]
    const expected: object[] = []
    for (const [bytes, status, asked] of sent) {
      const { answers } = await exchange(service.address, bytes)
      expect(answers.map(answer => answer.status)).toEqual([status])
      const id = answers[0]!.headers['x-request-id']
      expected.push([{ level: 30, req: { id, ...asked }, res: { status } }])
    }
    await expectLines(expected)
  })

  it('has one more line for a failure, and says both at level error', async () => {
    await api.sql`alter table lots rename to lots_away`
    const { headers, status } = await authorized(keys.known!, { path: '/api/v1/listings/any' })
    await api.sql`alter table lots_away rename to lots`
    expect(status).toBe(500)
    await settledLog()
    const about = parsed().filter(({ req }) => req?.id === headers['x-request-id'])
    expect(about.map(({ level, res }) => `${level} ${res?.status}`)).toEqual([
      '50 undefined',
      '50 500',
    ])
  })

  it('says once a second why calls are refused, at level warn and without a stack', async () => {
    const away = await start({ unreachable: true })
    const atStart = away.log().length
    const headers = { authorization: `Bearer ${await away.makeKey('free')}` }
    const calls = Array.from({ length: 40 }, () =>
      away.ask({ method: 'GET', path: '/api/v1/sources', headers }),
    )
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    await away.close()
    expect(new Set(statuses)).toEqual(new Set([503]))
    const lines = away
      .log()
      .slice(atStart)
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const reasons = lines.filter(({ res }) => !res)
    expect(reasons.length).toBeGreaterThan(0)
    expect(reasons.length, away.log()).toBeLessThan(statuses.length / 2)
    expect(new Set(lines.map(({ level }) => level))).toEqual(new Set([40]))
    expect(away.log()).not.toContain('"stack"')
  })

  it('has one line for a client that hangs up', async () => {
    const before = parsed().length
    await api.sql.begin(async lock => {
      await lock`lock table sources in access exclusive mode`
      const { port, hostname } = new URL(service.address)
      const socket = connect(Number(port), hostname)
      socket.write(
        `GET /api/v1/sources HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${keys.known}\r\n\r\n`,
      )
      await sleep(150)
      socket.destroy()
      await sleep(150)
    })
    await settledLog()
    const paths = parsed()
      .slice(before)
      .map(({ req }) => req.path)
    expect(paths).toEqual(['/api/v1/sources'])
  })
})

function json(body: unknown): Pick<Asked, 'headers' | 'body'> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const headers = { 'content-type': 'application/json', 'content-length': String(text.length) }
  return { headers, body: text }
}
