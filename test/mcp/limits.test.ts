import { gzipSync } from 'node:zlib'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { dropStaleIpBlocks } from '../../src/infra/metering/counters.ts'
import { clock } from '../../src/infra/postgres/clock.ts'
import {
  DAY,
  fromNow,
  HOUR,
  insertLots,
  insertSales,
  MINUTE,
  NOW,
} from '../support/lots/fixtures.ts'
import {
  callTool,
  initializeRequest,
  legacyRequest,
  modernRequest,
  post,
} from '../support/mcp/mcp.ts'
import { forOneTest } from '../support/run/shared.ts'
import { startService } from '../support/service/service.ts'
import { serviceFor, start } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'
import { callsOf } from '../support/service/usage.ts'

const SECONDS_TO_DECEMBER = (Date.UTC(2026, 11, 1) - NOW.getTime()) / 1000
const SEARCH = legacyRequest('tools/call', { name: 'search_listings', arguments: {} })

describe('the allowance of an address without a key', () => {
  const api = serviceFor({ settings: { trustProxyHops: 1, pagesPerMinute: 120 } })

  beforeAll(async () => {
    await insertLots(api.sql, [{ slug: 'one' }])
  })
  beforeEach(async () => {
    api.clock.now = NOW
    await api.sql`truncate monthly_usage, burst_usage`
  })

  const from = (address: string, message: unknown = SEARCH) =>
    post(api, message, { key: null, headers: { 'X-Forwarded-For': address } })

  it('is 10 calls a minute, then 429 burst_rate_exceeded with all headers', async () => {
    for (let remaining = 99; remaining >= 90; remaining--) {
      const { status, headers } = await from('198.51.100.7')
      expect([status, headers['ratelimit-limit'], headers['ratelimit-remaining']]).toEqual([
        200,
        '100',
        String(remaining),
      ])
      expect(headers['ratelimit-reset']).toBe(String(SECONDS_TO_DECEMBER))
    }
    api.clock.now = fromNow(17_500)
    const { status, body, headers } = await from('198.51.100.7')
    expect([status, body.code, headers['retry-after']]).toEqual([429, 'burst_rate_exceeded', '43'])
    expect(headers['ratelimit-remaining'], 'a 429 does not count').toBe('90')
    expect(body.upgrade).toBe(`${PUBLIC_URL}/pricing`)
    api.clock.now = fromNow(MINUTE)
    expect((await from('198.51.100.7')).status).toBe(200)
  })

  it('is 40 calls a minute for all blocks of an IPv6 /56 together, and 10 for each', async () => {
    const statuses = async (address: string, calls: number) => {
      const answers = []
      for (let call = 0; call < calls; call++) answers.push((await from(address)).status)
      return answers
    }
    for (const block of ['00', '01', '02'])
      expect(await statuses(`2001:db8:0:5${block}::1`, 11)).toEqual([...Array(10).fill(200), 429])
    for (const block of ['a0', 'a1'])
      expect(await statuses(`2001:db8:0:5${block}::1`, 5)).toEqual(Array(5).fill(200))
    const { status, body } = await from('2001:db8:0:5ff::1')
    expect([status, body.error]).toEqual([
      429,
      expect.stringContaining('made its 40 calls of the minute'),
    ])
    const used = () => api.sql`select sum(used)::integer as calls from monthly_usage`
    await expect
      .poll(used, { message: 'a 429 of the /56 is given back to its /64' })
      .toEqual([{ calls: 80 }])
    expect((await from('2001:db8:0:600::1')).status).toBe(200)
  })

  it('is not used by a large body that is no call: that is a request of its address', async () => {
    const large = (address: string) =>
      from(address, { ...legacyRequest('ping', {}), padding: 'x'.repeat(60_000) })
    const statuses = []
    for (let n = 0; n < 121; n++) statuses.push((await large('198.51.100.60')).status)
    expect(statuses.slice(0, 120)).not.toContain(429)
    expect(statuses.at(-1)).toBe(429)
    expect((await from('198.51.100.60', legacyRequest('ping', {}))).status).toBe(200)
    expect((await from('198.51.100.60')).headers['ratelimit-remaining']).toBe('99')
  })

  it('is not used by a compressed body that is no call either', async () => {
    const message = { ...legacyRequest('ping', {}), padding: 'x'.repeat(60_000) }
    const headers = {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      accept: 'application/json, text/event-stream',
      'x-forwarded-for': '198.51.100.61',
    }
    const body = gzipSync(JSON.stringify(message))
    const statuses = []
    for (let n = 0; n < 121; n++)
      statuses.push(
        (await fetch(`${api.address}/api/v1/mcp`, { method: 'POST', headers, body })).status,
      )
    expect(statuses.slice(0, 120)).not.toContain(429)
    expect(statuses.at(-1)).toBe(429)
  })

  it('is 100 calls a month, then 429 monthly_quota_exceeded until the next begins', async () => {
    for (let call = 0; call < 100; call++) {
      api.clock.now = fromNow(Math.floor(call / 10) * MINUTE)
      expect((await from('198.51.100.8')).status).toBe(200)
    }
    api.clock.now = fromNow(HOUR)
    const { status, body, headers } = await from('198.51.100.8')
    expect([status, body.code]).toEqual([429, 'monthly_quota_exceeded'])
    expect(headers['retry-after']).toBe(String(SECONDS_TO_DECEMBER - 3600))
    expect(headers['ratelimit-remaining']).toBe('0')
    api.clock.now = fromNow(SECONDS_TO_DECEMBER * 1000)
    expect((await from('198.51.100.8')).status).toBe(200)
  })

  it('is each address’s own behind a proxy, and an IPv6 one counts by its first 64 bits', async () => {
    const left = async (address: string) =>
      Number((await from(address)).headers['ratelimit-remaining'])
    expect(await left('203.0.113.1')).toBe(99)
    expect(await left('203.0.113.2')).toBe(99)
    expect(await left('203.0.113.1')).toBe(98)
    expect(await left('::ffff:203.0.113.1'), 'the same address').toBe(97)
    expect(await left('203.0.113.1:50123'), 'with a port').toBe(96)
    expect(await left('2001:db8:1:2::1')).toBe(99)
    expect(await left('2001:0DB8:0001:0002:ffff:ffff:ffff:ffff')).toBe(98)
    expect(await left('2001:db8:1:3::1'), 'the next /64').toBe(99)
    expect(await left('unknown')).toBe(99)
    expect(await left('another unreadable one'), 'who cannot be told apart shares one').toBe(98)
  })

  it('is not widened by an address that the client itself claims', async () => {
    const claimed = (claim: string) => from(`${claim}, 203.0.113.9`)
    expect((await claimed('1.1.1.1')).headers['ratelimit-remaining']).toBe('99')
    expect((await claimed('2.2.2.2')).headers['ratelimit-remaining']).toBe('98')
    const direct = await forOneTest(start())
    direct.clock.now = NOW
    const spoof = (n: number) =>
      post(direct, SEARCH, { key: null, headers: { 'X-Forwarded-For': `9.9.9.${n}` } })
    expect((await spoof(1)).headers['ratelimit-remaining']).toBe('99')
    expect((await spoof(2)).headers['ratelimit-remaining'], 'no proxy is trusted').toBe('98')
    expect(direct.log().match(/TRUST_PROXY_HOPS is 0/g), 'warned once').toHaveLength(1)
  })

  it('is not touched by connecting, listing, pinging and notifications, which tell no limits', async () => {
    const free = [
      initializeRequest(),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      legacyRequest('tools/list'),
      legacyRequest('ping'),
      legacyRequest('no/such/method'),
      '[]',
    ]
    for (const message of [...free, ...free]) {
      const { headers, status } = await from('203.0.113.20', message)
      expect([200, 202, 400]).toContain(status)
      expect(headers['ratelimit-limit']).toBeUndefined()
    }
    const { message, headers } = modernRequest('server/discover')
    const forwarded = { ...headers, 'X-Forwarded-For': '203.0.113.20' }
    expect((await post(api, message, { key: null, headers: forwarded })).status).toBe(200)
    expect((await from('203.0.113.20')).headers['ratelimit-remaining']).toBe('99')
  })

  it('never keeps an address, only its keyed hash, and forgets it when it no longer limits', async () => {
    await from('203.0.113.50')
    const meters = async () =>
      (await api.sql<{ meter: string }[]>`select meter from monthly_usage`).map(r => r.meter)
    expect(await meters()).toEqual([expect.stringMatching(/^ip_block:[0-9a-f]{64}$/)])
    const service = await forOneTest(startService(api.databaseUrl))
    const at = async (now: Date) => {
      await service.deps.background(({ sql }) => dropStaleIpBlocks({ sql, now: clock(now) }))
      return api.sql`select meter from burst_usage union all select meter from monthly_usage`
    }
    expect(await at(fromNow(HOUR))).toHaveLength(2)
    expect(await at(fromNow(2 * HOUR)), 'the minute').toHaveLength(1)
    expect(await at(fromNow(15 * DAY)), 'the month').toHaveLength(0)
  })
})

