import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { projectFile } from '../src/contract/projectFile.ts'

/** A server that is measured. */
interface Server {
  name: string
  address: string
  pid: number
}

/** What is started for a measurement, and ended with it. */
export interface Servers {
  /** The service, built, as `surplus serve` runs it: its own log level, durable counting. */
  service(): Promise<Server>
  /** Another server, by its command line for a free port; PORT names it too. */
  start(name: string, commandFor: (port: number) => string[]): Promise<Server>
  /** A command of the service; what it printed. */
  surplus(...args: string[]): Promise<string>
  stopAll(): Promise<void>
}

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

/**
 * Servers on the embedded database of a folder.
 * @param checkout the folder of a built checkout.
 */
export function createServers(dataFolder: string, checkout = projectFile('.')): Servers {
  const main = join(checkout, 'dist', 'src', 'main.js')
  const env = {
    ...process.env,
    DATABASE_URL: '',
    SURPLUS_DATA_DIR: dataFolder,
    PAGES_PER_MINUTE: '1000000',
  }
  const running = new Map<string, ChildProcess>()

  /** Its output goes to a file, as a user keeps a log. */
  async function start(name: string, commandFor: (port: number) => string[]): Promise<Server> {
    const port = await freePort()
    const [program = '', ...args] = commandFor(port)
    const log = openSync(join(dataFolder, `${name}.log`), 'a')
    const child = spawn(program, args, {
      env: { ...env, PORT: String(port) },
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    running.set(name, child)
    const address = `http://127.0.0.1:${port}`
    while (!(await answers(`${address}/api/v1/listings`))) {
      if (child.exitCode !== null)
        throw new Error(
          `${name} did not start: ${readFileSync(join(dataFolder, `${name}.log`), 'utf8')}`,
        )
      await sleep(100)
    }
    return { name, address, pid: child.pid! }
  }

  async function stop(name: string): Promise<void> {
    const child = running.get(name)
    running.delete(name)
    if (!child || child.exitCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }

  return {
    service: () => start('service', () => [main, 'serve']),
    start,
    surplus: async (...args) =>
      (await promisify(execFile)(main, args, { env, maxBuffer: 1e8 })).stdout,
    stopAll: async () => void (await Promise.all([...running.keys()].map(stop))),
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
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
