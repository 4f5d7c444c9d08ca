import { describe, expect, it } from 'vitest'
import type { Plan } from '../../src/contract/plans.ts'
import { type KeyOptions, serviceFor } from '../support/service/start.ts'

const DAY = 86_400

const api = serviceFor()

async function callAt(moment: string, key: string) {
  api.clock.now = new Date(moment)
  const { status, body, headers } = await api.get('/api/v1/sources', { key })
  for (const name of ['limit', 'remaining', 'reset'])
    expect(headers[`x-ratelimit-${name}`]).toBe(headers[`ratelimit-${name}`])
  return {
    status,
    code: body.code ?? null,
    limit: Number(headers['ratelimit-limit']),
    remaining: Number(headers['ratelimit-remaining']),
    reset: Number(headers['ratelimit-reset']),
    retryAfter: headers['retry-after'] === undefined ? null : Number(headers['retry-after']),
  }
}

const keyWith = (options: KeyOptions, plan: Plan = 'enterprise') => api.makeKey(plan, options)

describe("the month's turn (UTC)", () => {
  it.each([
    ['January into February', '2026-01-31T23:59:59Z', '2026-02-01T00:00:00Z', 28],
    ['January into a leap February', '2028-01-31T23:59:59Z', '2028-02-01T00:00:00Z', 29],
    ['a leap day into March', '2028-02-29T23:59:59Z', '2028-03-01T00:00:00Z', 31],
    ['28 February into March', '2027-02-28T23:59:59Z', '2027-03-01T00:00:00Z', 31],
    ['December into January', '2026-12-31T23:59:59Z', '2027-01-01T00:00:00Z', 31],
    // The clocks of the United States change on this day; UTC does not.
    ['October into November', '2026-10-31T23:59:59Z', '2026-11-01T00:00:00Z', 30],
  ])(
    '%s: refused a second before midnight, granted at midnight',
    async (_turn, before, midnight, days) => {
      const key = await keyWith({ monthly: 1, perMinute: 100 })
      expect(await callAt(before, key)).toMatchObject({
        status: 200,
        limit: 1,
        remaining: 0,
        reset: 1,
      })
      const refused = { status: 429, code: 'monthly_quota_exceeded', retryAfter: 1 }
      expect(await callAt(before, key)).toEqual({ ...refused, limit: 1, remaining: 0, reset: 1 })
      expect(await callAt(midnight, key)).toMatchObject({
        status: 200,
        remaining: 0,
        reset: days * DAY,
      })
    },
  )

  it('28 February of a leap year is not the last day of its month', async () => {
    const key = await keyWith({ monthly: 1 })
    expect(await callAt('2028-02-28T23:59:59Z', key)).toMatchObject({ status: 200, reset: DAY + 1 })
    expect(await callAt('2028-02-29T00:00:00Z', key)).toMatchObject({
      status: 429,
      retryAfter: DAY,
    })
  })

  it('the last millisecond of a month is a whole second away from the next one', async () => {
    const key = await keyWith({ monthly: 1 })
    expect(await callAt('2026-04-30T23:59:59.999Z', key)).toMatchObject({ status: 200, reset: 1 })
    expect(await callAt('2026-04-30T23:59:59.999Z', key)).toMatchObject({
      status: 429,
      retryAfter: 1,
    })
  })
})

describe("the minute's edge", () => {
  it.each([
    ...[
      [0, 60],
      [1, 60],
      [1_000, 59],
      [29_500, 31],
    ],
    ...[
      [30_000, 30],
      [58_999, 2],
      [59_000, 1],
      [59_999, 1],
    ],
  ] as [number, number][])(
    '%i ms after the first call Retry-After is %i s',
    async (laterMs, retryAfter) => {
      const key = await keyWith({ perMinute: 1 })
      const first = new Date('2026-05-10T10:00:00Z')
      await callAt(first.toISOString(), key)
      const told = await callAt(new Date(first.getTime() + laterMs).toISOString(), key)
      expect(told).toMatchObject({ status: 429, code: 'burst_rate_exceeded', retryAfter })
    },
  )

  it('a minute begins with the first call, not with the clock, and not again with each call', async () => {
    const key = await keyWith({ perMinute: 2 })
    expect(await callAt('2026-05-10T10:00:50Z', key)).toMatchObject({ status: 200 })
    expect(await callAt('2026-05-10T10:01:40Z', key)).toMatchObject({ status: 200 })
    expect(await callAt('2026-05-10T10:01:45Z', key)).toMatchObject({ status: 429, retryAfter: 5 })
    expect(await callAt('2026-05-10T10:01:50Z', key)).toMatchObject({ status: 200 })
    expect(await callAt('2026-05-10T10:02:49Z', key)).toMatchObject({ status: 200 })
    expect(await callAt('2026-05-10T10:02:49Z', key)).toMatchObject({ status: 429, retryAfter: 1 })
  })

  it("a minute runs on over the month's turn, which only empties the month", async () => {
    const key = await keyWith({ monthly: 5, perMinute: 1 })
    await callAt('2026-08-31T23:59:30Z', key)
    const refused = { status: 429, code: 'burst_rate_exceeded', retryAfter: 20 }
    const month = { limit: 5, remaining: 5, reset: 30 * DAY - 10 }
    expect(await callAt('2026-09-01T00:00:10Z', key)).toEqual({ ...refused, ...month })
    expect(await callAt('2026-09-01T00:00:30Z', key)).toMatchObject({ status: 200, remaining: 4 })
  })

  it.each([
    ['month', { monthly: 0 }, 'monthly_quota_exceeded'],
    ['minute', { perMinute: 0 }, 'burst_rate_exceeded'],
  ])(
    'a key with no calls in its %s is always refused, with the wait',
    async (_limit, options, code) => {
      const told = await callAt('2026-05-31T23:59:00Z', await keyWith(options))
      expect(told).toMatchObject({ status: 429, code, retryAfter: 60 })
    },
  )
})
