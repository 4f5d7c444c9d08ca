import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { ServiceSettings } from '../../../src/service.ts'
import { builtFile } from '../run/builtFile.ts'
import { shared } from '../run/shared.ts'

/** A service in a process of its own. */
export interface ServiceProcess {
  address: string
  pid: number
  /** What it has logged so far, one JSON document a line. */
  log(): string
  /** Asks it to stop (SIGTERM); resolves with its exit code. */
  stop(): Promise<number | null>
  /** Ends it at once, if it still runs. */
  kill(): Promise<void>
}

interface ProcessOptions {
  /** What is not as usual, as far as JSON can say it. */
  settings?: Partial<ServiceSettings>
  /**
   * How far its clock is off, and whether it jumps between that much ahead and behind all the time.
   */
  clock?: { offMs: number; jumps?: boolean }
}

/** A service on a database, for the tests of a file or of a `describe`. */
export function processFor(
  api: { databaseUrl: string },
  logLevel?: string,
  options?: ProcessOptions,
): ServiceProcess {
  return shared(() => startServiceProcess(api.databaseUrl, logLevel, options))
}

/** Starts a service on a database and waits until it listens. */
export async function startServiceProcess(
  databaseUrl: string,
  logLevel = 'silent',
  { settings = {}, clock }: ProcessOptions = {},
): Promise<ServiceProcess> {
  const child = fork(
    builtFile('test/support/service/serviceChild.ts'),
    [databaseUrl, logLevel, JSON.stringify(settings)],
    {
      execArgv: clock ? ['--import', builtFile('test/support/service/shiftedClock.ts')] : [],
      env: {
        ...process.env,
        ...(clock && { CLOCK_OFF_MS: String(clock.offMs), CLOCK_JUMPS: clock.jumps ? 'yes' : '' }),
      },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    },
  )
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', chunk => {
    log += chunk
  })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  const ended = exited.then(() =>
    Promise.reject(new Error(`The service process ended before it listened: ${log}`)),
  )
  const [address] = await Promise.race([once(child, 'message'), ended])
  return {
    address,
    pid: child.pid!,
    log: () => log,
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
