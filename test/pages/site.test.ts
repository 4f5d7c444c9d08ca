import { describe, expect, it } from 'vitest'
import { ERRORS } from '../../src/contract/errors.ts'
import { PLAN_IDS, PLANS } from '../../src/contract/plans.ts'
import { PHOTO_HOSTS } from '../../src/domain/photos.ts'
import { GUIDES } from '../../src/pages/docs/guides.ts'
import { securityText } from '../../src/pages/feeds/sitemap.ts'
import { contract } from '../support/contract/contract.ts'
import { NOW } from '../support/lots/fixtures.ts'
import { forOneTest } from '../support/run/shared.ts'
import { serviceFor, start } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'
import { readPage } from '../support/site/readPage.ts'

const PAGES = [
  ...['/', '/search', '/docs', '/pricing', '/prices', '/accuracy', '/sources', '/status'],
  ...GUIDES.map(({ path }) => path),
]
const LARGEST_BYTES = 100_000

const api = serviceFor()

const read = (path: string) => readPage(api.address + path)
const stylesOf = (html: string) =>
  [...html.matchAll(/<link rel="stylesheet" href="([^"]*)"/g)].map(([, path]) => path!)

describe('every page', () => {
  it.each(PAGES)(
    '%s is small, has one style sheet, a policy for its own scripts and the hosts of photos, a title, a description and its canonical address',
    async path => {
      const { status, html, headers } = await read(path)
      expect(status).toBe(200)
      expect(Buffer.byteLength(html)).toBeLessThan(LARGEST_BYTES)
      expect(stylesOf(html)).toHaveLength(1)
      expect(html).toMatch(/<html lang="en">/)
      expect(html).toMatch(/<title>[^<]+<\/title>/)
      expect(html).toMatch(/<meta name="description" content="[^"]{20,}">/)
      expect(html).toMatch(/<meta property="og:title" content="[^"]+">/)
      expect(html).toContain(`<link rel="canonical" href="${PUBLIC_URL}${path}">`)
      const again = await readPage(api.address + path, { 'If-None-Match': headers.get('etag')! })
      expect(again.status, 'while it stays the same').toBe(304)

      const policy = headers.get('content-security-policy')!
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self';")
      for (const [tag] of html.matchAll(/<script(?! type="application\/ld\+json")[^>]*>/g))
        expect(tag).toMatch(/ src="\/assets\//)
      const pictures = /(img-src [^;]*)/.exec(policy)?.[1] ?? ''
      expect(policy.replace(pictures, '')).not.toMatch(/unsafe-eval|https?:|\*/)
      if (path !== '/docs/reference')
        expect(pictures).toBe(
          `img-src 'self' data: ${PHOTO_HOSTS.map(host => `https://${host}`).join(' ')}`,
        )
    },
  )

  it('has its style sheet under an address that changes with the content, kept for a year', async () => {
    const [path] = stylesOf((await read('/')).html)
    const { status, headers, html } = await read(path!)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(html).toContain('prefers-color-scheme: dark')
    expect((await read(path!.replace(/[0-9a-f]{12}/, '000000000000'))).status).toBe(404)
    const plain = await fetch(api.address + path, { headers: { 'Accept-Encoding': 'identity' } })
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, html])
  })

  it('has an icon of its own', async () => {
    const { status, headers } = await read('/favicon.svg')
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    const png = await fetch(`${api.address}/apple-touch-icon.png`)
    expect([png.status, png.headers.get('content-type')]).toEqual([200, 'image/png'])
  })
})

it('every page leads to the main ones in its footer, and the front page to prices', async () => {
  const { html } = await read('/pricing')
  const footer = html.slice(html.indexOf('<footer'))
  for (const path of ['/accuracy', '/sources', '/status', '/prices', '/data', '/account/alerts'])
    expect(footer).toContain(`<a href="${path}">`)
  const front = (await read('/')).html
  expect(front).toContain('<a href="/prices">What surplus sells for</a>')
})

