import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoadGenerator } from './loadGenerator.ts'
import { CONNECTIONS, type Contest } from './rounds.ts'
import type { Servers } from './servers.ts'

/** Where the main thread of the service spent its time under the calls of a comparison. */
export interface Profile {
  what: string
  against: string
  /** Parts of the busy time, the largest first. */
  shares: { part: string; share: number }[]
  /** Of all time: how long the thread waited, for the database or the load generator. */
  idle: number
}

/** The fields of a V8 profile (`--cpu-prof`) that are read here. Times are microseconds of the monotonic clock. */
interface V8Profile {
  startTime: number
  nodes: { id: number; callFrame: { functionName: string; url: string } }[]
  samples: number[]
  timeDeltas: number[]
}

const PORT = 18086
const IDLE = '(idle)'
const LEAST_SHARE = 0.03
/** Functions of V8 and libuv without a file: writing to the sockets of clients and of the database. */
const WRITES = ['writev', 'writeBuffer', 'writeUtf8String', 'writeLatin1String']

/** Runs the first rounds of a comparison on a service of its own that V8 samples, and tells where the time went. */
export async function profile(
  generator: LoadGenerator,
  servers: Servers,
  command: string[],
  { what, against, ours, calls, connections = CONNECTIONS }: Contest,
): Promise<Profile> {
  const folder = mkdtempSync(join(tmpdir(), 'surplus-profile-'))
  try {
    const [node = '', ...rest] = command
    const sampled = [node, '--cpu-prof', '--cpu-prof-dir', folder, ...rest]
    const service = await servers.start('profiled', PORT, sampled)
    const send = (round: number) =>
      generator.run(
        { address: service.address, headers: ours.headers, calls: calls(round), connections },
        service.pid,
      )
    await send(0)
    const from = now()
    await send(1)
    const to = now()
    await servers.stop(service)
    const files = readdirSync(folder).map(file => readFileSync(join(folder, file), 'utf8'))
    // Its worker threads write files too; the main thread has most to say.
    const [main = '{}'] = files.toSorted((a, b) => b.length - a.length)
    return { what, against, ...sharesOf(JSON.parse(main), from, to) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Microseconds of the clock that V8 profiles use. */
const now = () => Number(process.hrtime.bigint() / 1_000n)

function sharesOf({ startTime, nodes, samples, timeDeltas }: V8Profile, from: number, to: number) {
  const parts = new Map(nodes.map(({ id, callFrame }) => [id, partOf(callFrame)]))
  const times = new Map<string, number>()
  let at = startTime
  for (const [n, sample] of samples.entries()) {
    const delta = timeDeltas[n]!
    at += delta
    const part = parts.get(sample)!
    if (at > from && at <= to) times.set(part, (times.get(part) ?? 0) + delta)
  }
  const all = [...times.values()].reduce((sum, time) => sum + time, 0)
  const idle = times.get(IDLE) ?? 0
  times.delete(IDLE)
  const shares = [...times]
    .map(([part, time]) => ({ part, share: time / (all - idle) }))
    .filter(({ share }) => share >= LEAST_SHARE)
    .toSorted((a, b) => b.share - a.share)
  return { shares, idle: idle / all }
}

/** A package, a folder of the service, `node`, or what V8 calls it. */
function partOf({ functionName, url }: V8Profile['nodes'][number]['callFrame']): string {
  if (WRITES.includes(functionName)) return 'writing to sockets'
  if (functionName.startsWith('(')) return functionName
  if (url === '' || url.startsWith('node:')) return 'node'
  const [, dependency] = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(url) ?? []
  return dependency ?? /\/(src\/[^/]+)\//.exec(url)?.[1] ?? 'src'
}
