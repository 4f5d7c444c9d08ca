import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import { forOneTest } from '../support/run/shared.ts'

// It is compiled beside the types of the contract, which stand elsewhere here.
const { changes, createSurplusClient, dataOf, exportCsv, pages, SurplusError, sync } = await import(
  projectFile('clients/typescript/index.ts')
)

type Answer = (res: ServerResponse, req: IncomingMessage) => unknown

const HTML =
  '<html><head><style>body { color: red }</style></head><body><h1>Bad  gateway</h1></body></html>'
const PAGE = { data: [{ id: 'a' }], page: 1, per_page: 50, total: 1, total_pages: 1, missing: null }
const json =
  (status: number, body: unknown, headers = {}): Answer =>
  res =>
    res
      .writeHead(status, { 'Content-Type': 'application/json', 'X-Request-Id': 'r1', ...headers })
      .end(JSON.stringify(body))
const html =
  (status: number): Answer =>
  res =>
    res.writeHead(status, { 'Content-Type': 'text/html' }).end(HTML)
const good = json(200, PAGE)
const reset: Answer = res => res.socket!.resetAndDestroy()
/** Announces more than it sends, then breaks off. */
const cut =
  (type: string, text: string, headers = {}): Answer =>
  async res => {
    res.writeHead(200, { 'Content-Type': type, ...headers }).write(text)
    await new Promise(resolve => setTimeout(resolve, 50))
    res.socket!.destroy()
  }
const refusal = (code: string) => ({
  error: 'The limit is reached.',
  code,
  docs: 'https://a.example/docs',
  upgrade: 'https://a.example/pricing',
  request_log_url: 'https://a.example/account/log?call=r1',
})

/**
 * A server that answers in this order, the last answer again and again; and how often it was
 * called.
 */
