import { describe, expect, it } from 'vitest'
import { nextSweepAt, type SweepHistory, type SweepPlan } from '../../../src/domain/sweeps/nextSweepAt.ts'

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
/** Fetched at noon, without a failure; it changes every minute; no lot ends, and no budget is used. */
const calm: SweepHistory = {
  lastAttemptAt: NOON,
  failures: 0,
  waitUntil: null,
  nextEndAt: null,
  versionTimes: [0, 1, 2, 3].map(n => from(-n * MINUTE)),
  versionSeenAt: NOON,
  budget: { used: 0, sweep: 0.002, freesAt: null },
}
/** Versions in so many minutes before noon, and when the newest was first seen. */
const seen = (minutes: number[], seenMinutesAgo = 0): Partial<SweepHistory> => ({
  versionTimes: minutes.map(ago => from(-ago * MINUTE)),
  versionSeenAt: from(-seenMinutesAgo * MINUTE),
})
const closing = { nextEndAt: from(HOUR) }
const hasty = { intervalMs: SECOND, closing: { intervalMs: 1, windowMs: HOUR }, leastGapMs: HOUR }
/** A budget of which so much is used, and a sweep takes so much, until hours later some is free. */
const used = (share: number, sweep: number, hours: number): Partial<SweepHistory> => ({
  budget: { used: share, sweep, freesAt: from(hours * HOUR) },
})

describe('a source is due', () => {
  const cases: [string, SweepPlan, Partial<SweepHistory>, number][] = [
    ['at once, when it was never asked', hourly, { lastAttemptAt: null }, 0],
    ['not before it wants to be asked', hourly, { lastAttemptAt: null, waitUntil: from(MINUTE) }, MINUTE],
    ['one interval after a good sweep', hourly, {}, HOUR],
    ['one interval after a good sweep, a day too', daily, {}, 24 * HOUR],
    ['one interval after, when the next end is far', hourly, { nextEndAt: from(9 * HOUR) }, HOUR],
    ['when the last hours of a lot begin', hourly, { nextEndAt: from(2.5 * HOUR) }, 30 * MINUTE],
    ['one short interval after, at the earliest', hourly, { nextEndAt: from(2.1 * HOUR) }, 10 * MINUTE],
    ['one short interval after, in the last hours of a lot', hourly, { nextEndAt: from(HOUR) }, 10 * MINUTE],
    ['one short interval after, at the end itself', hourly, { nextEndAt: NOON }, 10 * MINUTE],
    ['by its own interval, where ends do not matter', daily, { nextEndAt: from(MINUTE) }, 24 * HOUR],
    ['5 minutes after the first failure', hourly, { failures: 1 }, 5 * MINUTE],
    ['10 minutes after the second', hourly, { failures: 2 }, 10 * MINUTE],
    ['twice as long after each', hourly, { failures: 5 }, 80 * MINUTE],
    ['6 hours after, when it has failed for long', hourly, { failures: 9 }, 6 * HOUR],
    ['6 hours after, when it has failed for ever', daily, { failures: 5000 }, 6 * HOUR],
    ['no sooner after failures because lots end', hourly, { failures: 5, nextEndAt: from(1) }, 80 * MINUTE],
    ['after failures by its own short interval', { ...daily, intervalMs: 2000 }, { failures: 3 }, 8 * SECOND],
    ['when it wants to be asked, after a failure', hourly, { failures: 1, waitUntil: from(HOUR) }, HOUR],
    ['after its back-off, not sooner', hourly, { failures: 2, waitUntil: from(MINUTE) }, 10 * MINUTE],
    ['at its least gap, whatever else is set', hasty, { nextEndAt: from(MINUTE) }, HOUR],
    ['by its own interval before three versions were seen', hourly, { ...closing, ...seen([0, 1]) }, HOUR],
    ['twice in the 30 minutes of a change', hourly, { ...closing, ...seen([0, 30, 60]) }, 15 * MINUTE],
    ['by the median, whatever the night was', hourly, { ...closing, ...seen([0, 40, 80, 800]) }, 20 * MINUTE],
    ['less often, once it is still', hourly, { ...closing, ...seen([50, 51, 52], 50) }, 25 * MINUTE],
    ['no less often than its interval', hourly, { ...closing, ...seen([0, 500, 1000]) }, HOUR],
    [
      'evenly, once half of its budget is used',
      hourly,
      { ...closing, ...used(0.5, 0.01, 20) },
      14.4 * MINUTE,
    ],
    ['when its budget is free again, once no sweep fits', hourly, used(0.999, 0.002, 20), 20 * HOUR],
    ['as usual while one sweep fits into its budget', daily, used(0.998, 0.002, 99), 24 * HOUR],
    ['at its least gap after a failure too', { ...hourly, leastGapMs: HOUR }, { failures: 1 }, HOUR],
  ]
  it.each(cases)('%s', (_, plan, history, ms) => {
    expect(nextSweepAt(plan, { ...calm, ...history }, { now: NOON, jitter: 0 })).toEqual(from(ms))
  })

  it('up to 5 % later by chance, and never sooner', () => {
    const due = (jitter: number) => nextSweepAt(hourly, calm, { now: NOON, jitter })
    expect([due(0), due(0.5), due(1)]).toEqual([from(HOUR), from(61.5 * MINUTE), from(63 * MINUTE)])
  })

  it('at a time that does not move while nothing happens', () => {
    const later = nextSweepAt(hourly, calm, { now: from(30 * MINUTE), jitter: 0.3 })
    expect(later).toEqual(nextSweepAt(hourly, calm, { now: NOON, jitter: 0.3 }))
  })
})