describe('the guides', () => {
  it('tell the errors from the table that the service answers with', async () => {
    const { words, html } = await read('/docs/errors')
    expect(html, 'where a key is made').toContain('href="/account"')
    for (const [code, { status, condition, remedy }] of Object.entries(ERRORS)) {
      expect(words).toContain(`${code} ${status} ${condition} ${remedy}`)
    }
  })

  it('tell the limits from the table that enforces them', async () => {
    const { words } = await read('/docs/authentication')
    for (const plan of PLAN_IDS) {
      const { name, calls_per_month, calls_per_minute } = PLANS[plan]
      expect(words).toContain(
        `${name} ${calls_per_month.toLocaleString('en-US')} ${calls_per_minute}`,
      )
    }
    expect(words).toContain('GET /api/v1/comps?listing_id=… Pro')
    expect(words).toContain('GET /api/v1/export Pro+')
  })

  it('show the document of the Flip Score, tables, formulas and sections', async () => {
    const { html, words } = await read('/docs/flip-score')
    expect(html).toContain('<h1 dir="auto">The Flip Score: how it is calculated</h1>')
    expect(html).toContain('<h2 id="a-worked-example">')
    expect(html).toContain('<code>price_points</code>')
    expect(words).toMatch(/condition points 0 Flip Score \d\d /)
  })

  it('stand in llms.txt, each with its address', async () => {
    const { html, headers } = await read('/llms.txt')
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    for (const { path, title } of GUIDES) expect(html).toContain(`[${title}](${PUBLIC_URL}${path})`)
    expect(html).toMatch(/^# .+\n\n> .+\n/)
  })
})

describe('/pricing', () => {
  it('has no button for a plan that nobody sells, what each includes from the contract, and says which calls count', async () => {
    const { html, words } = await read('/pricing')
    expect(html.match(/<a class="action" href="[^"]*"/g)).toEqual([
      '<a class="action" href="/account"',
    ])
    expect(words).toMatch(/Single past sales – Yes Yes Yes/)
    expect(words).toMatch(/CSV export of a search – – Yes Yes/)
    expect(words).toContain('Alerts: saved searches and watched lots 3 10 50 500')
    expect(words).toContain('Alerts by email Once a day Once a day Instantly Instantly')
    expect(words).toMatch(/Webhook endpoints – – 5 20/)
    for (const id of ['counts', 'overage', 'cancel', 'refund'])
      expect(html).toContain(`<h3 id="${id}">`)
    expect(words).toContain('a 304 answer, and one whose connection you close')
  })
})

