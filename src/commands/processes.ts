import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import type { Logger } from '../infra/log.ts'

const STOP_DEADLINE_MS = 10_000
const FIRST_RESTART_MS = 1000
const LONGEST_RESTART_MS = 60_000
/** After a run of this length the waits start again at the first one. */
const WELL_AFTER_MS = 60_000

// Why: operators on a small machine: 308 to 423 MB resident without it, 208 MB with it, after pages and searches at
// 30,000 lots, for some 15 % of the calls of one lot (docs/decisions/0046-memory.md).
/**
 * From now on the heap grows by 15 %. V8 lets it grow to four times what lives.
 */
export function boundHeap(): void {
  setFlagsFromString('--heap-growing-percent=15')
}

/**
 * Starts another command of this program in a process of its own, on the same
 * database. Its log goes to our stderr. The channel ('ipc') closes when this
 * process ends, however it ends.
 */
export function startCommand(args: string[], databaseUrl: string) {
  return fork(process.argv[1] ?? '', args, {
    execArgv: process.execArgv,
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}

/**
 * For a started command that does its work and ends: it ends with the process
 * that started it, however that ends.
 */
export function endWithParent(): void {
  process.once('disconnect', () => process.exit(1))
  process.channel?.unref()
}

/**
 * Stops a started command: with SIGTERM, after 10 s with SIGKILL. Resolves when
 * it has ended.
 */
export async function stopCommand(child: ChildProcess) {
  if (
    child.exitCode !== null ||
    child.signalCode !== null ||
    child.pid === undefined
  )
    return
  const deadline = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS)
  child.kill('SIGTERM')
  await once(child, 'exit')
  clearTimeout(deadline)
}

/**
 * Runs another command of this program in a process of its own, so that its
 * memory and its work do not slow down callers. It stops with the serving
 * process. When it ends by itself, it is restarted after 1 s, then 2 s, up to a
 * minute.
 * @param name what the log calls the process.
 */
export function keepCommand(
  command: string,
  name: string,
  databaseUrl: string,
  log: Logger,
) {
  let child: ChildProcess
  let restart: NodeJS.Timeout | undefined
  let waitMs = FIRST_RESTART_MS
  let isStopping = false

  const start = () => {
    const startedAt = performance.now()
    child = startCommand([command], databaseUrl)
    child.once('error', error => startAgain(startedAt, { err: error }))
    child.once('exit', (exitCode, signal) =>
      startAgain(startedAt, { exit_code: exitCode, signal }),
    )
  }
  const startAgain = (startedAt: number, facts: object) => {
    if (isStopping) return
    if (performance.now() - startedAt > WELL_AFTER_MS) waitMs = FIRST_RESTART_MS
    log.error(
      { ...facts, restart_in_seconds: waitMs / 1000 },
      `the ${name} ended and is started again`,
    )
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

let stopped: Promise<string> | undefined

/**
 * Resolves on SIGTERM, on Ctrl-C, or when the parent process that opened a
 * channel to this one has ended. From the first call on, these signals do not
 * kill the process.
 */
export function stopSignal(): Promise<string> {
  stopped ??= new Promise(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const)
      process.once(signal, () => resolve(signal))
    // An open channel with a listener would keep a process alive that has
    // finished its work.
    process.channel?.unref()
  })
  return stopped
}
