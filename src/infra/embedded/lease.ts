import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/** A share in the server: it runs for as long as anybody holds one. */
export interface Lease {
  release(): void
}

/**
 * Takes a share. The lease is an open named pipe, so the kernel gives it back however the process ends, `kill -9`
 * included, and the keeper of the server reads the end of the file when the last one is gone. The same pipe serves
 * every server of the cluster: a lease taken before a restart holds after it.
 */
export function takeLease(path: string): Lease {
  if (!existsSync(path)) {
    accessSync(dirname(path), constants.W_OK)
    const made = spawnSync('mkfifo', ['-m', '600', path], { encoding: 'utf8' })
    if (made.status !== 0 && !existsSync(path)) {
      throw new Error(`The named pipe ${path} cannot be made: ${made.error?.message ?? made.stderr.trim()}`)
    }
  }
  // Both ways, because opening one end waits until somebody opens the other.
  let descriptor: number | undefined = openSync(path, 'r+')
  return {
    release: () => {
      if (descriptor !== undefined) closeSync(descriptor)
      descriptor = undefined
    },
  }
}

/** The end that the keeper waits on. The caller must hold a lease, or this would block, and closes it. */
export function openWaitingEnd(path: string): number {
  return openSync(path, 'r')
}

/**
 * The parent of the server: stops it (fast shutdown) when the last lease on descriptor 3 is given back, and ends with
 * it. It belongs to nobody's terminal, so neither Ctrl-C nor the death of the process that started the server reaches
 * it. A parent-death signal would end the server with its starter, under everyone else who uses it.
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

/** Runs a command under a keeper, and over the two descriptors. Resolves when it has ended, or never came up. */
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
