import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { BuiltIndex } from './builtIndex.ts'
import { readColumns } from './columnStream.ts'

/** Of what the process says when it fails, so much is told. */
const MOST_WORDS = 2_000

/**
 * Builds an index in a process of its own: nobody waits for it, and its memory (some 400 MB for 1,000,000 lots) goes with it. A
 * thread would leave as much behind, in pieces that the allocator keeps.
 * @param makeRoom is called when it is built, before memory is taken for it here.
 * @throws Error with what the process said, when it failed.
 */
export async function buildApart(
  databaseUrl: string,
  now: Date | null,
  signal: AbortSignal,
  makeRoom: () => void,
): Promise<BuiltIndex> {
  const program = fileURLToPath(new URL('./indexProcess', import.meta.url))
  const args = import.meta.url.endsWith('.js') ? [`${program}.js`] : ['--import', 'tsx', `${program}.ts`]
  const env = { ...process.env, INDEX_DATABASE_URL: databaseUrl, INDEX_NOW: now?.toISOString() ?? '' }
  const child = spawn(process.execPath, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', words => {
    said = (said + words).slice(0, MOST_WORDS)
  })
  child.stdout.once('readable', makeRoom)
  const exit = once(child, 'close')
  const [built, [code]] = await Promise.all([readColumns(child.stdout).catch(() => null), exit])
  if (code !== 0 || built === null)
    throw new Error(`The open lots were not indexed (${code}): ${said.trim()}`)
  return built as BuiltIndex
}
