import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { Random } from '../../../src/demo/random.ts'
import type { Sql } from '../../../src/infra/postgres/database.ts'
import { type AuctionWeek, DAY_MS, type Standing } from './auctionWeek.ts'
import { startChild } from './child.ts'
import {
  type ExpectedChange,
  type ExpectedLot,
  ExpectedLots,
  type Step,
  stepsOfSweep,
} from './expectedLots.ts'
import { type MovingGsa, startMovingGsa, WEEK_FAULTS, type WeekFault } from './movingGsa.ts'
import type { SweepOrder, SweepReport } from './sweepInChild.ts'

const MINUTE_MS = 60_000

interface WeekToSweep {
  sql: Sql
  url: string
  week: AuctionWeek
  start: number
  seed: number
  sweepEveryMinutes: number
  /** How often the sweeping process is killed. */
  kills: number
  /** How many sweeps find GSA broken. */
  faults: number
  /** Called before each sweep. */
  beforeSweep(sweep: number): Promise<void>
}

/** What a week of sweeps was, and what must have become of it. */
export interface SweptWeek {
  gsa: MovingGsa
  lots: ExpectedLots
  /** What each statement that changed lots must have logged, in their order. */
  changes: ExpectedChange[][]
  /** The offers whose rows were taken, and when. */
  taken: { at: number; listed: Standing[] }[]
  kills: { at: number; afterMs: number; stepsDone: number }[]
  sweeps: number
  /** Sweeps that did not end as they should. */
  surprises: string[]
}

/** Sweeps GSA through a week, in a process that is killed at random moments of random sweeps, and started again. */
export async function sweepWeek(settings: WeekToSweep): Promise<SweptWeek> {
  const { sql, url, week, start, seed, sweepEveryMinutes, beforeSweep } = settings
  const sweeps = (7 * DAY_MS) / (sweepEveryMinutes * MINUTE_MS)
  const random = new Random()
  random.restart(seed, 0)
  const killed = someSweeps(random, sweeps, settings.kills)
  const faults = new Map<number, WeekFault>(
    [...someSweeps(random, sweeps, settings.faults)].map(sweep => [sweep, random.pick(WEEK_FAULTS)]),
  )
  // Every fourth sweep finds the file of the one before.
  const gsa = await startMovingGsa(week, (sweepEveryMinutes * 4) / 3)
  const swept: SweptWeek = {
    gsa,
    lots: new ExpectedLots(),
    changes: [],
    taken: [],
    kills: [],
    sweeps,
    surprises: [],
  }
  const startSweeper = () =>
    startChild<SweepOrder, SweepReport>('sweepInChild', [url, gsa.address, gsa.redirectHost, gsa.key])
  let child = startSweeper()
  let usualMs = 100
  try {
    for (let n = 0; n < sweeps; n += 1) {
      await beforeSweep(n)
      const at = start + n * sweepEveryMinutes * MINUTE_MS
      Object.assign(gsa, { clockMs: at, fault: killed.has(n) ? null : (faults.get(n) ?? null) })
      const steps = gsa.fault ? [] : stepsOfSweep(gsa.listed(), at)
      if (killed.has(n)) {
        const afterMs = random.between(0, 1.1 * usualMs)
        void child.obey({ what: 'sweep', at })
        await sleep(afterMs)
        await child.kill()
        child = startSweeper()
        const stepsDone = await countStepsDone(sql, swept.lots, steps)
        swept.kills.push({ at, afterMs, stepsDone })
        take(swept, steps.slice(0, stepsDone), at)
        continue
      }
      const startedMs = performance.now()
      const report = await child.obey({ what: 'sweep', at })
      usualMs += 0.1 * (performance.now() - startedMs - usualMs)
      const wanted = gsa.fault ? 'refused' : 'done'
      if (report?.state !== wanted)
        swept.surprises.push(`${n} (${gsa.fault}): ${report?.state}, ${report?.reason}`)
      take(swept, steps, at)
      if (n % 3 === 0) {
        const later = at + 7 * MINUTE_MS
        await child.obey({ what: 'closeEnded', at: later })
        swept.changes.push(swept.lots.closeEnded(later))
      }
    }
    return swept
  } finally {
    await child.kill()
  }
}

function take(swept: SweptWeek, steps: Step[], at: number): void {
  if (steps.length > 0) swept.taken.push({ at, listed: swept.gsa.listed() })
  for (const step of steps) swept.changes.push(step(swept.lots))
}

/** Neither the first sweeps nor the last one. */
function someSweeps(random: Random, sweeps: number, count: number): Set<number> {
  const chosen = new Set<number>()
  while (chosen.size < count) chosen.add(random.whole(2, sweeps - 2))
  return chosen
}

/** How many statements of a killed load have been committed, by what they leave. @throws Error when there is half of one. */
async function countStepsDone(sql: Sql, before: ExpectedLots, steps: Step[]): Promise<number> {
  await untilGone(sql)
  const stored = await readLots(sql)
  const lots = before.copy()
  for (let done = 0; done <= steps.length; done += 1) {
    if (isDeepStrictEqual(stored, lots.lots)) return done
    steps[done]?.(lots)
  }
  throw new Error('A load that was killed has left something else than whole statements.')
}

/** The server may still be carrying out the last statement of the dead process. */
async function untilGone(sql: Sql): Promise<void> {
  while (
    (
      await sql`select from pg_stat_activity where application_name = 'drill' and datname = current_database()`
    ).length > 0
  )
    await sleep(5)
}

/** The lots of GSA as they are stored, in the order of their numbers. */
export async function readLots(sql: Sql): Promise<Map<number, ExpectedLot>> {
  const rows = await sql<{ lot: ExpectedLot }[]>`
    select json_build_object(
      'n', right(source_id, 3)::integer,
      'isPreview', starts_at = 'infinity',
      'title', title,
      'bidCents', current_bid_cents,
      'bidders', num_bids,
      'endsAt', extract(epoch from ends_at) * 1000,
      'isOpen', is_open,
      'outcome', outcome
    ) as lot
    from lots
    order by source_id`
  return new Map(rows.map(({ lot }) => [lot.n, lot]))
}
