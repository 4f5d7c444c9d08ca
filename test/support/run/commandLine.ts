import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { vi } from 'vitest'
import { runCli } from '../../../src/cli.ts'
import { builtFile } from './builtFile.ts'

/** A `surplus …` that runs until it is ended. */
export interface LongCommand {
  pid: number
  /** What it and its children have logged so far. */
  lines(): Record<string, unknown>[]
  /** All that it and its children have written so far. */
  said(): string
  /** What it has printed on stdout so far, one JSON document a line. */
  answers(): Record<string, unknown>[]
  /** Sends it a signal; resolves with its exit code, null when the signal ended it. */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>
  /** Its exit code, null when a signal ended it. */
  exited: Promise<number | null>
}

/**
 * Starts `surplus …` in a process of its own, with these settings beside the usual ones.
 * @param openFiles how many files it may open; absent: as many as this process.
 */
export function startSurplus(
  args: string[],
  env: Record<string, string>,
  openFiles?: number,
): LongCommand {
  const { child, printed } = spawnSurplus(args, env, openFiles)
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  return {
    pid: child.pid!,
    lines: () => documentsIn(printed.stderr),
    said: () => printed.stdout + printed.stderr,
    answers: () => documentsIn(printed.stdout),
    end: signal => {
      child.kill(signal)
      return exited
    },
    exited,
  }
}

/** Whether a process with this id runs. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs `surplus …` in a process of its own until it ends. */
export async function runSurplus(args: string[], env: Record<string, string>): Promise<Ran> {
  const { child, printed } = spawnSurplus(args, env)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...printed }
}

/**
 * Runs `surplus …` in this process, for commands that end by themselves. Not two at once: the
 * settings are this process's.
 */
export async function runSurplusHere(args: string[], env: Record<string, string>): Promise<Ran> {
  const printed = { stdout: '', stderr: '' }
  const catchOf = (stream: 'stdout' | 'stderr') =>
    vi.spyOn(process[stream], 'write').mockImplementation(text => {
      printed[stream] += text
      return true
    })
  const spies = [catchOf('stdout'), catchOf('stderr')]
  const before = { env: process.env, exitCode: process.exitCode }
  process.env = { ...before.env, ...env }
  try {
    const code = await runCli(args)
    return { code, ...printed }
  } finally {
    Object.assign(process, before)
    for (const spy of spies) spy.mockRestore()
  }
}

function spawnSurplus(args: string[], env: Record<string, string>, openFiles?: number) {
  const program = [process.execPath, builtFile('src/main.ts'), ...args]
  const limited = ['/bin/sh', '-c', `ulimit -n ${openFiles}; exec "$@"`, 'sh', ...program]
  const [command = '', ...rest] = openFiles === undefined ? program : limited
  const child = spawn(command, rest, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', text => {
      printed[stream] += text
    })
  return { child, printed }
}

const documentsIn = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter(line => line.startsWith('{') && line.endsWith('}'))
    .map(line => JSON.parse(line))
