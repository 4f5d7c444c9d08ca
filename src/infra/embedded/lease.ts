import { spawnSync } from 'node:child_process'
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
