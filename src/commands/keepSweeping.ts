import type { ChildProcess } from 'node:child_process'
import type { Logger } from '../infra/log.ts'
import { startCommand, stopCommand } from './childCommand.ts'

export interface KeptSweeper {
  /** Stops the sweeper. */
  stop(): Promise<void>
}

const FIRST_RESTART_MS = 1000
const LONGEST_RESTART_MS = 60_000
/** After a run of this length the waits start again at the first one. */
const WELL_AFTER_MS = 60_000

/**
 * Runs `surplus sweep` in a process of its own, so that its memory and its work do not slow down callers. It stops with
 * the serving process. When it ends by itself, it is restarted after 1 s, then 2 s, up to a minute.
 */
export function keepSweeping(databaseUrl: string, log: Logger): KeptSweeper {
  let child: ChildProcess
  let restart: NodeJS.Timeout | undefined
  let waitMs = FIRST_RESTART_MS
  let isStopping = false

  const start = () => {
    const startedAt = performance.now()
    child = startCommand(['sweep'], databaseUrl)
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
      return stopCommand(child)
    },
  }
}
