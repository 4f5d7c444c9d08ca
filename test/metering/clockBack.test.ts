import { describe, expect, it } from 'vitest'
import type { Plan } from '../../src/contract/plans.ts'
import { type KeyOptions, serviceFor } from '../support/service/start.ts'
import { usageOf } from '../support/service/usage.ts'

const TRUE_TIME = new Date('2026-05-10T10:00:00Z')
const later = (seconds: number) => new Date(TRUE_TIME.getTime() + seconds * 1_000)
const HOUR = 3_600

const api = serviceFor()

async function callAt(moment: Date | null, key: string) {
  api.clock.now = moment
  const { status, headers } = await api.get('/api/v1/sources', { key })
  return {
    status,
    retryAfter: headers['retry-after'] === undefined ? null : Number(headers['retry-after']),
  }
}

const keyWith = (options: KeyOptions, plan: Plan = 'enterprise') => api.makeKey(plan, options)

describe('a clock of the database that was ahead and goes back', () => {
  it.each([
    ['an hour', HOUR],
    ['two hours', 2 * HOUR],
    ['two minutes', 120],
    ['a second', 1],
  ])(
    'by %s: a key whose minute was full is granted a new one, and then refused for at most a minute',
    async (_by, seconds) => {
      const key = await keyWith({ perMinute: 2, monthly: 100 })
      for (const status of [200, 200, 429])
        expect(await callAt(later(seconds), key)).toMatchObject({ status })
      for (const status of [200, 200])
        expect(await callAt(TRUE_TIME, key)).toEqual({ status, retryAfter: null })
      expect(await callAt(later(0), key)).toEqual({ status: 429, retryAfter: 60 })
      expect(await callAt(later(59), key)).toEqual({ status: 429, retryAfter: 1 })
      expect(await callAt(later(60), key)).toEqual({ status: 200, retryAfter: null })
      expect((await usageOf(api.sql, key)).month).toBe(5)
    },
  )

  it('by the true clock of the database: a minute that begins in two hours is over', async () => {
    const key = await keyWith({ perMinute: 1 })
    expect(await callAt(null, key)).toMatchObject({ status: 200 })
    expect(await callAt(null, key)).toMatchObject({ status: 429 })
    await api.sql`update burst_usage set started_at = now() + interval '2 hours' where meter like 'key:%'`
    expect(await callAt(null, key)).toMatchObject({ status: 200 })
    expect((await callAt(null, key)).retryAfter).toBeLessThanOrEqual(60)
  })
})

it('60 calls of a minute are granted exactly once to callers that wait for one another', async () => {
  api.clock.now = null
  const key = await keyWith({ perMinute: 60, monthly: 1_000 }, 'pro')
  const other = await keyWith({ perMinute: 1_000, monthly: 10_000 })
  const answers = await Promise.all(
    Array.from({ length: 240 }, (_, n) => api.get('/api/v1/sources', { key: n % 2 ? key : other })),
  )
  const granted = answers.filter(({ status }, n) => n % 2 && status === 200)
  expect(granted.length).toBe(60)
})
