import { existsSync } from 'node:fs'
import { source as axe } from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { NOW } from '../lots/fixtures.ts'
import { needs } from '../run/needs.ts'
import { shared } from '../run/shared.ts'

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

const PHOTO_HOST = 'https://www.gsaauctions.gov'
const LATE_MS = 500
/** Photos at a source that answers, upright and lying, that refuses, and that takes its time. */
export const PHOTOS = ['lying', 'refused', 'upright', 'late'].map(
  kind => `${PHOTO_HOST}/${kind}.svg`,
)

export const HAS_BROWSER = PROGRAM !== null

/** The options of the tests in Chromium. */
export const IN_BROWSER = needs(
  PROGRAM,
  'Chromium (apt-get install chromium, or set CHROMIUM_PATH)',
)

export function openBrowser(): Promise<Browser> {
  // Chromium refuses to run as root with its sandbox.
  return chromium.launch({ executablePath: PROGRAM ?? '', args: ['--no-sandbox'] })
}

/** A browser for the tests of a file or of a `describe`. */
export function browserFor(): Browser {
  return shared(openBrowser)
}

/** A window at the moment of the fixtures, before which a source of photos stands in. */
export async function openWindow(
  browser: Browser,
  options: { width: number; height?: number; colorScheme?: 'light' | 'dark' },
): Promise<BrowserContext> {
  const { width, height = 900, colorScheme = 'light' } = options
  const context = await browser.newContext({ viewport: { width, height }, colorScheme })
  await context.clock.setFixedTime(NOW)
  await context.route(`${PHOTO_HOST}/**`, async (route, request) => {
    if (request.url().includes('refused')) return route.fulfill({ status: 401 })
    if (request.url().includes('late')) await new Promise(resolve => setTimeout(resolve, LATE_MS))
    const [wide, high] = request.url().includes('upright') ? [300, 600] : [800, 500]
    const body = `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}"><rect width="100%" height="100%" fill="#678"/></svg>`
    await route.fulfill({ contentType: 'image/svg+xml', body }).catch(() => {})
  })
  return context
}

/** Waits until every photo, also one far below, has come or was refused. */
export async function loadPhotos(page: Page): Promise<void> {
  await page.evaluate(`for (const image of document.images) image.loading = 'eager'
    Promise.allSettled([...document.images].map(image => image.decode()))`)
}

/**
 * Counts from the start of a page how far its parts move without being asked to (the layout shift
 * of the Web Vitals).
 */
export const COUNT_SHIFTS = `window.shifts = 0
new PerformanceObserver(list => { for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifts += value })
  .observe({ type: 'layout-shift', buffered: true })`

/**
 * Collects what no page may do: a request to another host, a breach of its policy, an error in its
 * console.
 */
export function watch(page: Page, address: string): string[] {
  page.setDefaultTimeout(LONGEST_WAIT_MS)
  const faults: string[] = []
  page.on('request', request => {
    const url = request.url()
    if (![`${address}/`, 'data:', `${PHOTO_HOST}/`].some(start => url.startsWith(start)))
      faults.push(`asked ${url}`)
  })
  page.on('console', message => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', error => faults.push(`error: ${error.message}`))
  return faults
}

interface Finding {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

/** What axe finds. @param rules only these; absent: all. */
export async function findingsOf(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe)
  const options = rules ? { runOnly: rules } : {}
  const run = `axe.run(document, ${JSON.stringify(options)})`
  const { violations } = (await page.evaluate(run)) as { violations: Finding[] }
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
}
