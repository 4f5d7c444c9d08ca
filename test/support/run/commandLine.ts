import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { builtFile } from './builtFile.ts'

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs `surplus …` in a process of its own, with these settings beside the usual ones. */
export async function runSurplus(args: string[], env: Record<string, string>): Promise<Ran> {
  const child = spawn(process.execPath, [builtFile('src/main.ts'), ...args], {
    env: { ...process.env, ...env },
  })
  const ran: Ran = { code: null, stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', text => {
      ran[stream] += text
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  return { ...ran, code }
}
