import { unsubscribeToken } from '../../../src/domain/alerts/savedSearch.ts'
import { NOW } from '../lots/fixtures.ts'
import { handMadeClient } from '../mcp/agentClients.ts'
import { start, type TestService } from '../service/start.ts'
import { PEPPER } from '../service/testSettings.ts'
import { insertAlertRows } from './accountRows.ts'
import type { FormBrowser } from './formBrowser.ts'
import { insertLotStates } from './lotStates.ts'
import { readPage } from './readPage.ts'
import { routesOf } from './routes.ts'
import { furnish } from './site.ts'

/** Where the crawl begins, and pages that no link leads to. */
const STARTS = [
  '/ /search?category=vehicles&zip=60601 /search?q=ford&category=electronics /search?q=ford',
  '/listings/truck /listings/chair /listings/nothing /nothing-here /prices/ford-f-150 /lots/illinois/vehicles',
  '/lots/illinois /account?plan=pro /account/deleted /account/sign-in/link?token=old',
].flatMap(line => line.split(' '))
/** One page of each kind, for a quick check (SMOKE=1). */
const SMOKE = [
  '/ /search?category=vehicles&zip=60601 /listings/truck /prices/ford-f-150',
  '/docs/quickstart /account /nothing-here',
].flatMap(line => line.split(' '))
const OWNER = 'visitor@example.com'

/** A page of a kind or in a state of its own. */
export interface SitePage {
  /** Its path, and who looks at it where that is not somebody who is signed in. */
  name: string
  url: string
  /** The cookies of the visitor, as a header. */
  cookie: string
  /** The answer to a form, which no address has. */
  answer?: string
}

export interface EveryPage {
  /** The service with live data. */
  address: string
  pages: SitePage[]
  /** The patterns of pages that nothing led to. */
  missed: string[]
  close(): Promise<void>
}

/**
 * A furnished site with a signed-in visitor, a stranger and a demo service, and every page that
 * they can reach; with SMOKE=1, eight of them.
 */
export async function openEveryPage(): Promise<EveryPage> {
  const site = await start({
    now: NOW,
    linksToItself: true,
    signsInAgents: true,
    settings: { contactEmail: 'hello@example.com' },
  })
  const slugs = await insertLotStates(site.sql)
  const visitor = await site.signedIn(OWNER)
  const cookie = visitor.cookieHeader()
  const pageAt = (path: string): SitePage => ({ name: path, url: site.address + path, cookie })
  if (process.env.SMOKE)
    return { address: site.address, pages: SMOKE.map(pageAt), missed: [], close: site.close }
  const routes = routesOf(site.app)
  const starts = [
    ...STARTS,
    ...slugs.map(slug => `/listings/${slug}`),
    ...(await oneSale(site)),
    ...(await pathsOfAccount(site, visitor)),
    await pathOfConsent(site.deps.agentsUrl!),
  ]
  const demo = await demoSite()
  const pages = [
    ...(await crawl(site.address, cookie, starts, routes.patternAt)).map(pageAt),
    ...(await answersToForms(site, visitor)),
    ...pagesOf(site.address, 'a stranger', [
      '/',
      '/listings/truck',
      '/account/sign-in?next=/account/alerts',
    ]),
    ...pagesOf(demo.address, 'the demo', ['/', '/search', '/demo/mailbox']),
  ]
  const reached = new Set(pages.map(({ url }) => routes.patternAt(new URL(url).pathname)))
  return {
    address: site.address,
    pages,
    missed: routes.pages.filter(pattern => !reached.has(pattern)),
    close: async () => {
      await site.close()
      await demo.close()
    },
  }
}

function pagesOf(address: string, whose: string, paths: string[]): SitePage[] {
  return paths.map(path => ({ name: `${path} of ${whose}`, url: address + path, cookie: '' }))
}

async function oneSale({ sql }: TestService): Promise<string[]> {
  const sales = await sql<
    { slug: string }[]
  >`select slug from lots where slug like 'sale-%' limit 1`
  return sales.map(({ slug }) => `/listings/${slug}`)
}

