import { expect, it } from 'vitest'
import { fromNow, HOUR, MINUTE, NOW } from '../lots/fixtures.ts'
import type { TestService } from '../service/start.ts'
import { PUBLIC_URL } from '../service/testSettings.ts'
import { callsOf } from '../service/usage.ts'
import { LADDER, type TestedOperation } from './commonTests.ts'

const SECONDS_TO_DECEMBER = (Date.UTC(2026, 11, 1) - NOW.getTime()) / 1000

/** The rate headers of a 200, and 429: the minute, the month, and both. */
export function itKeepsToTheLimits(api: TestService, { path, plan }: TestedOperation): void {
  it('200 tells the month of the account in RateLimit-Limit, -Remaining and -Reset', async () => {
    const key = await api.makeKey(plan, { monthly: 7 })
    for (const remaining of ['6', '5', '4']) {
      const { status, headers } = await api.get(path, { key })
      expect(status).toBe(200)
      expect(headers['ratelimit-limit']).toBe('7')
      expect(headers['ratelimit-remaining']).toBe(remaining)
      expect(headers['ratelimit-reset']).toBe(String(SECONDS_TO_DECEMBER))
    }
    api.clock.now = fromNow(HOUR + 1)
    const later = await api.get(path, { key })
    expect(later.headers['ratelimit-reset'], 'rounded up').toBe(String(SECONDS_TO_DECEMBER - 3600))
  })

  it('200 shares the month among the keys of one account', async () => {
    const owner = `two keys ${path}`
    const keys = [await api.makeKey(plan, { owner }), await api.makeKey(plan, { owner })]
    const remaining: number[] = []
    for (const key of keys)
      remaining.push(Number((await api.get(path, { key })).headers['ratelimit-remaining']))
    expect(remaining[1]).toBe(remaining[0]! - 1)
    expect(await callsOf(api.sql, owner)).toBe(2)
  })

  it('200 and 429 tell what the minute has left in RateLimit, beside the month', async () => {
    const key = await api.makeKey(plan, { perMinute: 2, monthly: 9 })
    const tell = async () => {
      const { status, headers } = await api.get(path, { key })
      expect(headers['ratelimit-policy']).toBe('"burst";q=2;w=60, "month";q=9')
      return [status, headers.ratelimit]
    }
    const month = (left: number, after: number) =>
      `"month";r=${left};t=${SECONDS_TO_DECEMBER - after}`
    expect(await tell()).toEqual([200, `"burst";r=1;t=60, ${month(8, 0)}`])
    api.clock.now = fromNow(17_000)
    expect(await tell()).toEqual([200, `"burst";r=0;t=43, ${month(7, 17)}`])
    expect(await tell()).toEqual([429, `"burst";r=0;t=43, ${month(7, 17)}`])
    api.clock.now = fromNow(MINUTE)
    expect(await tell()).toEqual([200, `"burst";r=1;t=60, ${month(6, 60)}`])
  })

  it('429 burst_rate_exceeded until the minute that began with the first call is over', async () => {
    const owner = `burst ${path}`
    const key = await api.makeKey(plan, { owner, perMinute: 1, monthly: 10 })
    expect((await api.get(path, { key })).status).toBe(200)
    api.clock.now = fromNow(17_500)
    const { status, body, headers } = await api.get(path, { key })
    expect([status, body.code]).toEqual([429, 'burst_rate_exceeded'])
    expect(headers['retry-after'], '42.5 seconds, rounded up').toBe('43')
    expect(headers['ratelimit-limit']).toBe('10')
    expect(headers['ratelimit-remaining'], 'a 429 does not count').toBe('9')
    expect(headers['ratelimit-reset']).toBe(String(SECONDS_TO_DECEMBER - 17))
    api.clock.now = fromNow(MINUTE - 1)
    expect((await api.get(path, { key })).headers['retry-after']).toBe('1')
    api.clock.now = fromNow(MINUTE)
    expect((await api.get(path, { key })).status).toBe(200)
    expect(await callsOf(api.sql, owner)).toBe(2)
  })

  it('429 monthly_quota_exceeded until the next month begins in UTC', async () => {
    const owner = `month ${path}`
    const key = await api.makeKey(plan, { owner, monthly: 1 })
    expect((await api.get(path, { key })).headers['ratelimit-remaining']).toBe('0')
    const { status, body, headers } = await api.get(path, { key })
    expect([status, body.code]).toEqual([429, 'monthly_quota_exceeded'])
    expect(headers['retry-after']).toBe(String(SECONDS_TO_DECEMBER))
    expect(headers['ratelimit-limit']).toBe('1')
    expect(headers['ratelimit-remaining']).toBe('0')
    expect(headers['ratelimit-reset']).toBe(String(SECONDS_TO_DECEMBER))
    api.clock.now = fromNow(SECONDS_TO_DECEMBER * 1000)
    const next = await api.get(path, { key })
    expect([next.status, next.headers['ratelimit-remaining']]).toEqual([200, '0'])
    expect(next.headers['ratelimit-reset'], 'December has 31 days').toBe(String(31 * 86_400))
  })

  it.each(LADDER)('429 points to a larger plan where there is one: plan %s', async held => {
    for (const limits of [{ perMinute: 0 }, { monthly: 0 }]) {
      const { status, body } = await api.get(path, { key: await api.makeKey(held, limits) })
      expect(status).toBe(429)
      expect(body.upgrade).toBe(held === 'enterprise' ? undefined : `${PUBLIC_URL}/pricing`)
    }
  })
}
