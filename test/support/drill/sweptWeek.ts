import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../../../src/demo/random.ts'
import { type AuctionWeek, DAY_MS, type Standing } from './auctionWeek.ts'
import { startChild } from './child.ts'
import { type MovingGsa, startMovingGsa, WEEK_FAULTS, type WeekFault } from './movingGsa.ts'
import type { SweepReport } from './sweepInChild.ts'

const MINUTE_MS = 60_000

interface WeekToSweep {
  url: string
  week: AuctionWeek
  start: number
  seed: number
  sweepEveryMinutes: number
  /** How often the sweeping process is killed. */
  kills: number
  /** How many sweeps find GSA broken. */
  faults: number
}

/** What a week of sweeps was. */
export interface SweptWeek {
  gsa: MovingGsa
  sweeps: number
  /** The offers whose rows were taken, and when. */
  taken: { at: number; listed: Standing[] }[]
  /** How long each sweep that was killed had lasted, in ms. */
  kills: number[]
  /** Sweeps that did not end as they should. */
  surprises: string[]
}

/**
 * Sweeps GSA through a week, in a process that is killed at random moments of random sweeps; these
 * are repeated.
 */
export async function sweepWeek(settings: WeekToSweep): Promise<SweptWeek> {
  const { url, week, start, seed, sweepEveryMinutes } = settings
  const sweeps = (7 * DAY_MS) / (sweepEveryMinutes * MINUTE_MS)
  const random = new Random()
  random.restart(seed, 0)
  const killed = someSweeps(random, sweeps, settings.kills)
  const faults = new Map<number, WeekFault>(
    [...someSweeps(random, sweeps, settings.faults)].map(sweep => [
      sweep,
      random.pick(WEEK_FAULTS),
    ]),
  )
  // Every fourth sweep finds the file of the one before.
  const gsa = await startMovingGsa(week, (sweepEveryMinutes * 4) / 3)
  const swept: SweptWeek = { gsa, sweeps, taken: [], kills: [], surprises: [] }
  const startSweeper = () =>
    startChild<number, SweepReport>('sweepInChild', [url, gsa.address, gsa.redirectHost, gsa.key])
  let child = startSweeper()
  let usualMs = 100
  try {
    for (let n = 0; n < sweeps; n += 1) {
      const at = start + n * sweepEveryMinutes * MINUTE_MS
      Object.assign(gsa, { clockMs: at, fault: killed.has(n) ? null : (faults.get(n) ?? null) })
      if (killed.has(n)) {
        const afterMs = random.between(0, 1.1 * usualMs)
        void child.obey(at)
        await sleep(afterMs)
        await child.kill()
        child = startSweeper()
        swept.kills.push(afterMs)
      }
      const startedMs = performance.now()
      const report = await child.obey(at)
      if (!killed.has(n)) usualMs += 0.1 * (performance.now() - startedMs - usualMs)
      if (report?.state !== (gsa.fault ? 'refused' : 'done'))
        swept.surprises.push(`${n} (${gsa.fault}): ${report?.state}, ${report?.reason}`)
      if (!gsa.fault) swept.taken.push({ at, listed: gsa.listed() })
    }
    return swept
  } finally {
    await child.kill()
  }
}

/** Neither the first sweeps nor the last one. */
function someSweeps(random: Random, sweeps: number, count: number): Set<number> {
  const chosen = new Set<number>()
  while (chosen.size < count) chosen.add(random.whole(2, sweeps - 2))
  return chosen
}
