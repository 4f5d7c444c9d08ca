import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { projectFile } from '../src/contract/projectFile.ts'

/** A server that is measured. */
export interface Server {
  name: string
  address: string
  headers: Record<string, string>
  pid: number
}

/** What is started for a measurement, and ended with it. */
export interface Servers {
  /** The service, built, as `surplus serve` runs it: its own log level, durable counting, its share of checked responses. */
  service(): Promise<Server>
  /** Another server, by its command line, which listens on PORT. */
  start(name: string, port: number, command: string[]): Promise<Server>
  /** A command of the service; what it printed. */
  surplus(...args: string[]): Promise<string>
  stop(server: Server): Promise<void>
  stopAll(): Promise<void>
}

const MAIN = projectFile('dist', 'src', 'main.js')
const PORT = 18080
/** For `keys create`: a key that no limit stops. */
export const NO_LIMITS = [
  '--plan',
  'enterprise',
  '--monthly',
  '1000000000',
  '--per-minute',
  '1000000000',
  '--json',
]

/** Servers on the embedded database of a folder. */
export function createServers(dataFolder: string): Servers {
  const env = {
    ...process.env,
    DATABASE_URL: '',
    SURPLUS_DATA_DIR: dataFolder,
    PORT: String(PORT),
  }
  const running = new Map<string, ChildProcess>()

  /** Its output goes to a file, as a user keeps a log. */
  async function start(name: string, port: number, [program = '', ...args]: string[]): Promise<Server> {
    const log = openSync(join(dataFolder, `${name}.log`), 'a')
    const child = spawn(program, args, { env: { ...env, PORT: String(port) }, stdio: ['ignore', log, log] })
    closeSync(log)
    running.set(name, child)
    const address = `http://127.0.0.1:${port}`
    while (!(await answers(`${address}/api/v1/listings`))) {
      if (child.exitCode !== null)
        throw new Error(`${name} did not start: ${readFileSync(join(dataFolder, `${name}.log`), 'utf8')}`)
      await sleep(100)
    }
    return { name, address, headers: {}, pid: child.pid! }
  }

  async function stop(name: string): Promise<void> {
    const child = running.get(name)
    running.delete(name)
    if (!child || child.exitCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }

  return {
    service: () => start('service', PORT, [MAIN, 'serve']),
    start,
    surplus: async (...args) => (await promisify(execFile)(MAIN, args, { env, maxBuffer: 1e8 })).stdout,
    stop: ({ name }) => stop(name),
    stopAll: async () => void (await Promise.all([...running.keys()].map(stop))),
  }
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    async answer => {
      await answer.arrayBuffer()
      return answer.status < 500
    },
    () => false,
  )
}

/** The memory of a process in MB, by a field of proc(5): what it holds now (VmRSS), or has held at most (VmHWM). */
export function mbOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] =
    new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1024)
}
