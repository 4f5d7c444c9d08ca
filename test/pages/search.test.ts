import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NOW } from '../support/lots/fixtures.ts'
import { FINDINGS, insertSearchWorld, WORDS } from '../support/lots/searchWorld.ts'
import { startApi, type TestApi } from '../support/service/api.ts'
import { readPage } from '../support/site/readPage.ts'

const slugsOf = (html: string) =>
  [...html.matchAll(/<h3><a href="\/listings\/([^"]*)"/g)].map(([, slug]) => slug)

let api: TestApi

beforeAll(async () => {
  api = await startApi()
  await insertSearchWorld(api.sql)
})
beforeEach(() => {
  api.clock.now = NOW
})
afterAll(() => api.close())

const search = (query: string) => readPage(`${api.address}/search?${query}`.replace(/\?$/, ''))

describe('the search page', () => {
  it.each(FINDINGS)('finds with "%s" what the API finds', async (query, found) => {
    const { status, html } = await search(query)
    expect([status, slugsOf(html)]).toEqual([200, found])
  })

  it('finds with any words what the API finds', async () => {
    for (const [words, found] of WORDS) {
      const { html } = await search(`q=${encodeURIComponent(words)}`)
      expect([words, slugsOf(html)]).toEqual([words, found])
    }
  })

  it('shows the search again in its form, every field with its label', async () => {
    const { html } = await search(
      'q=%22f+150%22+%3Cb%3E&category=vehicles&state=il&sort=newest&source=gsa&zip=60601&radius_miles=20&price_min=1&price_max=9000.5&closing_within_hours=48&min_flip_score=61&no_bids=false&buy_now=true',
    )
    expect(html).toContain('value="&quot;f 150&quot; &lt;b&gt;"')
    for (const chosen of ['vehicles', 'IL', 'newest', 'gsa']) {
      expect(html).toContain(`<option value="${chosen}" selected>`)
    }
    for (const value of ['60601', '20', '1', '9000.5', '48', '61']) expect(html).toContain(`value="${value}"`)
    expect(html).toContain('name="buy_now" value="true" checked')
    expect(html).not.toContain('name="no_bids" value="true" checked')
    const ids = [...html.matchAll(/<(?:input|select) id="([^"]*)"/g)].map(([, id]) => id)
    expect(ids).toHaveLength(11)
    for (const id of ids) expect(html).toContain(`<label for="${id}">`)
  })

  it('303 to the address without the fields that a form sends empty', async () => {
    const { status, headers } = await search('q=&category=vehicles&state=&zip=&sort=')
    expect([status, headers.get('location')]).toEqual([303, '/search?category=vehicles'])
    expect((await search('q=')).headers.get('location')).toBe('/search')
  })

  it('leads through its pages, and says so past the last one', async () => {
    const first = await search('per_page=4&sort=price_low')
    expect(first.html).toContain('<a rel="next" href="/search?per_page=4&amp;sort=price_low&amp;page=2">')
    expect(first.html).not.toContain('rel="prev"')
    const second = await search('per_page=4&sort=price_low&page=2')
    expect(second.html).toContain('<a rel="prev" href="/search?per_page=4&amp;sort=price_low">')
    expect(second.html).not.toContain('rel="next"')
    expect([...slugsOf(first.html), ...slugsOf(second.html)]).toHaveLength(6)
    const past = await search('per_page=4&page=9')
    expect(past.words).toContain('6 live lots This page is past the last one. Go to page 2, the last page')
    const beyond = await search('per_page=4&page=201')
    expect([beyond.status, beyond.headers.get('location')]).toEqual([302, '/search?per_page=4&page=200'])
    const last = await search('per_page=4&page=200')
    expect(last.html).toContain('<a href="/search?per_page=4&amp;page=2">Go to page 2, the last page</a>')
    expect(past.html).toContain('<a rel="prev" href="/search?per_page=4&amp;page=2">')
  })

  it('says what to drop when nothing fits, with what that would find, most first', async () => {
    const { words, html } = await search('q=ford&category=electronics&price_max=9999')
    expect(words).toContain('No matching lots')
    expect(words).toMatch(/Drop the words “ford” : 1 lot Drop Electronics : 1 lot/)
    expect(html).toContain('href="/search?category=electronics&amp;price_max=9999"')
    expect(words).not.toContain('Drop up to')
  })

  it('asks whether another spelling was meant when nothing fits and that one finds something', async () => {
    const { words, html } = await search('q=toyota+frklift&page=2')
    expect(words).toContain('No matching lots Did you mean toyota forklift ?')
    expect(html).toContain('<a href="/search?q=toyota+forklift">')
  })

  it('says when no single filter stands in the way', async () => {
    const { words } = await search('q=ford&category=electronics&state=PR')
    expect(words).toContain('No single filter is the cause')
  })

  it('keeps addresses: canonical, its feeds, and the same call of the API', async () => {
    const { html } = await search('category=vehicles&page=1')
    expect(html).toContain(
      '<link rel="canonical" href="http://surplus.test/search?category=vehicles&amp;page=1">',
    )
    expect(html).toContain(
      'type="application/rss+xml" title="This search as RSS" href="/feeds/listings.rss?category=vehicles">',
    )
    expect(html).toContain('href="/feeds/listings.json?category=vehicles">')
    expect(html).toContain('GET /api/v1/listings?category=vehicles&amp;page=1')
  })
})

const REFUSED: [query: string, said: string][] = [
  ['page=0', '"page" must be a whole number from 1 to 200, such as 1.'],
  ['page=1e3', '"page" must be a whole number from 1 to 200, such as 1.'],
  ['per_page=51', '"per_page" must be a whole number from 1 to 50, such as 20.'],
  ['category=boats', '"category" must be one of vehicles, heavy-equipment,'],
  ['sort=best', '"sort" must be one of ending_soon,'],
  ['zip=1234', '"zip" must be written like 60601.'],
  ['zip=abcde', '"zip" must be written like 60601.'],
  ['zip=00000', '"zip": there is no ZIP code 00000.'],
  ['state=I', '"state" must be written like IL.'],
  ['radius_miles=201&zip=60601', '"radius_miles" must be a whole number from 1 to 200, such as 50.'],
  ['price_min=-1', '"price_min" must be a number from 0 to 1000000000, such as 100.'],
  ['price_min=9&price_max=1', '"price_min" (9) must not be above "price_max" (1).'],
  ['no_bids=yes', '"no_bids" must be true or false.'],
  ['q=a&q=b', '"q" is given more than once.'],
  [`q=${'x'.repeat(201)}`, '"q" must be a text of 1 to 200 characters.'],
  ['q=%00', '"q" must not contain a NUL character.'],
  ['q=%ff', '"q" must be valid Unicode text, encoded as UTF-8.'],
]

describe('a search that cannot be read', () => {
  it.each(REFUSED)('400 for %s, with the form and what is wrong', async (query, said) => {
    const { status, words, html } = await search(query)
    expect(status).toBe(400)
    expect(words).toContain(said)
    expect(html).toContain('role="alert"')
    expect(html).toContain('<form class="search"')
  })

  it.each(REFUSED)(
    '400 invalid_request with the same words for a program that sends %s',
    async (query, said) => {
      for (const path of ['/search', '/feeds/listings.rss', '/feeds/listings.json']) {
        const { status, body } = await api.get(`${path}?${query}`, { key: null })
        expect([status, body.code]).toEqual([400, 'invalid_request'])
        expect(body.error).toContain(said)
      }
    },
  )
})
