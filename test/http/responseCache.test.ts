import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readContract } from '../../src/contract/document.ts'
import { insertLots, NOW } from '../support/lots/fixtures.ts'
import { start, type TestService } from '../support/service/start.ts'
import { callsOf, revokeKeysOf } from '../support/service/usage.ts'

const OWNER = 'repeats'
const SEARCH = '/api/v1/listings?category=vehicles&per_page=5'
/** What differs from one answer to the next. */
const ONE_CALL = /^(date|x-request-id|(x-)?ratelimit-(remaining|reset))$/

let api: TestService
let id: string

beforeAll(async () => {
  api = await start({ opensSeenPages: false })
})

beforeEach(async () => {
  api.clock.now = NOW
  await api.sql`delete from lots`
  id = (await insertLots(api.sql, [{ slug: 'truck', title: 'Ümläut truck “4×4”', category: 'vehicles' }]))[0]!
})

afterAll(() => api.close())

describe('a call that repeats another', () => {
  it.each([
    ['a search', () => SEARCH],
    ['a listing', () => `/api/v1/listings/${id}`],
  ])('%s gets the same answer, with limits and an id of its own', async (_what, path) => {
    const key = await api.makeKey('free', { monthly: 10 })
    const first = await api.get(path(), { key })
    const second = await api.get(path(), { key })
    expect(second.status).toBe(200)
    expect(second.text).toBe(first.text)
    const lasting = (headers: Record<string, string>) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => !ONE_CALL.test(name)))
    expect(lasting(second.headers)).toEqual(lasting(first.headers))
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    expect([first, second].map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['9', '8'])
  })

  it('is counted once, and refused when the month is used up', async () => {
    const key = await api.makeKey('free', { owner: OWNER, monthly: 5 })
    const statuses: number[] = []
    for (let call = 0; call < 7; call++) statuses.push((await api.get(SEARCH, { key })).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
    expect(await callsOf(api.sql, OWNER)).toBe(5)
    await revokeKeysOf(api.sql, OWNER)
    const { status, body } = await api.get(SEARCH, { key })
    expect([status, body.code]).toEqual([401, 'invalid_api_key'])
  })

  it('is counted once when the data have changed since', async () => {
    const key = await api.makeKey('free', { owner: 'changes' })
    await api.get(SEARCH, { key })
    await insertLots(api.sql, [{ slug: 'another', category: 'vehicles' }])
    expect((await api.get(SEARCH, { key })).body.total).toBe(2)
    expect(await callsOf(api.sql, 'changes')).toBe(2)
  })

  it('is refused without a key, and to a key whose plan does not include it', async () => {
    const keyless = await api.get(SEARCH, { key: null })
    expect([keyless.status, keyless.body.code]).toEqual([401, 'missing_api_key'])
    const text = readContract().text.replace('name: no_bids\n', 'name: no_bids\n      x-plan: pro\n')
    const strict = await start({ settings: { contract: readContract(text) } })
    const path = `${SEARCH}&no_bids=true`
    expect((await strict.get(path, { key: await strict.makeKey('pro') })).status).toBe(200)
    // The contract promises no 403 here, so this answer is not held against it.
    const headers = { authorization: `Bearer ${await strict.makeKey('free')}` }
    const refused = await fetch(strict.address + path, { headers })
    const { code } = (await refused.json()) as { code: string }
    await strict.close()
    expect([refused.status, code]).toEqual([403, 'forbidden'])
  })

  it('with a condition is answered 304, by HEAD without a body, and with another method not at all', async () => {
    const { headers, text } = await api.get(SEARCH)
    const unchanged = await api.get(SEARCH, { headers: { 'If-None-Match': headers.etag! } })
    expect([unchanged.status, unchanged.text]).toEqual([304, ''])
    const head = await api.head(SEARCH, { headers: { 'Accept-Encoding': 'identity' } })
    expect([head.status, head.headers['content-length']]).toEqual([200, String(Buffer.byteLength(text))])
    expect((await api.send('delete', SEARCH)).status).toBe(405)
  })

  it('is found by the whole address: another order or spelling is another call', async () => {
    await api.get(SEARCH)
    expect((await api.get('/api/v1/listings?category=vehicles&per_page=50')).body.per_page).toBe(50)
    expect((await api.get('/api/v1/listings?category=vehicles&per_page=5&page=2')).body.data).toEqual([])
    expect((await api.get('/api/v1/Listings?category=vehicles&per_page=5')).status).toBe(404)
    expect((await api.get(`${SEARCH}&per_page=5`)).status).toBe(400)
  })
})

describe('a tool call that repeats another', () => {
  const call = (id: unknown, sent: object = { category: 'vehicles' }) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'search_listings', arguments: sent },
  })
  const post = (body: unknown, key: string) => api.send('post', '/api/v1/mcp', { key, body })

  it('gets the same answer under its own id, and is counted once', async () => {
    const key = await api.makeKey('free', { owner: 'agent', monthly: 3 })
    const answers = [await post(call(1), key), await post(call('zwei'), key), await post(call(3), key)]
    expect(answers.map(({ status, body }) => [status, body.id])).toEqual([
      [200, 1],
      [200, 'zwei'],
      [200, 3],
    ])
    for (const { body } of answers) expect(body.result).toEqual(answers[0]!.body.result)
    expect(answers[0]!.body.result.structuredContent.total).toBe(1)
    expect((await post(call(4), key)).status).toBe(429)
    expect(await callsOf(api.sql, 'agent')).toBe(3)
  })

  it('with other arguments is another call, and the data are those of now', async () => {
    const key = await api.makeKey('free')
    await post(call(1), key)
    const other = await post(call(2, { category: 'vehicles', per_page: 1 }), key)
    expect(other.body.result.structuredContent.per_page).toBe(1)
    await insertLots(api.sql, [{ slug: 'another', category: 'vehicles' }])
    expect((await post(call(3), key)).body.result.structuredContent.total).toBe(2)
  })

  it.each([
    ['a body that is cut', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search'],
    ['a body that is no message', '[1,2,3,4]'],
    ['an empty object', '{}'],
  ])('%s is refused as ever', async (_what, body) => {
    const answer = await fetch(`${api.address}/api/v1/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await api.makeKey('free')}`, 'content-type': 'application/json' },
      body,
    })
    expect(answer.status).toBe(400)
  })
})
