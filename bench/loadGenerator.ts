import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** One request of a load; without a method it is a GET. */
export interface Call {
  path: string
  method?: 'POST'
  body?: string
  headers?: Record<string, string>
}

/** What the generator sends: every call once, so many at a time; with `seconds`, the calls in turn for so long. */
export interface Load {
  address: string
  headers: Record<string, string>
  calls: Call[]
  connections: number
  seconds?: number
}

/** What the generator saw. Times are milliseconds. */
export interface Seen {
  calls: number
  seconds: number
  p50: number
  p95: number
  p99: number
  failures: number
  /** Answers by status. */
  statuses: Record<string, number>
}

/** The same, of a server whose processor time is known. */
export interface Measured extends Omit<Seen, 'statuses'> {
  /** Answers (2xx) per second. */
  rate: number
  /** Processor time of the server for one call, user and system; NaN where /proc is not there. */
  cpuMs: number
}

export interface LoadGenerator {
  /** @throws when more than a tenth of the calls were refused or got no answer. */
  run(load: Load, pid: number): Promise<Measured>
  /** Sends for `load.seconds` and takes any answer. */
  flood(load: Load & { seconds: number }): Promise<Seen>
  stop(): Promise<void>
}

const TICK_MS = 10

/** Starts the load generator, in a process of its own. */
export function startLoadGenerator(): LoadGenerator {
  const child = fork(fileURLToPath(new URL('autocannon.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  })
  return {
    async flood(load) {
      child.send(load)
      const [seen] = (await once(child, 'message')) as [Seen]
      return seen
    },
    async run(load, pid) {
      const before = cpuMsOf(pid)
      child.send(load)
      const [seen] = (await once(child, 'message')) as [Seen]
      if (seen.failures > seen.calls / 10)
        throw new Error(
          `${load.address}${load.calls[0]?.path}: ${seen.failures} of ${seen.calls} calls failed: ${JSON.stringify(seen.statuses)}.`,
        )
      return {
        ...seen,
        rate: (seen.calls - seen.failures) / seen.seconds,
        cpuMs: (cpuMsOf(pid) - before) / seen.calls,
      }
    },
    async stop() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

/** User and system time, fields 14 and 15 (proc(5)). */
function cpuMsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return Number.NaN
  }
}