describe('/.well-known/security.txt', () => {
  it.each([
    '/openapi.json',
    '/openapi-3.0.json',
    '/api/v1/mcp/server-card',
    '/docs/security',
    '/docs/security.md',
    '/pricing',
  ])('%s names no address where the operator has set none', async path => {
    expect((await read(path)).html).not.toMatch(/[\w.]+@[\w.]+\.example/)
  })

  it('says where to report, until when that holds, and by which policy (RFC 9116)', async () => {
    const { status, headers, html: text } = await read('/.well-known/security.txt')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    const fields = text
      .trimEnd()
      .split('\n')
      .map(line => line.split(/: (.*)/).slice(0, 2) as [string, string])
    expect(fields.map(([name]) => name).join()).toBe(
      'Contact,Expires,Preferred-Languages,Canonical,Policy',
    )
    const told = Object.fromEntries(fields)
    expect(told.Contact).toBe(told.Policy)
    expect(told.Expires).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const days = (Date.parse(told.Expires!) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(30)
    expect(days, 'the RFC recommends less than a year').toBeLessThan(366)
    expect(told.Canonical).toBe(`${PUBLIC_URL}/.well-known/security.txt`)
    const policy = await read(told.Policy!.slice(PUBLIC_URL.length))
    expect(policy.status).toBe(200)
    expect(policy.words).toContain('Write to the operator of this service')
  })

  it('names the contact of the operator where one is set', async () => {
    const named = await forOneTest(start({ settings: { contactEmail: 'ops@a.example' } }))
    expect((await named.read('/openapi.json', { key: null })).info.contact.email).toBe(
      'ops@a.example',
    )
    expect((await readPage(`${named.address}/docs/security`)).words).toContain(
      'Write to ops@a.example',
    )
    const now = new Date('2026-11-21T12:00:00.123Z')
    expect(securityText('https://a.example', 'ops@a.example', now)).toBe(
      'Contact: mailto:ops@a.example\nExpires: 2027-05-20T12:00:00Z\nPreferred-Languages: en\nCanonical: https://a.example/.well-known/security.txt\nPolicy: https://a.example/docs/security\n',
    )
  })
})

describe('the API reference', () => {
  it('has its introduction and every operation without a script: listings first, agents last', async () => {
    const { html, words } = await read('/docs/reference')
    expect(html).not.toMatch(/<noscript|src="[^"]*scalar/)
    expect(words).toContain('A read-only JSON API over US government surplus auctions.')
    expect(words).toContain('get a free key')
    const { operations } = contract
    for (const { method, path } of operations)
      expect(html).toContain(`<code>${method.toUpperCase()} ${path}</code>`)
    const tags = [...html.matchAll(/<h2>(\w+)<\/h2><ul class="operations">/g)].map(([, tag]) => tag)
    expect([tags[0], tags.at(-1)]).toEqual(['Listings', 'Agents'])
  })

  it('has the demo key while the data are demo data, and never else', async () => {
    const site = await forOneTest(
      start({ now: NOW, linksToItself: true, settings: { demoKey: 'bp_live_demo' } }),
    )
    const key = async () =>
      (await readPage(`${site.address}/docs/reference`)).words.includes('bp_live_demo')
    expect(await key()).toBe(false)
    site.deps.data.kind = 'demo'
    expect(await key()).toBe(true)
  })
})

describe('errors for a browser', () => {
  it('503 with Retry-After while the database is away; pages without lots stay', async () => {
    const away = await forOneTest(start({ unreachable: true }))
    for (const path of ['/search', '/listings/x', '/sitemaps/listings-0.xml']) {
      const { status, headers, words } = await readPage(away.address + path)
      expect([path, status]).toEqual([path, 503])
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect(words).not.toMatch(/ECONN|127\.0\.0\.1|postgres/)
    }
    for (const path of ['/', '/docs', '/pricing', '/docs/reference']) {
      expect([path, (await readPage(away.address + path)).status]).toEqual([path, 200])
    }
  })

  it('429 when one address opens more pages that read the database than it may, also missing ones; the API and the guides go on', async () => {
    const limited = await forOneTest(start({ settings: { pagesPerMinute: 3 } }))
    const open = (path: string) => readPage(limited.address + path)
    for (const path of ['/search', '/', '/feeds/listings.rss'])
      expect([path, (await open(path)).status]).toEqual([path, 200])
    for (const path of ['/search', '/listings/x', '/nothing', '/account'])
      expect([path, (await open(path)).status]).toEqual([path, 429])
    const refused = await open('/search')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect(refused.words).toContain('This address has opened 3 pages within a minute')
    expect((await open('/docs')).status).toBe(200)
    expect((await limited.get('/api/v1/listings')).status).toBe(200)
  })

  it('429 when the blocks of an IPv6 /56 open four times as many pages as each of them may', async () => {
    const limited = await forOneTest(start({ settings: { pagesPerMinute: 3, trustProxyHops: 1 } }))
    const open = async (address: string) =>
      (
        await limited.ask({
          method: 'GET',
          path: '/search',
          headers: { 'x-forwarded-for': address },
        })
      ).status
    const statuses = []
    for (const block of ['00', '01', '02', '03', '04'])
      for (let n = 0; n < 3; n++) statuses.push(await open(`2001:db8:0:5${block}::1`))
    expect(statuses).toEqual([...Array(12).fill(200), ...Array(3).fill(429)])
    expect([await open('2001:db8:0:500::1'), await open('2001:db8:0:600::1')]).toEqual([429, 200])
  })
})