/** A key with calls, alerts, and what is mailed: the pages whose address only this visitor has. */
async function pathsOfAccount(site: TestService, visitor: FormBrowser): Promise<string[]> {
  const made = await (await visitor.open('/account')).form('/account/keys').submit({ name: 'one' })
  const key = await visitor.newKey('two')
  for (const path of ['/sources', '/listings?state=TX', '/listings?sate=TX', '/export'])
    await fetch(`${site.address}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } })
  const account = await insertAlertRows(site.sql, OWNER)
  const [search] = await site.sql<
    { id: number }[]
  >`select id from saved_searches where account_id = ${account}`
  await (await visitor.open('/account/settings'))
    .form('/account/address')
    .submit({ address: 'other@example.com' })
  const [, change = ''] =
    /"link":"[^"]*?(\/account\/address\/confirm\?token=[\w-]+)"/.exec(site.log()) ?? []
  await (await visitor.open('/account/costs')).form('/account/costs').submit({ buyer_zip: '60601' })
  await site.browser().submit('/account/sign-in', { address: 'somebody@example.com' })
  return [
    ...[String(made.headers.location), change, site.loggedLink(), '/account/keys/0'],
    `/alerts/unsubscribe/${unsubscribeToken(PEPPER, search!.id)}`,
  ]
}

/** Where an agent that signs in sends its user. */
async function pathOfConsent(agentsUrl: string): Promise<string> {
  const client = handMadeClient(agentsUrl)
  const { body } = await client.register()
  const { headers } = await fetch(client.authorize(body.client_id!), { redirect: 'manual' })
  const { pathname, search } = new URL(headers.get('location')!)
  return pathname + search
}

/** The pages that answer a form: an invalid one and, at the sign-in, a valid one. */
async function answersToForms(
  { address, browser }: TestService,
  visitor: FormBrowser,
): Promise<SitePage[]> {
  const forms: [name: string, FormBrowser, path: string, fields: Record<string, string>][] = [
    ['check your mail', browser(), '/account/sign-in', { address: 'somebody@example.com' }],
    ['sign-in refused', browser(), '/account/sign-in', { address: 'nobody' }],
    ['alert refused', visitor, '/account/alerts', { form_token: visitor.formToken(), name: '' }],
  ]
  return Promise.all(
    forms.map(async ([name, sender, path, fields]) => {
      const { body } = await sender.submit(path, fields)
      return { name, url: address + path, cookie: '', answer: body }
    }),
  )
}

/** The service with generated data: its banner, and its mailbox with two mails. */
async function demoSite() {
  const site = await start({ now: NOW, linksToItself: true })
  await furnish(site.sql)
  await site.sql`update data_version set kind = 'demo'`
  site.deps.data.kind = 'demo'
  for (const name of ['one', 'two'])
    await site.browser().submit('/account/sign-in', { address: `${name}@example.com` })
  return site
}

async function crawl(
  address: string,
  cookie: string,
  starts: string[],
  patternAt: (path: string) => string | null,
): Promise<string[]> {
  const paths = new Set<string>()
  const kinds = new Set<string>()
  const waiting = [...starts]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const { pathname, search } = new URL(path, address)
    const pattern = patternAt(pathname)
    // A query makes one other kind of each page.
    const kind = pattern + (search === '' ? '' : '?')
    if (paths.has(path) || (kinds.has(kind) && !starts.includes(path))) continue
    kinds.add(kind)
    const { html, headers } = await readPage(address + path, { cookie })
    const location = headers.get('location')
    if (location) waiting.push(location.replace(address, ''))
    if (location || !headers.get('content-type')?.startsWith('text/html')) continue
    paths.add(path)
    for (const [, href] of html.matchAll(/<a [^>]*?href="([^"]*)"/g)) {
      const link = new URL(href!.replaceAll('&amp;', '&'), address + path)
      if (link.origin === new URL(address).origin) waiting.push(link.pathname + link.search)
    }
  }
  return [...paths]
}

/** The HTML of a page, as it is sent. */
export async function htmlOf({ url, cookie, answer }: SitePage): Promise<string> {
  return answer ?? (await readPage(url, { cookie })).html
}
