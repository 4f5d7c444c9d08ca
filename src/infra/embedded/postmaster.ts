import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** A server at work, as its postmaster.pid tells. */
export interface Postmaster {
  pid: number
  /** 0 until the server has written it. */
  port: number
  status: 'starting' | 'ready' | 'stopping'
}

/** The server of this cluster, or undefined when none runs. */
export function findPostmaster(cluster: string): Postmaster | undefined {
  const [pidText, , , portText, , , , statusText] = (read(pidFile(cluster)) ?? '').split('\n')
  const pid = Number(pidText)
  if (!(pid > 0) || !isAlive(pid) || isStranger(pid, cluster)) return undefined
  const status = statusText?.trim()
  return {
    pid,
    port: Number(portText ?? 0),
    status: status === 'ready' || status === 'stopping' ? status : 'starting',
  }
}

/**
 * Takes away a postmaster.pid whose number now belongs to another process, as happens when a container restarts:
 * PostgreSQL would refuse to start for ever. One whose process is gone PostgreSQL replaces by itself.
 */
export function removeStrayPidFile(cluster: string): void {
  const path = pidFile(cluster)
  const judged = read(path)
  const pid = Number(judged?.split('\n')[0])
  if (!(pid > 0) || !isAlive(pid) || !isStranger(pid, cluster)) return
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return
    throw error
  }
  // A quicker process may have started a server since: then the file is its own.
  if (read(aside) === judged) rmSync(aside)
  else renameSync(aside, path)
}

/** Whether a process with this id exists, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

function pidFile(cluster: string): string {
  return join(cluster, 'postmaster.pid')
}

/**
 * Only a command line that can be read and is another one proves a stranger; a dead child that nobody waited for has
 * an empty one. (The working folder would say more, but even root may not see that of another account's process in a
 * plain container.)
 */
function isStranger(pid: number, cluster: string): boolean {
  const args = commandLine(pid)
  return args !== undefined && !(args.includes('postgres') && args.includes(cluster))
}

function commandLine(pid: number): string | undefined {
  if (existsSync('/proc/self/cmdline')) return read(`/proc/${pid}/cmdline`)
  try {
    return execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return undefined
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH')) return undefined
    throw error
  }
}

/** Whether a system error carries one of these codes (`ENOENT`, `EACCES`, …). */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '')
}