async function serverWith(answers: Answer[], options = {}) {
  const urls: string[] = []
  const server = createServer((req, res) => {
    const answer = answers[Math.min(urls.length, answers.length - 1)]!
    urls.push(String(req.url))
    void answer(res, req)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  await forOneTest({ close: () => server.close().closeAllConnections() })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { urls, client: createSurplusClient({ baseUrl, key: 'k', ...options }) }
}
const read = (client: {
  GET: (
    path: string,
    init?: object,
  ) => Promise<{ data: unknown; error: object; response: Response }>
}) => client.GET('/api/v1/listings')
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('It did not fail'),
    error => {
      expect(error).toBeInstanceOf(SurplusError)
      return error
    },
  )

/** Of the pauses between attempts each is the shortest, unless a test says otherwise. */
const luck = vi.spyOn(Math, 'random')
beforeEach(() => void luck.mockReturnValue(0))
afterEach(() => void luck.mockReset())

describe('a GET is made again where the way to the service lost it', () => {
  it.each<[string, Answer]>([
    ['a reset', reset],
    ['a 502 with a page', html(502)],
    ['a 503 without Retry-After', html(503)],
    [
      'a 503 with Retry-After in seconds',
      json(503, refusal('internal_error'), { 'Retry-After': '0' }),
    ],
    [
      'a 503 with Retry-After as a date that is past',
      json(503, {}, { 'Retry-After': 'Sat, 21 Nov 2026 09:30:00 GMT' }),
    ],
    ['a 504', html(504)],
    ['a 429 of a minute', json(429, refusal('burst_rate_exceeded'), { 'Retry-After': '0' })],
    ['a 429 of a proxy', html(429)],
    ['a body that was cut off', cut('application/json', '{"data":[', { 'Content-Length': '9000' })],
    ['a page instead of JSON', html(200)],
  ])('after %s, twice', async (_what, bad) => {
    const { urls, client } = await serverWith([bad, bad, good])
    expect((await read(client)).data).toEqual(PAGE)
    expect(urls).toHaveLength(3)
  })

  it('after no answer for a while', async () => {
    const { urls, client } = await serverWith([() => null, good], { timeoutSeconds: 0.2 })
    expect((await read(client)).data).toEqual(PAGE)
    expect(urls).toHaveLength(2)
  })

  it('three times at most, each within a random part of a time that doubles', async () => {
    luck.mockReturnValue(0.02)
    const pauses = vi.spyOn(globalThis, 'setTimeout')
    const { urls, client } = await serverWith([html(502)])
    const { error } = await read(client)
    const waited = pauses.mock.calls.map(([, ms]) => ms).filter(ms => [10, 20, 40].includes(ms!))
    pauses.mockRestore()
    expect([urls.length, waited]).toEqual([4, [10, 20, 40]])
    expect(error).toMatchObject({ status: 502 })
  })

  it('by the clock of the sender, where Retry-After is a date', async () => {
    const [now, soon] = ['Sat, 21 Nov 2026 09:30:00 GMT', 'Sat, 21 Nov 2026 09:30:01 GMT']
    const pauses = vi.spyOn(globalThis, 'setTimeout')
    const { client } = await serverWith([json(503, {}, { Date: now, 'Retry-After': soon }), good])
    await read(client)
    const waited = pauses.mock.calls.map(([, ms]) => ms)
    pauses.mockRestore()
    expect(waited).toContain(1000)
  })
})

describe('a call is made once', () => {
  it.each<[string, Answer]>([
    ['a month is used up', json(429, refusal('monthly_quota_exceeded'), { 'Retry-After': '1' })],
    [
      'it would wait for more than a minute',
      json(503, refusal('internal_error'), { 'Retry-After': '3600' }),
    ],
    ['the service failed', json(500, refusal('internal_error'))],
    ['it was refused', json(403, refusal('forbidden'))],
  ])('where %s', async (_what, bad) => {
    const { urls, client } = await serverWith([bad, good])
    const { data, error } = await read(client)
    expect([urls.length, data]).toEqual([1, undefined])
    expect(error).toMatchObject({
      upgrade: expect.any(String),
      request_log_url: expect.any(String),
      requestId: 'r1',
    })
  })

  it.each([
    ['a reset', reset],
    ['a 502', html(502)],
  ])('where it is a POST, after %s', async (_what, bad) => {
    const { urls, client } = await serverWith([bad, good])
    const { error } = await client.POST('/api/v1/mcp', { body: {} })
    expect([urls.length, error.code]).toEqual([1, null])
  })

  it('where its caller gives up', async () => {
    const { urls, client } = await serverWith([json(503, {}, { 'Retry-After': '50' })])
    const call = client.GET('/api/v1/listings', { signal: AbortSignal.timeout(300) })
    await expect(call).rejects.toThrow(/abort|timeout/i)
    expect(urls).toHaveLength(1)
  })
})

describe('an error has a status, a code or null, a sentence and the id of the request', () => {
  it.each<[string, Answer, object]>([
    [
      'a page',
      html(502),
      {
        status: 502,
        code: null,
        message: 'Not an answer of the API (502 Bad Gateway): Bad gateway',
      },
    ],
    [
      'an empty body',
      res => res.writeHead(502).end(),
      { status: 502, message: 'Not an answer of the API (502 Bad Gateway): empty' },
    ],
    ['other JSON', json(500, { oops: 1 }), { status: 500, code: null, requestId: 'r1' }],
    [
      'a reset',
      reset,
      { status: 599, code: null, message: expect.stringContaining('ECONNRESET'), requestId: null },
    ],
    [
      'a page as 200',
      html(200),
      { status: 599, code: null, message: expect.stringContaining('JSON') },
    ],
    [
      'a 204',
      res => res.writeHead(204, { 'X-Request-Id': 'r1' }).end(),
      { status: 204, code: null, requestId: 'r1' },
    ],
    [
      'a refusal',
      json(429, refusal('monthly_quota_exceeded')),
      {
        status: 429,
        code: 'monthly_quota_exceeded',
        message: 'The limit is reached.',
        docs: 'https://a.example/docs',
        upgrade: 'https://a.example/pricing',
        request_log_url: 'https://a.example/account/log?call=r1',
        requestId: 'r1',
      },
    ],
  ])('after %s', async (_what, bad, expected) => {
    const { client } = await serverWith([bad], { retries: 0 })
    const error = await failureOf(pages(client).next())
    expect(error).toMatchObject(expected)
    expect(error.message).toMatch(/\w/)
    expect(await failureOf(read(client).then(dataOf))).toMatchObject(expected)
  })
})

describe('exportCsv', () => {
  const csv =
    (text: string, total: number, headers = {}): Answer =>
    res =>
      res
        .writeHead(200, {
          'Content-Type': 'text/csv; charset=utf-8',
          'X-Total-Count': total,
          ...headers,
        })
        .end(text)
  const rowsOf = async (client: unknown, rows: object[] = []) => {
    for await (const row of exportCsv(client, { state: 'TX' })) rows.push(row)
    return rows
  }

  it('gives each row as it arrives, whatever its cells hold, in pieces of any length', async () => {
    const text = 'id,title,zip\r\n1,"a ""b"", c\r\nd",00501\r\n2,\'=1+1,\r\n3,Ü 卡 🚚,\r\n'
    const bytes = Buffer.from(text)
    const inPieces: Answer = async res => {
      res.writeHead(200, { 'Content-Type': 'text/csv', 'X-Total-Count': 3 })
      for (const byte of bytes) {
        res.write(Buffer.from([byte]))
        await new Promise(setImmediate)
      }
      res.end()
    }
    const { client } = await serverWith([html(503), inPieces])
    expect(await rowsOf(client)).toEqual([
      { id: '1', title: 'a "b", c\r\nd', zip: '00501' },
      { id: '2', title: '=1+1', zip: null },
      { id: '3', title: 'Ü 卡 🚚', zip: null },
    ])
  })

  it.each<[string, Answer]>([
    ['is cut off', cut('text/csv', 'id\r\n1\r\n', { 'X-Total-Count': 3 })],
    ['ends too early', csv('id\r\n1\r\n', 3)],
  ])('throws after the rows that came, where the file %s', async (_what, bad) => {
    const { client } = await serverWith([bad])
    const rows: object[] = []
    expect(await failureOf(rowsOf(client, rows))).toMatchObject({
      code: null,
      message: expect.stringMatching(/1 (of 3 )?rows/),
    })
    expect(rows).toEqual([{ id: '1' }])
  })

  it('throws the refusal of a plan, and knows that a file has 5,000 rows at most', async () => {
    const { client } = await serverWith([
      json(403, refusal('forbidden')),
      csv(`id\r\n${'1\r\n'.repeat(5000)}`, 9000),
    ])
    expect(await failureOf(rowsOf(client))).toMatchObject({ status: 403, code: 'forbidden' })
    expect(await rowsOf(client)).toHaveLength(5000)
  })
})

describe('sync', () => {
  const stepsOf = async (client: unknown, cursor: string | null, query = {}) => {
    const steps = []
    for await (const step of sync(client, cursor, query)) steps.push(step)
    return steps
  }
  const change = json(200, { data: [{ listing: { id: 'b' } }], next_cursor: '11', more: false })
  const latest = json(200, { data: [], next_cursor: '20', more: false })
  const isRefused = json(400, refusal('invalid_request'))

  it('gives the lots of the changes after its cursor', async () => {
    const { urls, client } = await serverWith([change])
    expect(await stepsOf(client, '10', { state: 'TX' })).toEqual([
      { restarts: false, listings: [{ id: 'b' }], cursor: '11' },
    ])
    expect(urls).toEqual(['/api/v1/changes?state=TX&cursor=10'])
  })

  it('survives a cursor that is refused: it copies all lots, from a cursor that is older than the copy', async () => {
    const [first, second] = [1, 2].map(page => json(200, { ...PAGE, page, total_pages: 2 }))
    const { urls, client } = await serverWith([isRefused, latest, first!, html(502), second!])
    expect(await stepsOf(client, 'old', { state: 'TX' })).toEqual([
      { restarts: true, listings: [{ id: 'a' }], cursor: null },
      { restarts: false, listings: [{ id: 'a' }], cursor: '20' },
    ])
    expect(urls[1]).toBe('/api/v1/changes?state=TX&cursor=latest')
    expect(urls[2]).toBe('/api/v1/listings?per_page=50&state=TX&sort=newest&page=1')
  })

  it('does not go on for ever where it is the filter that is refused', async () => {
    const { urls, client } = await serverWith([isRefused])
    expect(await failureOf(stepsOf(client, 'old'))).toMatchObject({ status: 400 })
    expect(urls).toHaveLength(2)
  })

  it('refuses a copy that searches cannot reach, and leaves other failures to its caller', async () => {
    const { client } = await serverWith([
      latest,
      json(200, { ...PAGE, total_pages: 201 }),
      json(403, refusal('forbidden')),
    ])
    expect((await failureOf(stepsOf(client, null))).message).toMatch(/Too many lots/)
    expect(await failureOf(stepsOf(client, '10'))).toMatchObject({ code: 'forbidden' })
    expect(await failureOf(changes(client, '10').next())).toMatchObject({ code: 'forbidden' })
  })
})
