import { NOW } from '../lots/fixtures.ts'
import { start, type TestService } from '../service/start.ts'
import { readPage } from './readPage.ts'
import { furnish } from './site.ts'

/** Where the crawl begins, and pages that no link leads to. */
const STARTS = [
  '/ /search?category=vehicles&zip=60601 /search?q=ford&category=electronics /search?page=0',
  '/listings/truck /listings/chair /listings/nothing /nothing-here',
].flatMap(line => line.split(' '))
/** One page of each kind, for a quick check (SMOKE=1). */
const SMOKE = [
  '/ /search?q=ford&zip=60601&radius_miles=100 /listings/truck /prices/ford-f-150 /map',
  '/docs/quickstart /account /nothing-here',
].flatMap(line => line.split(' '))
const OWNER = 'visitor@example.com'

export interface EveryPage {
  site: TestService
  /** The cookies of somebody who is signed in, as a header. */
  cookie: string
  /** The paths of all HTML pages; of those that differ only in their lot, item or filter only one. */
  paths: string[]
}

/** A furnished site with a signed-in visitor, and every page that links lead this visitor to; with SMOKE=1, eight of them. */
export async function openEveryPage(): Promise<EveryPage> {
  const site = await start({ now: NOW, linksToItself: true })
  await furnish(site.sql)
  const visitor = await site.signedIn(OWNER)
  await visitor.newKey('one')
  const cookie = visitor.cookieHeader()
  const [sale] = await site.sql<{ slug: string }[]>`select slug from lots where slug like 'sale-%' limit 1`
  const starts = [...STARTS, `/listings/${sale!.slug}`]
  return { site, cookie, paths: process.env.SMOKE ? SMOKE : await crawl(site.address, cookie, starts) }
}

async function crawl(address: string, cookie: string, starts: string[]): Promise<string[]> {
  const found = new Set<string>()
  const kinds = new Set<string>()
  const waiting = [...starts]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const kind = kindOf(new URL(path, address))
    if (kinds.has(kind) && !starts.includes(path)) continue
    if (found.has(path)) continue
    kinds.add(kind)
    const { html, headers } = await readPage(address + path, { cookie })
    const location = headers.get('location')
    if (location) waiting.push(location.replace(address, ''))
    if (location || !headers.get('content-type')?.startsWith('text/html')) continue
    found.add(path)
    for (const [, href] of html.matchAll(/<a [^>]*?href="([^"]*)"/g)) {
      const link = new URL(href!.replaceAll('&amp;', '&'), address + path)
      if (link.origin === new URL(address).origin) waiting.push(link.pathname + link.search)
    }
  }
  return [...found]
}

/** Guides and account pages are all different; of the others only the first word of the path counts. A query makes one other kind of each. */
function kindOf({ pathname, search }: URL): string {
  const path = /^\/(docs|account|demo)\b/.test(pathname)
    ? pathname.replace(/\d+/g, '*')
    : pathname.replace(/(?<=^\/[^/]+\/).*/, '*')
  return path + (search === '' ? '' : '?')
}
