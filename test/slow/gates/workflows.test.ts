import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { projectFile } from '../../../src/contract/projectFile.ts'
import { FACTORS, fromNow, HOUR, insertAppraisal, insertLots, NOW } from '../../support/lots/fixtures.ts'
import { needs } from '../../support/run/needs.ts'
import { serviceFor } from '../../support/service/start.ts'
import { usageOf } from '../../support/service/usage.ts'

const REDOCLY = projectFile('tools/node_modules/.bin/redocly')
const OPTIONS = needs(existsSync(REDOCLY), 'tools/ (make test-slow installs it)')
const api = serviceFor({ now: NOW, linksToItself: true, opensSeenPages: false })

it('the workflows run as Redocly runs them, and cost the calls that they make', OPTIONS, async () => {
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
  const inputs = { key, category: 'vehicles', listing_id }
  const { stdout, stderr } = await promisify(execFile)(
    REDOCLY,
    [
      ...['respect', 'clients/workflows.arazzo.yaml'],
      ...['--server', `surplus=${api.address}`, '--input', JSON.stringify(inputs)],
    ],
    { cwd: projectFile() },
  ).catch(error => error)
  expect(stdout + stderr).toMatch(/3 passed, 3 total/)
  await expect.poll(async () => (await usageOf(api.sql, key)).month).toBe(7)
})
