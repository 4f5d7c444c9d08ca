// Processor time of processes, user and system, by proc(5): Linux only.
import { readdirSync, readFileSync } from 'node:fs'

const TICK_MS = 10
const NS_PER_MS = 1e6

/** Numbers of /proc/PID/stat, counted from the state of the process on. */
const PARENT = 1
const OWN = [11, 12]
const OF_ENDED_CHILDREN = [13, 14]

/**
 * Milliseconds that these processes and all of their children have used, also those that have
 * ended. To some 10 ms a process.
 * @param except a child that is left out with its own: the service starts its embedded PostgreSQL.
 */
export function processorMs(roots: readonly number[], except?: number): number {
  const counted = treesOf(roots).filter(isNotIn(except === undefined ? [] : treesOf([except])))
  return sum(counted.map(pid => ticksOf(pid, [...OWN, ...OF_ENDED_CHILDREN]) * TICK_MS))
}

/** The same to a microsecond, for a single call; a thread that has ended meanwhile is not in it. */
export function exactProcessorMs(roots: readonly number[]): number {
  return sum(treesOf(roots).map(pid => threadsMs(pid) + ticksOf(pid, OF_ENDED_CHILDREN) * TICK_MS))
}

/** The server that a backend belongs to: all of its processes are children of that one. */
export function postmasterOf(backend: number): number {
  return statOf(backend)[PARENT]!
}

/**
 * The memory of a process in MB, by a field of proc(5): what it holds now (VmRSS), or has held at
 * most (VmHWM).
 */
export function mbOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] =
    new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1024)
}

/** The processes and all that came from them, each once. */
function treesOf(roots: readonly number[]): number[] {
  const parents = new Map(numbersIn('/proc').map(pid => [pid, statOf(pid)[PARENT]]))
  const found = new Set(roots)
  for (const pid of found)
    for (const [child, parent] of parents) if (parent === pid) found.add(child)
  return [...found]
}

const isNotIn = (others: number[]) => (pid: number) => !others.includes(pid)

function ticksOf(pid: number, fields: readonly number[]): number {
  const stat = statOf(pid)
  return sum(fields.map(field => stat[field] ?? 0))
}

/** The first number of schedstat is the time on a processor, in nanoseconds. */
function threadsMs(pid: number): number {
  const threads = numbersIn(`/proc/${pid}/task`)
  const times = threads.map(thread =>
    Number(textOf(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]),
  )
  return sum(times) / NS_PER_MS
}

/** Empty for a process that has ended. */
function statOf(pid: number): number[] {
  return textOf(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number)
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0)
}
