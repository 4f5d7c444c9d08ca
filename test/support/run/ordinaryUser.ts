import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'

/**
 * Options of a child process that make it run as an account without rights, where these tests run
 * as root.
 */
export const ORDINARY_USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/**
 * A folder for temporary files that this account can enter: TMPDIR itself may lie in a private
 * folder.
 */
export function reachableFolder(): string {
  const canEnter = (path: string) =>
    spawnSync('ls', [path], { stdio: 'ignore', ...ORDINARY_USER }).status === 0
  const found = [tmpdir(), '/tmp', '/var/tmp'].find(canEnter)
  if (!found)
    throw new Error('No folder for temporary files is open to other accounts. Set TMPDIR to one.')
  return found
}
