import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { compileContract } from '../../src/compiledContract.ts'
import { readContract } from '../../src/contract/document.ts'
import { openAdminConnection } from '../../src/infra/postgres/database.ts'
import { contract } from '../support/contract/contract.ts'
import {
  DAY,
  fromNow,
  HOUR,
  insertAppraisal,
  insertLots,
  MINUTE,
  NOW,
} from '../support/lots/fixtures.ts'
import { forOneTest, shared } from '../support/run/shared.ts'
import { serviceFor, start } from '../support/service/start.ts'
import { callsOf, revokeKeysOf } from '../support/service/usage.ts'

const OWNER = 'repeats'
const EVERYTHING = '/api/v1/listings?per_page=50'
const SEARCH = '/api/v1/listings?category=vehicles&per_page=5'
/** The headers that differ from one answer to the next. */
const ONE_CALL = /^(date|x-request-id|ratelimit|(x-)?ratelimit-(remaining|reset))$/
const PLACE = { state: 'OH', zip: '43004' }
const SAME = {
  title: 'Bobcat S650 skid steer, “Ü”',
  category: 'vehicles',
  ...PLACE,
  ends_at: fromNow(2 * DAY),
}

const api = serviceFor()
/** Another process, which loads lots. */
const elsewhere = shared(() => openAdminConnection(api.databaseUrl))
let id: string

beforeEach(async () => {
  api.clock.now = NOW
  await api.sql`delete from lots`
  ;[id = ''] = await insertLots(api.sql, [
    { ...SAME, slug: 'lot' },
    { slug: 'ends', ends_at: fromNow(HOUR) },
    { slug: 'begins', starts_at: fromNow(2 * HOUR), ends_at: fromNow(3 * DAY) },
  ])
})

async function found(path = EVERYTHING): Promise<{ total: number; slugs: string[] }> {
  const { status, body } = await api.get(path)
  expect(status).toBe(200)
  const slugs = body.data
    .map((lot: { bidprowl_url: string }) => lot.bidprowl_url.split('/').pop())
    .sort()
  return { total: body.total, slugs }
}

const lot = async () => (await api.get(`/api/v1/listings/${id}`)).body.data

describe('an answer is never old: it shows at once', () => {
  const twin = { ...SAME, slug: 'second', source: 'govdeals' }
  const score = (flip_score: number) =>
    elsewhere`update lots set flip_score = ${flip_score} where id = ${id}`

  it.each<[string, () => unknown, object | undefined]>([
    ['a lot that another process changed', () => score(77), { flip_score: 77 }],
    ['the next change of the same lot', () => score(78), { flip_score: 78 }],
    ['a first value', () => insertAppraisal(api.sql, { lot_id: id }), { appraised: true }],
    [
      'the same lot at another source',
      () => insertLots(elsewhere, [twin]),
      { also_listed_as: expect.any(String) },
    ],
    [
      'a new name of a source',
      () => elsewhere`update sources set name = 'New'`,
      { source_name: 'New' },
    ],
    [
      'a lot that another process took away',
      () => elsewhere`delete from lots where id = ${id}`,
      undefined,
    ],
  ])('%s', async (_what, change, seen) => {
    const before = await lot()
    expect(await lot()).toEqual(before)
    if (seen) expect(before).not.toMatchObject(seen)
    await change()
    const after = await lot()
    if (seen) expect(after).toMatchObject(seen)
    else expect([after, (await found()).slugs]).toEqual([undefined, ['ends']])
  })

  it('the lots that are live by the clock, and the status of each, also after the clock was set back', async () => {
    await api.sql`update lots set starts_at = ${fromNow(MINUTE)} where id = ${id}`
    for (const [ms, slugs, status] of [
      [0, ['ends'], 'upcoming'],
      [MINUTE, ['ends', 'lot'], 'live'],
      [HOUR - 1, ['ends', 'lot'], 'live'],
      [HOUR, ['lot'], 'live'],
      [2 * HOUR - 1, ['lot'], 'live'],
      [2 * HOUR, ['begins', 'lot'], 'live'],
      [2 * DAY, ['begins'], 'ended'],
      [0, ['ends'], 'upcoming'],
    ] as const) {
      api.clock.now = fromNow(ms)
      expect([ms, await found(), (await lot()).status]).toEqual([
        ms,
        { total: slugs.length, slugs },
        status,
      ])
    }
  })

  it('all that was committed before the call, to sixty-four readers beside a writer', async () => {
    let least = (await found(`${EVERYTHING}&category=vehicles`)).total
    let isWriting = true
    const write = async () => {
      for (let n = 0; n < 40; n++) {
        await insertLots(elsewhere, [{ slug: `lot-${randomUUID()}`, category: 'vehicles' }])
        least += 1
      }
      isWriting = false
    }
    const wrong: string[] = []
    const read = async () => {
      while (isWriting) {
        const committed = least
        const { total, slugs } = await found(`${EVERYTHING}&category=vehicles`)
        if (total < committed) wrong.push(`${total} found after ${committed} were stored`)
        if (slugs.length !== total) wrong.push(`${slugs.length} shown of ${total}`)
      }
    }
    await Promise.all([write(), ...Array.from({ length: 64 }, read)])
    expect(wrong).toEqual([])
    expect((await found(`${EVERYTHING}&category=vehicles`)).total).toBe(41)
  })
})

