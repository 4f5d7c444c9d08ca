import { beforeAll, describe, expect, it } from 'vitest'
import { NOW } from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'
import { type ReadPage, readPage } from '../support/site/readPage.ts'
import { furnish } from '../support/site/site.ts'

const MOST_PAGES = 2_000

const site = serviceFor({ now: NOW, linksToItself: true })

beforeAll(async () => {
  await furnish(site.sql)
})

/** Links that robots are asked not to follow: a search can be narrowed in thousands of ways. */
const NOT_FOLLOWED = /<a [^>]*rel="nofollow"[^>]*>/g

/** The addresses in links, feeds, style sheets and forms of a page, as a browser reads them. */
function addressesOn(html: string, base: string): string[] {
  const written = [...html.matchAll(/\s(?:href|action|src)="([^"]*)"/g)].map(
    ([, address]) => address!,
  )
  return written.map(address => new URL(address.replaceAll('&amp;', '&'), base).href)
}

describe('the site', () => {
  it('answers at every link on every page, anchors too, and names no other host but by https, of a lot or of a program', async () => {
    const pages = new Map<string, ReadPage>()
    /** Answered, but its links are not followed. */
    const narrowed = new Set<string>()
    const faults: string[] = []
    const waiting = [site.address, `${site.address}/sitemap.xml`, `${site.address}/llms.txt`]
    for (let link = waiting.pop(); link; link = waiting.pop()) {
      const [address = '', anchor] = link.split('#')
      if (!address.startsWith(site.address)) {
        if (!/^(https:\/\/|mailto:|cursor:|vscode:|http:\/\/auctions\.example\/)/.test(address))
          faults.push(`${link} leads away`)
        continue
      }
      // Each lot from one search: the page is the same from every other.
      const name = address.replace(/(\/listings\/[^?]*\?from)=.*/, '$1')
      let page = pages.get(name)
      if (!page) {
        page = await readPage(address)
        pages.set(name, page)
        const location = page.headers.get('location')
        if (page.status === 303 && location) waiting.push(new URL(location, address).href)
        else if (page.status !== 200) faults.push(`${address} answers ${page.status}`)
        if (/html/.test(page.headers.get('content-type') ?? '')) {
          const isLast = narrowed.has(address)
          const links = page.html.match(NOT_FOLLOWED)?.join('') ?? ''
          if (!isLast) for (const way of addressesOn(links, address)) narrowed.add(way)
          if (!isLast) waiting.push(...addressesOn(page.html, address))
        }
        if (pages.size > MOST_PAGES) throw new Error(`There are more than ${MOST_PAGES} pages.`)
      }
      if (anchor && !page.html.includes(`id="${anchor}"`))
        faults.push(`${link} has no such section`)
    }
    expect(faults).toEqual([])
    expect(
      [...pages.keys()].filter(address => address.includes('/listings/')).length,
    ).toBeGreaterThan(5)
    expect(pages.size).toBeGreaterThan(40)
  })
})
