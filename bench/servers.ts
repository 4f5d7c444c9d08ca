import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
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
  /** The service, built, as `surplus serve` runs it. */
  service(): Promise<Server>
  rival(name: string, port: number, args: string[]): Promise<Server>
  /** A command of the service; what it printed. */
  surplus(...args: string[]): Promise<string>
  stop(server: Server): Promise<void>
  stopAll(): Promise<void>
}

const MAIN = projectFile('dist', 'src', 'main.js')
const PORT = 18080
/** For the rivals, as the first line of `src/main.ts` sets it for the service. */
export const YOUNG_GENERATION = '--max-semi-space-size=8'

/** Servers on the embedded database of a folder. */
export function createServers(dataFolder: string): Servers {
  const address = `http://127.0.0.1:${PORT}`
  const env = {
    ...process.env,
    DATABASE_URL: '',
    SURPLUS_DATA_DIR: dataFolder,
    PORT: String(PORT),
    PUBLIC_URL: address,
    LOG_LEVEL: 'warn',
    RESPONSE_VALIDATION_PERCENT: '0',
  }
  const running = new Map<string, ChildProcess>()

  async function start(name: string, program: string, args: string[]): Promise<number> {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    running.set(name, child)
    await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(() => Promise.reject(new Error(`${name} did not start.`))),
    ])
    return child.pid!
  }

  async function stop(name: string): Promise<void> {
    const child = running.get(name)
    running.delete(name)
    if (!child || child.exitCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }

  return {
    service: async () => ({
      name: 'service',
      address,
      headers: {},
      pid: await start('service', MAIN, ['serve']),
    }),
    rival: async (name, port, args) => ({
      name,
      address: `http://127.0.0.1:${port}`,
      headers: {},
      pid: await start(name, process.execPath, args),
    }),
    surplus: async (...args) =>
      (await promisify(execFile)(process.execPath, [MAIN, ...args], { env, maxBuffer: 1e8 })).stdout,
    stop: ({ name }) => stop(name),
    stopAll: async () => void (await Promise.all([...running.keys()].map(stop))),
  }
}
