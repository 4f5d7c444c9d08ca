import type { Call, Generator, Measured } from './loading.ts'
import type { Server } from './servers.ts'

/** Two servers under the same calls. */
export interface Duel {
  what: string
  ours: Measured
  theirs: Measured
  /** Calls per second of ours / theirs, round by round, the smallest first. */
  ratios: number[]
}

interface Contest {
  what: string
  ours: Server
  theirs: Server
  /** The calls of a round, the same for both; round 0 warms up. Theirs may be others than ours. */
  calls(round: number): Call[]
  theirCalls?: (round: number) => Call[]
  connections?: number
}

const ROUNDS = 5
export const CONNECTIONS = 16

/** Sends both servers the same calls, in turns, round by round. Of each, the round in the middle is told. */
export async function duel(generator: Generator, contest: Contest): Promise<Duel> {
  const { what, ours, theirs, calls, theirCalls = calls, connections = CONNECTIONS } = contest
  const send = ({ address, headers, pid }: Server, sent: Call[]) =>
    generator.run({ address, headers, calls: sent, connections }, pid)
  const rounds: { ours: Measured; theirs: Measured }[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const pair = { ours: await send(ours, calls(round)), theirs: await send(theirs, theirCalls(round)) }
    if (round > 0) rounds.push(pair)
    process.stderr.write(`${what}: ${round === 0 ? 'warm' : `round ${round} of ${ROUNDS}`}\n`)
  }
  return {
    what,
    ours: middle(rounds.map(pair => pair.ours)),
    theirs: middle(rounds.map(pair => pair.theirs)),
    ratios: rounds.map(pair => pair.ours.rate / pair.theirs.rate).toSorted((a, b) => a - b),
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
    failures: 0,
    rate: of('rate'),
    cpuMs: of('cpuMs'),
  }
}
