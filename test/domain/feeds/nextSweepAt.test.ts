import { describe, expect, it } from 'vitest'
import {
  nextSweepAt,
  type SweepHistory,
  type SweepPlan,
} from '../../../src/domain/sweeps/nextSweepAt.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const NOON = new Date('2026-11-21T12:00:00Z')
const from = (ms: number) => new Date(NOON.getTime() + ms)

const hourly: SweepPlan = {
  intervalMs: HOUR,
  closing: { intervalMs: 10 * MINUTE, windowMs: 2 * HOUR },
  leastGapMs: 20 * SECOND,
}
const daily: SweepPlan = { intervalMs: 24 * HOUR, closing: null, leastGapMs: SECOND }
/** Fetched at noon, without a failure; no lot ends. */
const calm: SweepHistory = {
  lastAttemptAt: NOON,
  failures: 0,
  waitUntil: null,
  nextEndAt: null,
  fault: null,
}
const hasty = { intervalMs: SECOND, closing: { intervalMs: 1, windowMs: HOUR }, leastGapMs: HOUR }

describe('a source is due', () => {
  const cases: [string, SweepPlan, Partial<SweepHistory>, number][] = [
    ['at once, when it was never asked', hourly, { lastAttemptAt: null }, 0],
    [
      'not before it wants to be asked',
      hourly,
      { lastAttemptAt: null, waitUntil: from(MINUTE) },
      MINUTE,
    ],
    ['one interval after a good sweep', hourly, {}, HOUR],
    ['one interval after a good sweep, a day too', daily, {}, 24 * HOUR],
    ['one interval after, when the next end is far', hourly, { nextEndAt: from(9 * HOUR) }, HOUR],
    ['when the last hours of a lot begin', hourly, { nextEndAt: from(2.5 * HOUR) }, 30 * MINUTE],
    [
      'one short interval after, at the earliest',
      hourly,
      { nextEndAt: from(2.1 * HOUR) },
      10 * MINUTE,
    ],
    [
      'one short interval after, in the last hours of a lot',
      hourly,
      { nextEndAt: from(HOUR) },
      10 * MINUTE,
    ],
    ['one short interval after, at the end itself', hourly, { nextEndAt: NOON }, 10 * MINUTE],
    [
      'by its own interval, where ends do not matter',
      daily,
      { nextEndAt: from(MINUTE) },
      24 * HOUR,
    ],
    ['5 minutes after the first failure', hourly, { failures: 1 }, 5 * MINUTE],
    ['10 minutes after the second', hourly, { failures: 2 }, 10 * MINUTE],
    ['twice as long after each', hourly, { failures: 5 }, 80 * MINUTE],
    ['6 hours after, when it has failed for long', hourly, { failures: 9 }, 6 * HOUR],
    ['6 hours after, when it has failed for ever', daily, { failures: 5000 }, 6 * HOUR],
    [
      'no sooner after failures because lots end',
      hourly,
      { failures: 5, nextEndAt: from(1) },
      80 * MINUTE,
    ],
    [
      'after failures by its own short interval',
      { ...daily, intervalMs: 2000 },
      { failures: 3 },
      8 * SECOND,
    ],
    [
      'when it wants to be asked, after a failure',
      hourly,
      { failures: 1, waitUntil: from(HOUR) },
      HOUR,
    ],
    [
      'after its back-off, not sooner',
      hourly,
      { failures: 2, waitUntil: from(MINUTE) },
      10 * MINUTE,
    ],
    ['at its least gap, whatever else is set', hasty, { nextEndAt: from(MINUTE) }, HOUR],
    [
      'at its least gap after a failure too',
      { ...hourly, leastGapMs: HOUR },
      { failures: 1 },
      HOUR,
    ],
    ...['connection refused', 'host not found', 'no route to the host', 'no network'].map(
      (cause): (typeof cases)[number] => [
        `5 minutes after a failure that cost it no call: ${cause}`,
        { ...hourly, leastGapMs: HOUR },
        { failures: 1, fault: `api.example is unreachable (${cause}).` },
        5 * MINUTE,
      ],
    ),
    ...['api.example is unreachable (timed out after 30 s).', 'api.example answered 500.'].map(
      (fault): (typeof cases)[number] => [
        `at its least gap after ${fault}`,
        { ...hourly, leastGapMs: HOUR },
        { failures: 1, fault },
        HOUR,
      ],
    ),
  ]
  it.each(cases)('%s', (_, plan, history, ms) => {
    expect(nextSweepAt(plan, { ...calm, ...history }, NOON)).toEqual(from(ms))
  })

  it('at a time that does not move while nothing happens', () => {
    expect(nextSweepAt(hourly, calm, from(30 * MINUTE))).toEqual(nextSweepAt(hourly, calm, NOON))
  })
})
