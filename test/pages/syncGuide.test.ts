import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import { insertLots } from '../support/lots/fixtures.ts'
import { startProgram, testPrograms } from '../support/run/guidePrograms.ts'
import { serviceFor } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'
import { readPage } from '../support/site/readPage.ts'

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

  testPrograms(
    ['curl', 'TypeScript', 'Python'],
    'has a loop that keeps no cursor of a call that failed, and prints each change once, also after it was stopped',
    () => guide,
    async (folder, code, language) => {
      const run = (SURPLUS_KEY = key) =>
        startProgram(folder, language, code.replaceAll('{base_url}', api.address), { SURPLUS_KEY })
      const cursor = () =>
        existsSync(join(folder, 'cursor')) ? readFileSync(join(folder, 'cursor'), 'utf8') : ''
      const latest = async () => (await api.get('/api/v1/changes?cursor=latest')).body.next_cursor

      await once(run('bp_live_unknown').child, 'close')
      expect(cursor()).toBe('')

      const first = run()
      try {
        await expect.poll(cursor).toContain(await latest())
      } finally {
        await first.stop()
      }
      expect(first.written).toEqual({ out: '', err: '' })
      for (const bid of [50_100, 60_200])
        await api.sql`update lots set current_bid_cents = ${bid} where slug = 'truck'`
      for (const times of [1, 0]) {
        const again = run()
        try {
          if (times > 0) await expect.poll(() => again.written.out).toContain('60200')
          else await new Promise(resolve => setTimeout(resolve, 2_000))
          await expect.poll(cursor).toContain(await latest())
        } finally {
          await again.stop()
        }
        const lines = (again.written.out + again.written.err).trim().split('\n').filter(Boolean)
        expect(lines).toHaveLength(2 * times)
        for (const line of lines)
          expect(line).toMatch(/\bbid\s+Truck of the guide\s+(50100|60200)$/)
      }
    },
  )
})
