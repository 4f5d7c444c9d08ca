import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import { insertLots } from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'
import { readPage } from '../support/site/readPage.ts'

/** The loops of the guide, by heading: what runs them, and what they need. */
const PROGRAMS = [
  { heading: 'curl', file: 'sync.sh', run: ['bash'], needs: 'jq' },
  {
    heading: 'TypeScript',
    file: 'sync.mts',
    run: [process.execPath, '--import', projectFile('node_modules/tsx/dist/loader.mjs')],
    needs: 'node',
  },
  { heading: 'Python', file: 'sync.py', run: ['python3'], needs: 'python3' },
]
const isInstalled = (program: string) => spawnSync(program, ['--version']).status === 0

describe('the guide to staying in sync', () => {
  const api = serviceFor()
  let key: string
  let guide: string

  beforeAll(async () => {
    key = await api.makeKey('pro_plus')
    guide = readFileSync(projectFile('docs/guides/sync.md'), 'utf8')
    await insertLots(api.sql, [{ slug: 'truck', title: 'Truck of the guide' }])
  })

  it('is a page, with the address of this service in its programs', async () => {
    const { status, words } = await readPage(`${api.address}/docs/sync`)
    expect(status).toBe(200)
    expect(words).toContain(`${PUBLIC_URL}/api/v1/changes?per_page=500&cursor=`)
  })

  for (const { heading, file, run, needs } of PROGRAMS) {
    const isMissing = !isInstalled(needs)
    if (isMissing)
      console.error(`NOTE: ${needs} is not installed, so the ${heading} loop of the guide IS SKIPPED.`)

    it.skipIf(isMissing)(
      `has a loop in ${heading} that prints each change once, also after it was stopped`,
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'sync-'))
        const [, code = ''] =
          new RegExp(`### ${heading}\\n[^#]*?\`\`\`\\w*\\n([\\s\\S]*?)\`\`\``).exec(guide) ?? []
        writeFileSync(join(folder, file), code.replaceAll('{base_url}', api.address))
        const start = () => {
          const [program = '', ...before] = run
          const child = spawn(program, [...before, file], {
            cwd: folder,
            env: { ...process.env, SURPLUS_KEY: key },
            detached: true,
          })
          let printed = ''
          for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (printed += data))
          return { child, printed: () => printed }
        }
        const cursor = () =>
          existsSync(join(folder, 'cursor')) ? readFileSync(join(folder, 'cursor'), 'utf8') : ''
        const latest = async () => (await api.get('/api/v1/changes?cursor=latest')).body.next_cursor

        const first = start()
        try {
          await expect.poll(cursor).toContain(await latest())
        } finally {
          await stop(first.child)
        }
        expect(first.printed()).toBe('')
        for (const bid of [50_100, 60_200])
          await api.sql`update lots set current_bid_cents = ${bid} where slug = 'truck'`
        for (const times of [1, 0]) {
          const again = start()
          try {
            if (times > 0) await expect.poll(again.printed).toContain('60200')
            else await new Promise(resolve => setTimeout(resolve, 2_000))
            await expect.poll(cursor).toContain(await latest())
          } finally {
            await stop(again.child)
          }
          const lines = again.printed().trim().split('\n').filter(Boolean)
          expect(lines).toHaveLength(2 * times)
          for (const line of lines) expect(line).toMatch(/\bbid\s+Truck of the guide\s+(50100|60200)$/)
        }
        rmSync(folder, { recursive: true })
      },
      60_000,
    )
  }
})

/** With the programs that it has started, such as `sleep`. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const gone = once(child, 'close')
  process.kill(-child.pid!, 'SIGKILL')
  await gone
}
