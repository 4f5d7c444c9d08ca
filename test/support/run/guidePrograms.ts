import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'vitest'
import { projectFile } from '../../../src/contract/projectFile.ts'
import { needs } from './needs.ts'

const TSX = projectFile('node_modules/tsx/dist/loader.mjs')
const LANGUAGES = {
  curl: { file: 'guide.sh', run: ['bash'], needs: 'jq' },
  TypeScript: { file: 'guide.mts', run: [process.execPath, '--import', TSX], needs: 'node' },
  Python: { file: 'guide.py', run: ['python3'], needs: 'python3' },
}
export type Language = keyof typeof LANGUAGES

/** A program of a guide while it runs. */
export interface GuideProgram {
  child: ChildProcess
  /** What it has written on stdout and on stderr so far. */
  written: { out: string; err: string }
  /** Ends it with the programs that it has started, such as `sleep`. */
  stop(): Promise<void>
}

/**
 * A test for each language: of a folder, and of the code that the guide has under the heading of
 * the language.
 */
export function testPrograms(
  languages: Language[],
  title: string,
  guide: () => Promise<string> | string,
  test: (folder: string, code: string, language: Language) => Promise<void>,
): void {
  for (const language of languages) {
    const { needs: program } = LANGUAGES[language]
    const isMissing = spawnSync(program, ['--version']).status !== 0
    const options = {
      timeout: 120_000,
      ...needs(!isMissing, `${program} (apt-get install ${program})`),
    }
    it(`${title}: ${language}`, options, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'guide-'))
      const code = new RegExp(`### ${language}\\b[^\\n]*\\n[^#]*?\`\`\`\\w*\\n([\\s\\S]*?)\`\`\``)
      await test(folder, code.exec(await guide())?.[1] ?? '', language)
      rmSync(folder, { recursive: true })
    })
  }
}

export function startProgram(
  folder: string,
  language: Language,
  code: string,
  env: NodeJS.ProcessEnv,
): GuideProgram {
  const { file, run } = LANGUAGES[language]
  const [program = '', ...before] = run
  writeFileSync(join(folder, file), code)
  const options = { cwd: folder, env: { ...process.env, ...env }, detached: true }
  const child = spawn(program, [...before, file], options)
  const written = { out: '', err: '' }
  child.stdout.on('data', data => (written.out += data))
  child.stderr.on('data', data => (written.err += data))
  return {
    child,
    written,
    stop: async () => {
      if (child.exitCode !== null) return
      const gone = once(child, 'close')
      process.kill(-child.pid!, 'SIGKILL')
      await gone
    },
  }
}

const BLOCKS: Record<string, Language> = { sh: 'curl', ts: 'TypeScript', python: 'Python' }

/** Runs a block of a guide until it ends. @param language as it stands behind its fence. */
export async function runBlock(
  folder: string,
  language: string,
  code: string,
  env: NodeJS.ProcessEnv,
) {
  const { child, written } = startProgram(folder, BLOCKS[language]!, code, env)
  await once(child, 'close')
  return { exitCode: child.exitCode, ...written }
}
