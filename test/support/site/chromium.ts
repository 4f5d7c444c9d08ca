import { existsSync } from 'node:fs'
import { source as axe } from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'

const PLACES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Below the time of a test, so that it is told what was waited for. */
const LONGEST_WAIT_MS = 60_000

/** The program of an installed Chromium; null where there is none. */
const PROGRAM = PLACES.find(place => place && existsSync(place)) ?? null

/** A phone and a desktop, by day and by night: the width in px, and the colours. */
export const LOOKS = [
  [360, 'light'],
  [360, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const

export const HAS_BROWSER = PROGRAM !== null

if (!HAS_BROWSER) {
  console.error(
    'NOTE: no Chromium is installed, so the BROWSER TESTS ARE SKIPPED. Run: apt-get install chromium, or set CHROMIUM_PATH.',
  )
}

export function openBrowser(): Promise<Browser> {
  // Chromium refuses to run as root with its sandbox.
  return chromium.launch({ executablePath: PROGRAM ?? '', args: ['--no-sandbox'] })
}

/** Collects what no page may do: a request to another host, a breach of its policy, an error in its console. */
export function watch(page: Page, address: string): string[] {
  page.setDefaultTimeout(LONGEST_WAIT_MS)
  const faults: string[] = []
  page.on('request', request => {
    const url = request.url()
    if (!url.startsWith(`${address}/`) && !url.startsWith('data:')) faults.push(`asked ${url}`)
  })
  page.on('console', message => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', error => faults.push(`error: ${error.message}`))
  return faults
}

interface Finding {
  id: string
  impact: string
  nodes: { html: string; failureSummary: string }[]
}

/** What axe finds serious or critical. */
export async function findingsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const { violations } = (await page.evaluate('axe.run()')) as { violations: Finding[] }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
}
