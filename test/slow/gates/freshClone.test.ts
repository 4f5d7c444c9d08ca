import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../../src/contract/projectFile.ts'
import { freePort } from '../../../src/infra/embedded/launch.ts'
import { ORDINARY_USER, reachableFolder } from '../../support/run/ordinaryUser.ts'

/** Programs that a fresh machine does not have. */
const NOT_THERE = /^(psql|postgres|pg_?\w+|initdb|createdb|pgbouncer|chrom\w+|google-chrome.*)$/
/** Tests that start programs, write files, install a package and use the embedded PostgreSQL. */
const FILES = ['test/infra/embedded.test.ts', 'test/clients/kit.test.ts']

describe('an ordinary user with nothing installed, in a path with a space', () => {
  const root = mkdtempSync(join(reachableFolder(), 'surplus fresh '))
  const [clone, home, programs] = ['my clone', 'home', 'programs'].map(name =>
    join(root, name),
  ) as [string, string, string]
  const options = {
    cwd: clone,
    env: { HOME: home, PATH: programs, TMPDIR: home },
    ...ORDINARY_USER,
  }

  beforeAll(() => {
    for (const folder of [clone, home, programs]) mkdirSync(folder)
    for (const folder of (process.env.PATH ?? '').split(delimiter)) linkPrograms(folder)
    const copy =
      'git ls-files -co --exclude-standard --deduplicate -z | xargs -0 ls -d 2>/dev/null | tar -c -T -'
    const packed = execFileSync('bash', ['-c', copy], { cwd: projectFile(), maxBuffer: 1e9 })
    execFileSync('tar', ['-x', '-C', clone], { input: packed })
    const { uid, gid } = ORDINARY_USER
    if (uid) execFileSync('chown', ['-R', `${uid}:${gid}`, root])
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  function linkPrograms(folder: string): void {
    for (const name of existsSync(folder) ? readdirSync(folder) : [])
      if (!NOT_THERE.test(name) && !existsSync(join(programs, name)))
        symlinkSync(join(folder, name), join(programs, name))
  }

  it('make run serves', async () => {
    const port = String(await freePort())
    const child = spawn('make', ['run'], {
      ...options,
      env: { ...options.env, PORT: port },
      detached: true,
    })
    const said = textOf(child)
    const readiness = () => {
      if (child.exitCode !== null) throw new Error(`make run ended: ${said()}`)
      return fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ status }) => status,
        () => 0,
      )
    }
    await expect.poll(readiness, { timeout: 300_000, interval: 500 }).toBe(200)
    expect(said()).toContain('curl -H "Authorization: Bearer bp_live_')
    process.kill(-child.pid!, 'SIGTERM')
    await once(child, 'close')
  })

  it('two test files pass', async () => {
    const child = spawn('make', ['test', `TESTS=${FILES.join(' ')}`], options)
    const said = textOf(child)
    await once(child, 'close')
    expect([child.exitCode, said()]).toEqual([
      0,
      expect.stringMatching(/tests: \d+ passed, 0 failed/),
    ])
    expect(existsSync(join(clone, 'tools', 'node_modules'))).toBe(false)
  })
})

function textOf(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', data => (text += data))
  return () => text
}
