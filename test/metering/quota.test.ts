import { describe, expect, it } from 'vitest'
import { ApiError } from '../../src/contract/errors.ts'
import { hashKey } from '../../src/domain/apiKey.ts'
import { manyCalls } from '../support/service/load.ts'
import { processFor } from '../support/service/processes.ts'
import { startService } from '../support/service/service.ts'
import { serviceFor } from '../support/service/start.ts'
import { PEPPER } from '../support/service/testSettings.ts'
import { usageOf } from '../support/service/usage.ts'

const CALLERS = 64
const UNLIMITED = 1_000_000

const api = serviceFor()
/** This process is one of the two. */
const services = [api, processFor(api)]

type Answer = Awaited<ReturnType<typeof call>>

/** One call to one of the two processes. */
async function call(key: string, index: number) {
  const { address } = services[index % services.length]!
  const response = await fetch(`${address}/api/v1/sources?page=1`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const body = (await response.json()) as { code?: string }
  return {
    status: response.status,
    code: body.code ?? null,
    remaining: Number(response.headers.get('ratelimit-remaining')),
    retryAfter: response.headers.has('retry-after')
      ? Number(response.headers.get('retry-after'))
      : null,
  }
}

const burst = (keys: string[], count: number) =>
  manyCalls(count, CALLERS, index => call(keys[Math.floor(index / 2) % keys.length]!, index))

const countdownFrom = (limit: number) =>
  Array.from({ length: limit }, (_, index) => limit - 1 - index)
const granted = (answers: Answer[]) => answers.filter(({ status }) => status === 400)
const remainders = (answers: Answer[]) =>
  granted(answers)
    .map(({ remaining }) => remaining)
    .sort((a, b) => b - a)
const refused = (answers: Answer[]) => answers.filter(({ status }) => status !== 400)

describe('64 callers over two processes', () => {
  it.each([
    ['a month of 200', { monthly: 200, perMinute: UNLIMITED }, 200, 'monthly_quota_exceeded'],
    ['a minute of 75', { monthly: 1_000, perMinute: 75 }, 75, 'burst_rate_exceeded'],
    ['a month and a minute of 20', { monthly: 20, perMinute: 20 }, 20, 'monthly_quota_exceeded'],
  ])(
    'of %s exactly so many calls are granted, each with a remainder of its own, and refusals cost nothing',
    async (_limit, options, limit, code) => {
      const key = await api.makeKey('enterprise', options)
      const answers = await burst([key], 2 * limit + 40)

      expect(remainders(answers)).toEqual(countdownFrom(options.monthly).slice(0, limit))
      expect(refused(answers)).toHaveLength(limit + 40)
      for (const answer of refused(answers)) {
        expect(answer).toMatchObject({ status: 429, code, remaining: options.monthly - limit })
        if (code === 'burst_rate_exceeded')
          expect(Math.abs(answer.retryAfter! - 45.5)).toBeLessThan(15)
      }
      expect(await usageOf(api.sql, key)).toMatchObject({ month: limit, burst: limit })
    },
  )

  it('two keys of one owner share the month', async () => {
    const options = { owner: 'shares the month', monthly: 120, perMinute: UNLIMITED }
    const keys = [
      await api.makeKey('enterprise', options),
      await api.makeKey('enterprise', options),
    ]
    const answers = await burst(keys, 300)

    expect(remainders(answers)).toEqual(countdownFrom(120))
    const [one, other] = await Promise.all(keys.map(key => usageOf(api.sql, key)))
    expect(one).toMatchObject({ month: 120 })
    expect(other).toMatchObject({ month: 120 })
    expect(one!.burst! + other!.burst!).toBe(120)
  })

  it('two keys of one owner each have a minute of their own', async () => {
    const options = { owner: 'two minutes', monthly: UNLIMITED, perMinute: 30 }
    const keys = [
      await api.makeKey('enterprise', options),
      await api.makeKey('enterprise', options),
    ]
    const answers = await burst(keys, 200)

    expect(granted(answers)).toHaveLength(60)
    for (const key of keys)
      expect(await usageOf(api.sql, key)).toMatchObject({ month: 60, burst: 30 })
  })
})

describe('a storm on the meters', () => {
  it('16 keys of 4 owners, charged in random order by two services and partly given back, neither deadlock nor miscount', async () => {
    const keys = await manyCalls(16, 1, index =>
      api.makeKey('enterprise', {
        owner: `storm ${index % 4}`,
        monthly: UNLIMITED,
        perMinute: UNLIMITED,
      }),
    )
    const hashes = keys.map(key => hashKey(PEPPER, key))
    const both = [await startService(api.databaseUrl), await startService(api.databaseUrl)]
    const kept: Record<string, number> = {}
    const chargeOnce = async (index: number): Promise<void> => {
      const { meter } = both[index % 2]!.deps
      const charge = await meter
        .charge(hashes[Math.floor(Math.random() * hashes.length)]!)
        .catch((error: ApiError) => error)
      // Refused at its deadline by a busy machine: what was counted then is given back.
      if (charge instanceof ApiError && charge.status === 503) return chargeOnce(index)
      if (charge instanceof Error) throw charge
      if (!charge?.granted) throw new Error('An unlimited key was refused.')
      if (index % 3 === 0) meter.giveBack(charge, { minute: true })
      else kept[charge.accountId] = (kept[charge.accountId] ?? 0) + 1
    }
    await manyCalls(4_000, 2 * CALLERS, chargeOnce)
    await expect.poll(() => monthsOf(Object.keys(kept))).toEqual(kept)
    const [counted] = await api.sql<{ deadlocks: number }[]>`
      select deadlocks from pg_stat_database where datname = current_database()`
    expect(counted?.deadlocks).toBe(0)
    await Promise.all(both.map(service => service.close()))
  })

  async function monthsOf(accounts: string[]): Promise<Record<string, number>> {
    const rows = await api.sql<{ account: string; used: number }[]>`
      select replace(meter, 'account:', '') as account, used
      from monthly_usage
      where replace(meter, 'account:', '') = any(${accounts})
      and used = (select sum(calls) from unnest(days) as calls)`
    return Object.fromEntries(rows.map(({ account, used }) => [account, used]))
  }
})

describe('a refusal', () => {
  it('writes nothing and locks nothing, be it of the month, of the minute or of the key', async () => {
    const spentMonth = await api.makeKey('free', { monthly: 1 })
    const spentMinute = await api.makeKey('free', { perMinute: 1 })
    for (const key of [spentMonth, spentMinute])
      expect((await api.get('/api/v1/sources', { key })).status).toBe(200)
    const before = await fingerprint()

    await burst([spentMonth, spentMinute], 60)
    for (const key of ['nonsense', null])
      expect((await api.get('/api/v1/sources', { key })).status).toBe(401)
    expect(await fingerprint()).toEqual(before)
  })

  /** The version of every counter row: its writer, its locker and its place in the table. */
  async function fingerprint(): Promise<unknown[]> {
    const rows = await api.sql`
      select meter, used, xmin::text, xmax::text, ctid::text from monthly_usage
      union all
      select meter, used, xmin::text, xmax::text, ctid::text from burst_usage
      order by meter`
    return [...rows]
  }
})
