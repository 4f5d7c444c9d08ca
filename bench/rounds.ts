import type { Call, LoadGenerator, Measured } from './loadGenerator.ts'
import type { Server } from './servers.ts'

/** Two servers under the same calls. */
export interface Comparison {
  what: string
  against: string
  /** What the ratio must reach: printed beside it, never enforced here. */
  bar: number
  ours: Measured
  theirs: Measured
  /** Calls per second of ours / theirs, round by round, the smallest first. */
  ratios: number[]
}

export interface Contest {
  what: string
  against: string
  bar: number
  ours: Server
  theirs: Server
  /** The calls of a round, the same for both; round 0 warms up. */
  calls(round: number): Call[]
  /** The calls of the other server where they differ. */
  theirCalls?: (round: number) => Call[]
  connections?: number
}

export const ROUNDS = 5
export const CONNECTIONS = 16

/** Sends both servers the same calls, in turns, round by round. Returns the median of each measure over the rounds. */
export async function compare(generator: LoadGenerator, contest: Contest): Promise<Comparison> {
  const { what, against, bar, ours, theirs, calls, theirCalls = calls, connections = CONNECTIONS } = contest
  const send = ({ address, headers, pid }: Server, sent: Call[]) =>
    generator.run({ address, headers, calls: sent, connections }, pid)
  const rounds: { ours: Measured; theirs: Measured }[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const pair = { ours: await send(ours, calls(round)), theirs: await send(theirs, theirCalls(round)) }
    if (round > 0) rounds.push(pair)
  }
  const ratios = rounds.map(pair => pair.ours.rate / pair.theirs.rate).toSorted((a, b) => a - b)
  process.stderr.write(`${what} / ${against}: ${median(ratios).toFixed(2)} (bar ${bar})\n`)
  return {
    what,
    against,
    bar,
    ours: middle(rounds.map(pair => pair.ours)),
    theirs: middle(rounds.map(pair => pair.theirs)),
    ratios,
  }
}

export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function middle(rounds: Measured[]): Measured {
  const of = (name: keyof Measured) => median(rounds.map(round => round[name]))
  return {
    calls: of('calls'),
    seconds: of('seconds'),
    p50: of('p50'),
    p95: of('p95'),
    p99: of('p99'),
    failures: of('failures'),
    rate: of('rate'),
    cpuMs: of('cpuMs'),
  }
}
