import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

// The processes of the drill. Each is ended by its id.

const PACKAGES: Record<string, string> = {
  '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15',
  '/usr/bin/patroni': 'patroni',
  '/usr/bin/etcd': 'etcd-server',
  '/usr/sbin/haproxy': 'haproxy',
  '/usr/bin/openssl': 'openssl',
  '/usr/lib/python3/dist-packages/idna/core.py': 'python3-idna',
}

/** Configurations, data and logs of one drill. */
export const folder = fs.mkdtempSync(join(tmpdir(), 'surplus-failover-'))
/** PostgreSQL, Patroni and etcd refuse to run as root. */
export const asOwner = ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups']

const children: ChildProcess[] = []
const isRunning = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode === null && signalCode === null

export const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
export const say = (text: string) =>
  console.log(`${seconds(performance.now()).padStart(8)}  ${text}`)

/** Installs what is missing, as root on Debian; ends with 1 where it cannot. Debian's own services are not started. */
export function installPackages(): void {
  const missing = Object.keys(PACKAGES).flatMap(file =>
    fs.existsSync(file) ? [] : [PACKAGES[file]!],
  )
  const words = ['install', '-qy', '--no-install-recommends', ...missing]
  if (process.getuid?.() !== 0 || !fs.existsSync('/usr/bin/apt-get')) {
    console.error(
      `THE DRILL CANNOT RUN HERE. It needs root on Debian 12, and: apt-get ${words.join(' ')}`,
    )
    process.exit(1)
  }
  if (missing.length === 0) return
  const policy = '/usr/sbin/policy-rc.d'
  const isOurs = !fs.existsSync(policy)
  if (isOurs) fs.writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    for (const each of [['update', '-q'], words])
      execFileSync('apt-get', each, { env, stdio: 'ignore' })
  } finally {
    if (isOurs) fs.rmSync(policy)
  }
  console.log(`Installed ${missing.join(', ')}. Their services start with the next boot, not now.`)
}

/** Starts a program whose output goes to a log in the folder. */
export function start(
  name: string,
  command: string[],
  env: Record<string, string> = {},
): ChildProcess {
  const log = fs.openSync(join(folder, `${name}.log`), 'a')
  const options = { cwd: folder, env: { ...process.env, ...env } }
  const child = spawn(command[0]!, command.slice(1), { ...options, stdio: ['ignore', log, log] })
  child.once('error', error => console.error(`${name}: ${error.message}`))
  children.push(child)
  return child
}

/** Runs a program to its end. @returns its exit code. */
export const run = (words: string[], env: Record<string, string>) =>
  new Promise<number>(done => {
    const child = spawn(words[0]!, words.slice(1), {
      env: { ...process.env, ...env },
      stdio: 'ignore',
    })
    child.once('exit', code => done(code ?? 1))
  })

/** Waits for a state. @throws Error that names it when it does not come in `limit` seconds. */
export async function until(
  what: string,
  limit: number,
  look: () => Promise<unknown> | boolean,
): Promise<void> {
  for (const end = performance.now() + limit * 1_000; performance.now() < end; await sleep(200)) {
    if (await Promise.resolve(look()).catch(() => false)) return
  }
  throw new Error(`Not within ${limit} s: ${what}`)
}

/** Processes that have ended are no error. */
export const signal = (name: 'STOP' | 'CONT' | 'TERM' | 'KILL', pids: number[]) =>
  spawnSync('kill', [`-${name}`, ...pids.map(String)])

/** The processes of a node: its Patroni, the postmaster of its data folder and the children of that. */
export function processesOf(data: string, patroni: ChildProcess | undefined): number[] {
  const ps = (...words: string[]) => spawnSync('ps', words, { encoding: 'utf8' }).stdout
  const file = join(data, 'postmaster.pid')
  const postmaster = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n')[0]! : '0'
  const isOurs = ps('-o', 'args=', '-p', postmaster).includes(data)
  const server = isOurs ? [postmaster, ...ps('-o', 'pid=', '--ppid', postmaster).split('\n')] : []
  return [
    ...(patroni && isRunning(patroni) ? [patroni.pid!] : []),
    ...server.map(Number).filter(Boolean),
  ]
}

/** Ends every process that was started, the serving ones in their own way. @param others more ids. */
export async function endAll(others: number[]): Promise<void> {
  const running = () => children.filter(isRunning)
  const pids = (processes: ChildProcess[]) => processes.map(({ pid }) => pid!)
  const services = () => running().filter(({ spawnargs }) => spawnargs.includes('serve'))
  signal('TERM', pids(services()))
  await until('the services end', 15, () => services().length === 0).catch(() => {})
  signal('KILL', [...others, ...pids(running())])
  await until('everything ends', 10, () => running().length === 0).catch(() => {})
}
