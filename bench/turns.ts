import { setTimeout as sleep } from 'node:timers/promises'
import type { Line, Subjects } from './lines.ts'
import { processorMs } from './processorTime.ts'
import { type Call, sendCalls } from './sendCalls.ts'

const MOST_SECONDS = 120
/** Processor time a second of what rests. */
const QUIET_MS = 40

/** A server under measurement. */
export interface Side {
  name: string
  address: string
  headers: Record<string, string>
  /** The server, and the PostgreSQL that it reads. */
  pids: { server: number; postmaster: number }
  subjects: Subjects
  /** The lines that it answers. */
  answers(line: Line): boolean
}

/** Milliseconds of processor time a call. */
export interface Times {
  server: number
  database: number
}

export interface Turns {
  line: Line
  /** By the name of the side, one entry a turn. */
  times: Map<string, Times[]>
}

/**
 * Waits until servers and database rest, for at most two minutes: after a start they match alerts
 * and calculate scores that are due.
 */
export async function untilQuiet(sides: readonly Side[]): Promise<void> {
  const pids = sides.flatMap(side => Object.values(side.pids))
  for (let second = 0; second < MOST_SECONDS; second++) {
    const before = processorMs(pids)
    await sleep(1_000)
    if (processorMs(pids) - before < QUIET_MS) return
  }
}

/**
 * The same calls to each side in alternation, so many turns after one to warm up. No call is
 * repeated.
 */
export async function measureInTurns(
  line: Line,
  sides: readonly Side[],
  turns: number,
  callers: number,
): Promise<Turns> {
  const answering = sides.filter(side => side.answers(line))
  const calls = new Map(
    answering.map(({ name, subjects }) => [name, line.callsOf(subjects, line.calls * (turns + 1))]),
  )
  const times = new Map(answering.map(({ name }) => [name, [] as Times[]]))
  for (let turn = 0; turn <= turns; turn++)
    for (const side of answering) {
      const all = calls.get(side.name)!
      const share = Math.floor(all.length / (turns + 1))
      const measured = await timesOf(side, all.slice(turn * share, (turn + 1) * share), callers)
      if (turn > 0) times.get(side.name)!.push(measured)
    }
  return { line, times }
}

async function timesOf(
  { address, headers, pids }: Side,
  calls: Call[],
  callers: number,
): Promise<Times> {
  const read = () => ({
    server: processorMs([pids.server], pids.postmaster),
    database: processorMs([pids.postmaster]),
  })
  const before = read()
  await sendCalls(address, headers, calls, callers)
  const after = read()
  return {
    server: (after.server - before.server) / calls.length,
    database: (after.database - before.database) / calls.length,
  }
}

export const together = ({ server, database }: Times): number => server + database

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
