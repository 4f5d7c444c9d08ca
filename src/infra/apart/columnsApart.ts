import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { readColumns } from './columnStream.ts'

interface ApartSettings {
  /** Added to the environment of this process. */
  env?: Record<string, string>
  /** Ends the process. */
  signal?: AbortSignal
  /** Is called when it begins to write, before memory is taken for that here. */
  onBegin?: () => void
}

/** Of what the process says when it fails, so much is told. */
const MOST_WORDS = 2_000

/**
 * Runs a program that writes columns to its standard output, in a process of its own: nobody waits for it, and its memory goes with
 * it. A thread would leave as much behind, in pieces that the allocator keeps.
 * @param program without its ending: JavaScript beside the built program, else the source.
 * @throws Error with what the process said, when it failed.
 */
export async function columnsApart(
  program: URL,
  { env = {}, signal, onBegin = () => {} }: ApartSettings = {},
): Promise<unknown> {
  const file = fileURLToPath(program)
  const args = import.meta.url.endsWith('.js') ? [`${file}.js`] : ['--import', 'tsx', `${file}.ts`]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    killSignal: 'SIGKILL',
    ...(signal ? { signal } : {}),
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', words => {
    said = (said + words).slice(0, MOST_WORDS)
  })
  child.stdout.once('readable', onBegin)
  const exit = once(child, 'close')
  const [columns, [code]] = await Promise.all([readColumns(child.stdout).catch(() => null), exit])
  if (code !== 0 || columns === null) throw new Error(`${file} failed (${code}): ${said.trim()}`)
  return columns
}
