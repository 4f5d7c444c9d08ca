import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { projectFile } from '../../../src/contract/projectFile.ts'
import { FACTORS, fromNow, HOUR, insertAppraisal, insertLots, NOW } from '../../support/lots/fixtures.ts'
import { needs } from '../../support/run/needs.ts'
import { temporaryFolder } from '../../support/run/shared.ts'
import { serviceFor } from '../../support/service/start.ts'
import { usageOf } from '../../support/service/usage.ts'

const REDOCLY = projectFile('tools/node_modules/.bin/redocly')
const OPTIONS = needs(existsSync(REDOCLY), 'tools/ (make test-slow installs it)')
const folder = temporaryFolder()
const api = serviceFor({ now: NOW, linksToItself: true, opensSeenPages: false })

it('the workflows run by the command of the guide, and cost the calls that they make', OPTIONS, async () => {
  const lots = Array.from({ length: 60 }, (_, n) => ({
    slug: `truck-${n}`,
    title: `Truck ${n}`,
    category: 'vehicles' as const,
    current_bid_cents: 100_000,
    ends_at: fromNow((n + 1) * HOUR),
  }))
  const [listing_id] = await insertLots(api.sql, lots)
  await insertAppraisal(api.sql, { lot_id: listing_id!, flip_score: 80, factors: FACTORS })
  await api.sql`update lots set flip_score = 80 where id = ${listing_id!}`
  const key = await api.makeKey('pro_plus')
  const guide = await (await fetch(`${api.address}/docs/clients.md`)).text()
  const [, command = ''] = /^```sh\n((?:(?!```)[\s\S])*?redocly[\s\S]*?)^```$/m.exec(guide) ?? []
  // npx takes the package that tools/ has.
  await symlink(projectFile('tools/node_modules'), join(folder, 'node_modules'))
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', command], {
    cwd: folder,
    env: { ...process.env, SURPLUS_KEY: key, LISTING_ID: listing_id },
  }).catch(error => error)
  expect(stdout + stderr).toMatch(/3 passed, 3 total/)
  await expect.poll(async () => (await usageOf(api.sql, key)).month).toBe(7)
})
