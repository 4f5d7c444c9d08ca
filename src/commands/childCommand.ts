import { type ChildProcess, fork } from 'node:child_process'

const STOP_DEADLINE_MS = 10_000

/**
 * Starts another command of this program in a process of its own, on the same database. Its log goes to our stderr. The
 * channel ('ipc') closes when this process ends, however it ends.
 */
export function startCommand(args: string[], databaseUrl: string): ChildProcess {
  return fork(process.argv[1] ?? '', args, {
    execArgv: process.execArgv,
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}

/** Stops a started command: with SIGTERM, after 10 s with SIGKILL. Resolves when it has ended. */
export function stopCommand(child: ChildProcess): Promise<void> {
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
