import { spawnSync } from 'node:child_process'
import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Takes a lease, a share in the server, which runs as long as any process holds one: opens a named pipe. The kernel closes it however the process ends, also by `kill -9`, and the keeper of the
 * server reads the end of the file when the last lease is released. A lease remains valid over restarts of the server.
 */
export function takeLease(path: string) {
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
