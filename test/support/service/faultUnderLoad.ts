import { expect } from 'vitest'
import type { Sql } from '../../../src/infra/postgres/database.ts'
import { ALLOWANCE_MS, type Load, type Sample, startLoad, tookMs } from './load.ts'
import { usageOf } from './usage.ts'

export const CALLERS = 16
/** A request is answered by then. */
const DEADLINE_MS = 2_000

/** A fault of what a service works on. */
export interface Fault {
  begin(): unknown
  /** Absent: it is over by itself. */
  end?(): unknown
  /** Whether calls can still be answered while it lasts, by what it leaves alone. */
  isPartial?: boolean
}

export interface Survived {
  samples: Sample[]
  answered: number
  failed: number
}

/**
 * Calls a service all the time: before a fault, until it is felt, and after its end until every
 * caller is answered again. Each answer must be a 200 or a 503 that says when to come back, none
 * may hang, and nothing is answered while the fault lasts.
 */
export async function callThrough(url: string, key: string, fault: Fault): Promise<Survived> {
  const load = startLoad(CALLERS, key, () => url)
  await expect.poll(() => load.samples.length).toBeGreaterThan(CALLERS)
  await fault.begin()
  const brokenAt = performance.now()
  const isFelt = ({ status, endedAt }: Sample) => status === 503 && endedAt > brokenAt
  await expect.poll(() => load.samples.some(isFelt)).toBe(true)
  const during = load.samples.filter(({ startedAt }) => startedAt > brokenAt)
  await fault.end?.()
  await untilAllAnswered(load)
  const samples = await load.stop()

  expectHonest(samples)
  expect(Math.max(...samples.map(tookMs))).toBeLessThan(DEADLINE_MS + ALLOWANCE_MS)
  if (!fault.isPartial) expect(withStatus(during, 200)).toEqual([])
  return {
    samples,
    answered: withStatus(samples, 200).length,
    failed: withStatus(samples, 503).length,
  }
}

/** Until the latest answers, two of each caller, are all 200. */
async function untilAllAnswered({ samples }: Load): Promise<void> {
  const from = samples.length
  const areAnswered = () =>
    samples.length >= from + 2 * CALLERS &&
    samples.slice(-2 * CALLERS).every(({ status }) => status === 200)
  await expect.poll(areAnswered).toBe(true)
}

export const withStatus = (samples: Sample[], status: number): Sample[] =>
  samples.filter(sample => sample.status === status)

/** Every answer is a 200 or an honest 503. */
export function expectHonest(samples: Sample[]): void {
  expect(samples.filter(({ status }) => ![200, 503].includes(status))).toEqual([])
  for (const { retryAfter, body } of withStatus(samples, 503)) {
    expect(Number(retryAfter)).toBeGreaterThan(0)
    expect(JSON.parse(body)).toMatchObject({ code: 'internal_error' })
  }
}

/**
 * Counted = answered, as soon as what was charged too late is given back; in the minute a call may
 * stay that had no answer.
 */
export async function expectCounted(
  sql: Sql,
  key: string,
  { answered, samples }: Survived,
): Promise<void> {
  await expect.poll(async () => (await usageOf(sql, key)).month).toBe(answered)
  const { burst } = await usageOf(sql, key)
  expect(burst).toBeGreaterThanOrEqual(answered)
  expect(burst).toBeLessThanOrEqual(samples.length)
}
