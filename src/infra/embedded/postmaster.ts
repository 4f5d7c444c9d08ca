import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../../contract/errors.ts'

/**
 * The server of this cluster, as its postmaster.pid describes it, or undefined
 * when none runs.
 */
export function findPostmaster(cluster: string) {
  const [pidText, , , portText, , , , statusText] = (
    read(pidFile(cluster)) ?? ''
  ).split('\n')
  const pid = Number(pidText)
  if (!(pid > 0) || !isAlive(pid) || isStranger(pid, cluster)) return undefined
  const status = statusText?.trim()
  return {
    pid,
    /** 0 until the server has written it. */
    port: Number(portText ?? 0),
    status: status === 'ready' || status === 'stopping' ? status : 'starting',
  }
}

/**
 * Removes a postmaster.pid whose process id now belongs to another program, as
 * happens when a container restarts: PostgreSQL would refuse to start.
 * PostgreSQL itself replaces the file of a process that no longer exists.
 */
export function removeStrayPidFile(cluster: string) {
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
  // Another process may have started a server since; then the file is valid.
  if (read(aside) === judged) rmSync(aside)
  else renameSync(aside, path)
}

/** Whether a process with this id exists, under any account. */
export function isAlive(pid: number) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

function pidFile(cluster: string) {
  return join(cluster, 'postmaster.pid')
}

/**
 * Whether the process is another program: its command line can be read and is
 * not that of the server (a zombie has an empty one). The working folder would
 * be better proof, but in a plain container even root cannot read that of
 * another account's process.
 */
function isStranger(pid: number, cluster: string) {
  const args = commandLine(pid)
  return (
    args !== undefined && !(args.includes('postgres') && args.includes(cluster))
  )
}

function commandLine(pid: number) {
  if (existsSync('/proc/self/cmdline')) return read(`/proc/${pid}/cmdline`)
  try {
    return execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], {
      encoding: 'utf8',
    })
  } catch {
    return undefined
  }
}

function read(path: string) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH')) return undefined
    throw error
  }
}
