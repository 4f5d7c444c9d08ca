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

/** What the generator is told: every call once, so many at a time. */
export interface Load {
  address: string
  headers: Record<string, string>
  calls: Call[]
  connections: number
}

/** What the generator saw. Times are milliseconds. */
export interface Seen {
  calls: number
  seconds: number
  p50: number
  p95: number
  p99: number
  failures: number
}

/** The same, of a server whose processor time is known. */
export interface Measured extends Seen {
  /** Calls per second. */
  rate: number
  /** Processor time of the server for one call, user and system; NaN where /proc is not there. */
  cpuMs: number
}

export interface Generator {
  /** @throws when a call was refused or got no answer. */
  run(load: Load, pid: number): Promise<Measured>
  stop(): Promise<void>
}

const TICK_MS = 10

/** Starts the load generator, in a process of its own. */
export function startGenerator(): Generator {
  const child = fork(fileURLToPath(new URL('generator.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  })
  return {
    async run(load, pid) {
      const before = cpuMsOf(pid)
      child.send(load)
      const [seen] = (await once(child, 'message')) as [Seen]
      if (seen.failures > 0)
        throw new Error(`${load.address}${load.calls[0]?.path}: ${seen.failures} calls failed.`)
      return { ...seen, rate: seen.calls / seen.seconds, cpuMs: (cpuMsOf(pid) - before) / seen.calls }
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
