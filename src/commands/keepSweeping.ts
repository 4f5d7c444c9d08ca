import { type ChildProcess, fork } from 'node:child_process'
import type { Logger } from '../infra/log.ts'

export interface KeptSweeper {
  /** Asks the sweeper to end, and ends it when it does not. */
  stop(): Promise<void>
}

const FIRST_RESTART_MS = 1000
const LONGEST_RESTART_MS = 60_000
/** A sweeper that ran so long was well: when it ends, the waits begin anew. */
const WELL_AFTER_MS = 60_000
const STOP_DEADLINE_MS = 10_000

/**
 * Runs `surplus sweep` beside the serving process, in a process of its own: its memory and its work are not in the way of
 * callers, and it ends with the process that serves. One that ends by itself is started again, after 1 s, then 2, up to
 * a minute.
 */
export function keepSweeping(databaseUrl: string, log: Logger): KeptSweeper {
  let child: ChildProcess
  let restart: NodeJS.Timeout | undefined
  let waitMs = FIRST_RESTART_MS
  let isStopping = false

  const start = () => {
    const startedAt = performance.now()
    child = startSweeper(databaseUrl)
    child.once('error', error => startAgain(startedAt, { err: error }))
    child.once('exit', (exitCode, signal) => startAgain(startedAt, { exit_code: exitCode, signal }))
  }
  const startAgain = (startedAt: number, facts: object) => {
    if (isStopping) return
    if (performance.now() - startedAt > WELL_AFTER_MS) waitMs = FIRST_RESTART_MS
    log.error({ ...facts, restart_in_seconds: waitMs / 1000 }, 'the sweeper ended and is started again')
    clearTimeout(restart)
    restart = setTimeout(start, waitMs)
    waitMs = Math.min(LONGEST_RESTART_MS, 2 * waitMs)
  }
  start()
  return {
    stop: () => {
      isStopping = true
      clearTimeout(restart)
      return endOf(child)
    },
  }
}

/** The channel ('ipc') is how it learns of our end, whatever ended us. */
function startSweeper(databaseUrl: string): ChildProcess {
  return fork(process.argv[1] ?? '', ['sweep'], {
    execArgv: process.execArgv,
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}

function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
    return Promise.resolve()
  return new Promise(resolve => {
    const deadline = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS)
    child.once('exit', () => {
      clearTimeout(deadline)
      resolve()
    })
    child.kill('SIGTERM')
  })
}
