import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { insertLots } from '../support/lots/fixtures.ts'
import { manyCalls, patiently, sampleOf } from '../support/service/load.ts'
import { processFor, type ServiceProcess } from '../support/service/processes.ts'
import { serviceFor } from '../support/service/start.ts'
import { usageOf } from '../support/service/usage.ts'

const HOUR_MS = 3_600_000
const CLOCKS = [{ offMs: HOUR_MS }, { offMs: -HOUR_MS }, { offMs: HOUR_MS, jumps: true }] as const

/** Lots around the true moment, nearer to it than the clocks are off. */
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000)

const api = serviceFor()
const shifted = CLOCKS.map(clock => processFor(api, 'info', { clock }))
/** The clock of this process is right. */
const services = [api, ...shifted]

beforeAll(async () => {
  await insertLots(api.sql, [
    { slug: 'ends-soon', starts_at: inMinutes(-600), ends_at: inMinutes(30) },
    { slug: 'has-ended', starts_at: inMinutes(-600), ends_at: inMinutes(-30) },
    { slug: 'begins-soon', starts_at: inMinutes(30), ends_at: inMinutes(600) },
    { slug: 'began', starts_at: inMinutes(-30), ends_at: inMinutes(600) },
  ])
})

interface Page {
  data: { title: string; status: string; bidprowl_url: string }[]
  total: number
}

async function slugsOf({ address }: { address: string }, key: string): Promise<string[]> {
  const { body } = await patiently(() => sampleOf(`${address}/api/v1/listings`, key))
  const page = JSON.parse(body) as Page
  expect(page.total).toBe(page.data.length)
  return page.data.map(lot => lot.bidprowl_url.split('/').at(-1)!).sort()
}

/** How far the clock of a process is off by each line of its log, in hours. */
const hoursOff = (service: ServiceProcess) => {
  const lines = service.log().split('\n').filter(Boolean)
  return new Set(
    lines.map(line => Math.round((Date.parse(JSON.parse(line).time) - Date.now()) / HOUR_MS)),
  )
}

describe('processes whose clocks are an hour ahead, an hour behind, and jump while they serve', () => {
  it('show the same lots as one whose clock is right, again and again', async () => {
    const key = await api.makeKey('enterprise', { monthly: 10_000, perMinute: 10_000 })
    const expected = await slugsOf(api, key)
    expect(expected).toContain('began')
    expect(expected).toContain('ends-soon')
    expect(expected).not.toContain('has-ended')
    for (let round = 0; round < 6; round++, await sleep(70)) {
      for (const service of shifted) expect(await slugsOf(service, key)).toEqual(expected)
    }
    await sleep(200)
    expect(shifted.map(hoursOff), 'the clocks are off').toEqual(
      [[1], [-1], [1, -1]].map(hours => new Set(hours)),
    )
  })

  it('let a lot end when it ends, though its page was remembered', async () => {
    const key = await api.makeKey('enterprise', { monthly: 10_000, perMinute: 10_000 })
    const [now] = await api.sql<{ end: Date }[]>`select now() + interval '2 seconds' as end`
    await insertLots(api.sql, [{ slug: 'ends-now', starts_at: inMinutes(-600), ends_at: now!.end }])
    const before = await Promise.all(services.map(service => slugsOf(service, key)))
    for (const slugs of before) expect(slugs).toContain('ends-now')
    await sleep(2_500)
    const after = await Promise.all(services.map(service => slugsOf(service, key)))
    for (const slugs of after) expect(slugs).not.toContain('ends-now')
  })

  it('grant a minute of 60 calls exactly once between them, and tell the same waits', async () => {
    const key = await api.makeKey('pro', { monthly: 1_000, perMinute: 60 })
    const [truth] = await api.sql<{ reset: number }[]>`
      select ceil(extract(epoch from (date_trunc('month', now() at time zone 'utc') + interval '1 month')
        - now() at time zone 'utc'))::integer as reset`
    const answers = await manyCalls(120, 16, async index => {
      const { address } = services[index % services.length]!
      const headers = { authorization: `Bearer ${key}` }
      const answer = await fetch(`${address}/api/v1/sources`, { headers })
      await answer.text()
      return answer
    })
    const granted = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 429)
    // A call whose deadline a busy machine lets pass is counted in the minute alone.
    const late = answers.filter(({ status }) => status === 503)
    expect(granted.length + refused.length + late.length).toBe(120)
    expect(granted.length).toBeLessThanOrEqual(60)
    expect(granted.length + late.length).toBeGreaterThanOrEqual(60)
    await expect.poll(async () => (await usageOf(api.sql, key)).month).toBe(granted.length)
    for (const { headers } of refused) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(40)
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
    }
    for (const { headers } of answers)
      expect(Math.abs(Number(headers.get('ratelimit-reset')) - truth!.reset)).toBeLessThan(20)
  })
})