describe('a call that repeats another', () => {
  it.each([
    ['a search', () => SEARCH],
    ['a listing', () => `/api/v1/listings/${id}`],
  ])('%s gets the same answer, with limits and an id of its own', async (_what, path) => {
    const key = await api.makeKey('free', { monthly: 10 })
    const first = await api.get(path(), { key })
    const second = await api.get(path(), { key })
    expect([second.status, second.text]).toEqual([200, first.text])
    const lasting = (headers: Record<string, string>) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => !ONE_CALL.test(name)))
    expect(lasting(second.headers)).toEqual(lasting(first.headers))
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    expect([first, second].map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['9', '8'])
  })

  it('is counted once, and refused when the month is used up or the key revoked', async () => {
    const key = await api.makeKey('free', { owner: OWNER, monthly: 5 })
    const statuses: number[] = []
    for (let call = 0; call < 7; call++) statuses.push((await api.get(SEARCH, { key })).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
    expect(await callsOf(api.sql, OWNER)).toBe(5)
    await revokeKeysOf(api.sql, OWNER)
    const { status, body } = await api.get(SEARCH, { key })
    expect([status, body.code]).toEqual([401, 'invalid_api_key'])
  })

  it('is refused without a key, and to a key whose plan does not include it', async () => {
    const keyless = await api.get(SEARCH, { key: null })
    expect([keyless.status, keyless.body.code]).toEqual([401, 'missing_api_key'])
    const text = contract.text.replace('name: no_bids\n', 'name: no_bids\n      x-plan: pro\n')
    const strict = await forOneTest(
      start({ settings: { compiledContract: await compileContract(readContract(text)) } }),
    )
    const path = `${SEARCH}&no_bids=true`
    expect((await strict.get(path, { key: await strict.makeKey('pro') })).status).toBe(200)
    // The contract promises no 403 here, so this answer is not held against it.
    const headers = { authorization: `Bearer ${await strict.makeKey('free')}` }
    const refused = await fetch(strict.address + path, { headers })
    const { code } = (await refused.json()) as { code: string }
    expect([refused.status, code]).toEqual([403, 'forbidden'])
  })

  it('is another call with another parameter', async () => {
    const trucks = [0, 1, 2, 3, 4].map(num_bids => ({
      slug: `truck-${num_bids}`,
      category: 'vehicles',
      num_bids,
    }))
    await insertLots(api.sql, trucks)
    const vehicles = '/api/v1/listings?category=vehicles&per_page=2'
    expect((await found(vehicles)).total).toBe(6)
    expect(await found(`${vehicles}&page=3`)).toMatchObject({ total: 6, slugs: { length: 2 } })
    expect((await found(`${vehicles}&sort=most_bids`)).slugs).toEqual(['truck-3', 'truck-4'])
    expect((await found(`${vehicles}&no_bids=true`)).total).toBe(2)
    expect((await api.get('/api/v1/Listings?category=vehicles&per_page=2')).status).toBe(404)
    expect((await api.get(`${vehicles}&per_page=2`)).status).toBe(400)
  })
})

it('a tool call that repeats another is counted once, and other arguments are another call', async () => {
  const call = (sent: object) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search_listings', arguments: sent },
  })
  const key = await api.makeKey('free', { owner: 'agent', monthly: 3 })
  const post = async (sent: object) =>
    (await api.send('post', '/api/v1/mcp', { key, body: call(sent) })).body
  const first = await post({ category: 'vehicles' })
  expect(first.result.structuredContent.total).toBe(1)
  expect((await post({ category: 'vehicles' })).result).toEqual(first.result)
  expect((await post({ per_page: 1 })).result.structuredContent).toMatchObject({
    total: 2,
    per_page: 1,
  })
  expect((await post({ category: 'vehicles' })).code).toBe('monthly_quota_exceeded')
  expect(await callsOf(api.sql, 'agent')).toBe(3)
})
