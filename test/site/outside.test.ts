import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { needs } from '../support/run/needs.ts'
import { shared, temporaryFolder } from '../support/run/shared.ts'
import { htmlOf, openEveryPage } from '../support/site/everyPage.ts'

/** The Nu HTML checker: the command, or its jar (VNU_JAR) where Java is. */
const VNU = process.env.VNU_JAR ? ['java', '-jar', process.env.VNU_JAR] : ['vnu']
const HAS_VNU = spawnSync(VNU[0]!, [...VNU.slice(1), '--version']).status === 0
const HAS_LIGHTHOUSE = spawnSync('lighthouse', ['--version']).status === 0

/** The least performance, of 100, by how the path begins. */
const LEAST_PERFORMANCE = {
  '/docs/reference': 80,
  '/listings/': 95,
  '/prices/': 95,
  '/search': 95,
  '/': 95,
}
/** Not in the way of the service, which answers from this process. */
const run = promisify(execFile)
const LONGEST = { timeout: 240_000, maxBuffer: 1e9 }
const FLAGS = ['--quiet', '--output=json', '--only-categories=performance']

describe('every page', () => {
  const every = shared(openEveryPage)
  const folder = temporaryFolder()
  it('is valid for the Nu HTML checker', {
    timeout: 600_000,
    ...needs(HAS_VNU, 'vnu (install Java, and set VNU_JAR to the path of vnu.jar)'),
  }, async () => {
    for (const [n, page] of every.pages.entries())
      writeFileSync(
        join(folder, `${n}${page.name.replace(/\W+/g, '-').slice(0, 80)}.html`),
        await htmlOf(page),
      )
    const words = [...VNU.slice(1), '--errors-only', '--exit-zero-always', '--stdout', folder]
    const { stdout, stderr } = await run(VNU[0]!, words, LONGEST)
    expect(`${stdout}${stderr}`).toBe('')
  })

  it.each(Object.entries(LEAST_PERFORMANCE))(
    'at %s is fast on the phone of Lighthouse: %d or more',
    {
      timeout: 300_000,
      ...needs(HAS_LIGHTHOUSE, 'Lighthouse (npm install --global lighthouse, and set CHROME_PATH)'),
    },
    async (start, least) => {
      const page = every.pages.find(({ name }) =>
        start === '/' ? name === '/' : name.startsWith(start),
      )
      const flags = [...FLAGS, '--chrome-flags=--headless --no-sandbox']
      const report = await run('lighthouse', [page!.url, ...flags], LONGEST)
      const { categories } = JSON.parse(report.stdout) as {
        categories: { performance: { score: number } }
      }
      expect(categories.performance.score * 100).toBeGreaterThanOrEqual(least)
    },
  )
})