describe('a key at the agent endpoint', () => {
  const api = serviceFor({ now: NOW })
  let lot: string

  beforeAll(async () => {
    ;[lot] = (await insertLots(api.sql, [{ slug: 'one' }])) as [string]
    await insertSales(
      api.sql,
      [1, 2, 3, 4, 5].map(n => ({
        item: 'ford-f-150',
        category: 'vehicles',
        sold_at: fromNow(-n * DAY),
        final_bid_cents: n * 100,
      })),
    )
  })

  it('has one month for tools and REST calls, that of its owner', async () => {
    const owner = 'both protocols'
    const key = await api.makeKey('free', { owner })
    const first = await callTool(api, 'search_listings', {}, { key })
    expect(first.response.headers['ratelimit-limit']).toBe('1000')
    expect(first.response.headers['ratelimit-remaining']).toBe('999')
    expect((await api.get('/api/v1/listings', { key })).headers['ratelimit-remaining']).toBe('998')
    expect(
      (await post(api, legacyRequest('tools/list'), { key })).headers['ratelimit-remaining'],
    ).toBe('997')
    expect(await callsOf(api.sql, owner)).toBe(3)
    expect(await api.sql`select from monthly_usage where meter like 'ip_block:%'`).toHaveLength(0)
  })

  it.each(['item', 'listing_id', 'q'])(
    'is told by a tool error that %s needs Pro: missing_api_key without a key, forbidden with a free one',
    async name => {
      const sent = { [name]: name === 'item' ? 'ford-f-150' : lot }
      const without = await callTool(api, 'sold_comps', sent, { key: null })
      expect(without.isError).toBe(true)
      expect(without.text).toMatch(
        new RegExp(`^missing_api_key: The parameter "${name}" needs a Pro key\\.`),
      )
      const free = await callTool(api, 'sold_comps', sent, { key: await api.makeKey('free') })
      expect(free.isError).toBe(true)
      expect(free.text).toMatch(
        new RegExp(
          `^forbidden: The parameter "${name}" needs a Pro key; this key is on the Free plan\\.`,
        ),
      )
      for (const { text } of [without, free]) expect(text).toContain(`${PUBLIC_URL}/pricing`)
      const pro = await callTool(api, 'sold_comps', sent, { key: await api.makeKey('pro') })
      expect(pro.text).not.toMatch(/forbidden|missing_api_key/)
    },
  )

  it.each([
    ['2025', false],
    ['2026', true],
  ])(
    'is told by a tool error when to ask again, and not charged for it, in the era of %s',
    async (era, modern) => {
      const owner = `unlucky ${era}`
      const key = await api.makeKey('pro', { owner })
      await api.sql`
      insert into sales_indexes (as_of, score_version, sales, sell_through, accuracy) values (${NOW}, '3', 24, '{}', '{}')`
      const params = { name: 'sold_comps', arguments: { q: 'Ford truck' } }
      const sent = modern
        ? modernRequest('tools/call', params)
        : { message: legacyRequest('tools/call', params), headers: {} }
      // Until the estimating process runs, it is the deadline of the call that passes.
      await expect
        .poll(
          async () => (await post(api, sent.message, { key, headers: sent.headers })).body.result,
          {
            timeout: 180_000,
          },
        )
        .toMatchObject({
          isError: true,
          content: [
            { text: expect.stringMatching(/^unavailable, ask again in 60 seconds\. The sales /) },
          ],
        })
      await expect.poll(() => callsOf(api.sql, owner)).toBe(0)
    },
  )

  it('is told of the plan before the arguments, as REST does', async () => {
    const { text } = await callTool(api, 'sold_comps', { item: 5, nonsense: 1 }, { key: null })
    expect(text).toMatch(/^missing_api_key/)
  })
})
