import { describe, expect, it } from 'vitest'
import { serviceFor } from '../support/service/start.ts'
import { readPage } from '../support/site/readPage.ts'

const api = serviceFor()

async function leadsTo(path: string): Promise<[status: number, location: string | null]> {
  const { status, headers } = await readPage(api.address + path)
  return [status, headers.get('location')]
}

describe('a shared address', () => {
  it.each([
    ['/?utm_source=mail&utm_campaign=x', '/'],
    ['/search?utm_source=mail&q=ford+truck&fbclid=abc&state=TX', '/search?q=ford+truck&state=TX'],
    ['/search?q=%22ford%20f-150%22&gclid=1', '/search?q=%22ford%20f-150%22'],
    ['/search?colour=red', '/search'],
    ['/search?__proto__=1&%FF=1', '/search'],
    ['/listings/a-lot?fbclid=abc', '/listings/a-lot'],
    ['/docs/errors?ref=x', '/docs/errors'],
    ['/pricing?gclid=1', '/pricing'],
  ])('%s leads to %s, without what the page does not know', async (path, target) => {
    expect(await leadsTo(path)).toEqual([302, target])
    expect((await leadsTo(target))[0]).not.toBe(302)
  })

  it('also leads there for HEAD, and for programs that prefer JSON', async () => {
    const asked = { method: 'HEAD', redirect: 'manual' } as const
    const { status, headers } = await fetch(`${api.address}/pricing?gclid=1`, asked)
    expect([status, headers.get('location')]).toEqual([302, '/pricing'])
  })

  it.each([
    [
      '/feeds/listings.rss?utm_source=reader&category=vehicles&fbclid=x',
      '/feeds/listings.rss?category=vehicles',
    ],
    ['/feeds/listings.json?UTM_Medium=feed&gclid=1', '/feeds/listings.json'],
    [
      '/feeds/listings.rss?mtm_source=x&mkt_tok=y&hsa_acc=1&pk_kwd=z&ref_src=w',
      '/feeds/listings.rss',
    ],
    ['/feeds/listings.rss?state=TX&ref=newsletter', '/feeds/listings.rss?state=TX'],
  ])('of a feed loses what tracks visits: %s', async (path, target) => {
    expect(await leadsTo(path)).toEqual([302, target])
    expect((await leadsTo(target))[0]).toBe(200)
  })

  it('keeps the strict parameters of the API and of feeds', async () => {
    expect((await leadsTo('/feeds/listings.rss?sate=TX'))[0]).toBe(400)
    expect((await leadsTo('/feeds/listings.rss?sate=TX&utm_source=x'))[1]).toBe(
      '/feeds/listings.rss?sate=TX',
    )
    expect((await leadsTo('/api/v1/listings?utm_source=x'))[0]).toBe(401)
  })
})

describe('a typed address', () => {
  it.each([
    ['/docs/', '/docs'],
    ['/Search/?q=Ford', '/search?q=Ford'],
    ['/PRICING', '/pricing'],
    ['//docs//errors/', '/docs/errors'],
  ])('%s leads to %s, which exists', async (path, target) => {
    expect(await leadsTo(path)).toEqual([302, target])
    expect((await leadsTo(target))[0]).toBe(200)
  })

  it.each([
    '//evil.example/?utm_source=x',
    '//evil.example/search/?utm_source=x',
    '/\\evil.example/',
    '//evil.example/docs/',
    '/account/sign-in/link/?token=aB',
    '/feeds/alerts/aB.rss/',
    '/feeds/alerts/aB.RSS',
    '/healthz/',
    '/API/v1/listings/',
  ])('%s leads nowhere else', async path => {
    expect(await leadsTo(path)).toEqual([404, null])
  })

  it('without a page gets a page with a search box, in words for people', async () => {
    const { status, headers, html, words } = await readPage(`${api.address}/nothing-here`)
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(html).toContain('href="/docs/errors#not_found"')
    expect(words).toContain('There is no page at this address.')
    expect(words).not.toContain('openapi.yaml')
    expect(html).toContain('<form class="search-box" action="/search"')
    const ways = /<p>Or go on to ([\s\S]*?)<\/p>/.exec(html)?.[1] ?? ''
    for (const path of ['/', '/search', '/pricing', '/docs', '/account/sign-in'])
      expect(ways).toContain(`<a href="${path}">`)
    const lot = await readPage(`${api.address}/listings/gone`)
    expect([lot.status, lot.html.includes('class="search-box"')]).toEqual([404, true])
    expect(lot.words).toContain('No listing has the id or slug "gone".')
    for (const path of ['/listings/gone', '/api/v1/nothing']) {
      const { status, body } = await api.get(path, { key: null })
      expect([status, body.code], 'for a program').toEqual([404, 'not_found'])
    }
  })
})
