import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { ServiceSettings } from '../../../src/service.ts'
import { builtFile } from '../run/builtFile.ts'

/** Charge one call to each of these keys (hex of their hashes), by so many callers at once. */
export interface Order {
  hashes: string[]
  callers: number
  /** Of the granted calls, every n-th is given back. */
  giveBackEvery: number
}

export interface StormResult {
  /** Calls that were granted and kept, by account. */
  granted: Record<number, number>
  refused: number
  failed: string[]
}

export type Report = { address: string } | { storm: StormResult }

/** A service in a process of its own. */
export interface ServiceProcess {
  address: string
  pid: number
  /** What it has logged so far, one JSON document a line. */
  log(): string
  /** Charges calls to the meter of that process, without HTTP. */
  storm(order: Order): Promise<StormResult>
  /** Asks it to stop (SIGTERM); resolves with its exit code. */
  stop(): Promise<number | null>
  /** Ends it at once, if it still runs. */
  kill(): Promise<void>
}

interface ProcessOptions {
  /** What is not as usual, as far as JSON can say it. */
  settings?: Partial<ServiceSettings>
  /** How far its clock is off, and whether it jumps between that much ahead and behind all the time. */
  clock?: { offMs: number; jumps?: boolean }
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
  const { address } = await reportOf(child, 'address', exited, () => log)
  return {
    address,
    pid: child.pid!,
    log: () => log,
    storm: async order => {
      child.send(order)
      return (await reportOf(child, 'storm', exited, () => log)).storm
    },
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

type ReportWith<Name extends string> = Extract<Report, Record<Name, unknown>>

function reportOf<Name extends 'address' | 'storm'>(
  child: ChildProcess,
  name: Name,
  exited: Promise<unknown>,
  log: () => string,
): Promise<ReportWith<Name>> {
  return new Promise((resolve, reject) => {
    const hear = (report: Report) => {
      if (!(name in report)) return
      child.off('message', hear)
      resolve(report as ReportWith<Name>)
    }
    child.on('message', hear)
    void exited.then(() => reject(new Error(`The service process ended before it answered: ${log()}`)))
  })
}
