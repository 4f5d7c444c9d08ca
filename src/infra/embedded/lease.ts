import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/** A share in the server, which runs as long as any process holds one. */
export interface Lease {
  release(): void
}

/**
 * Takes a lease: opens a named pipe. The kernel closes it however the process ends, also by `kill -9`, and the keeper of the
 * server reads the end of the file when the last lease is released. A lease remains valid over restarts of the server.
 */
export function takeLease(path: string): Lease {
  if (!existsSync(path)) {
    accessSync(dirname(path), constants.W_OK)
    const made = spawnSync('mkfifo', ['-m', '600', path], { encoding: 'utf8' })
    if (made.status !== 0 && !existsSync(path)) {
      throw new Error(`The named pipe ${path} cannot be made: ${made.error?.message ?? made.stderr.trim()}`)
    }
  }
  // For reading and writing, because opening one end blocks until the other is opened.
  let descriptor: number | undefined = openSync(path, 'r+')
  return {
    release: () => {
      if (descriptor !== undefined) closeSync(descriptor)
      descriptor = undefined
    },
  }
}

/** Opens the end that the keeper waits on. Blocks unless the caller holds a lease. The caller closes it. */
export function openWaitingEnd(path: string): number {
  return openSync(path, 'r')
}

/**
 * The parent of the server: stops it (fast shutdown) when the last lease on descriptor 3 is released, and ends with it. It is
 * detached from the terminal, so neither Ctrl-C nor the death of the process that started the server reaches it. A
 * parent-death signal would stop the server while other processes use it.
 */
const script = `
"$@" 3<&- &
server=$!
(read -r line <&3; kill -INT "$server") &
watcher=$!
exec 3<&-
wait "$server"
status=$?
kill "$watcher" 2>/dev/null
exit "$status"
`

/** Runs a command under a keeper and closes the two descriptors here. `ended` resolves when it has ended or could not start. */
export function keep(
  command: string[],
  env: Record<string, string>,
  descriptors: { log: number; lease: number },
): { ended: Promise<unknown> } {
  const { log, lease } = descriptors
  try {
    const keeper = spawn('/bin/sh', ['-c', script, 'surplus-keeper', ...command], {
      cwd: '/',
      env,
      detached: true,
      stdio: ['ignore', log, log, lease],
    })
    keeper.unref()
    return { ended: once(keeper, 'exit').catch(() => {}) }
  } finally {
    closeSync(log)
    closeSync(lease)
  }
}
