import express, { type Router } from 'express'
import type { Contract } from '../contract/document.ts'
import { readStatus, showSources } from '../usecases/site/serviceStatus.ts'
import { accuracyOfEstimates } from '../usecases/valuation/readAppraisal.ts'
import { placeholders } from './docs/contractTables.ts'
import { guideSearch } from './docs/findSections.ts'
import { allGuides, docsPage, guideMarkdown, guidePage, readGuides } from './docs/guides.ts'
import { pricingPage } from './docs/pricing.ts'
import { reference } from './docs/reference.ts'
import { feedRoutes } from './feeds/routes.ts'
import { llmsText, pagesSitemap, robots, securityText, sitemapIndex } from './feeds/sitemap.ts'
import { queryOf } from './kit/requests.ts'
import { sendPage, sendText } from './kit/sendPage.ts'
import type { Site } from './kit/site.ts'
import { siteFiles } from './kit/staticFiles.ts'
import { sendMap } from './lots/mapPage.ts'
import { lotRoutes } from './lots/routes.ts'
import { priceRoutes } from './prices/routes.ts'
import { tidyAddresses } from './tidyAddresses.ts'
import { accuracyPage } from './trust/accuracy.ts'
import { openDataRoutes } from './trust/openData.ts'
import { sourcesPage } from './trust/sources.ts'
import { statusPage } from './trust/status.ts'

/** The pages of the site, including every address that the API refers to. */
export function pages(contract: Contract, site: Site): Router {
  const { deps, limit } = site
  const { publicUrl } = deps
  const contact = deps.contactEmail ?? contract.document.info.contact?.email ?? ''
  const router = express.Router({ caseSensitive: true, strict: true })
  router.use(tidyAddresses(contract))
  router.use(siteFiles())
  router.use(lotRoutes(site))
  router.use(priceRoutes(site))
  router.use(feedRoutes(site))
  router.use(openDataRoutes(site))
  router.use(docsRoutes(contract, site, contact))
  router.get('/map', limit, sendMap(site))
  router.get('/accuracy', limit, async (req, res) =>
    sendPage(req, res, accuracyPage(publicUrl, await accuracyOfEstimates(deps, res.locals.caller))),
  )
  router.get('/sources', limit, async (req, res) =>
    sendPage(req, res, sourcesPage(publicUrl, await showSources(deps, res.locals.caller))),
  )
  router.get('/status', limit, async (req, res) =>
    sendPage(req, res, statusPage(publicUrl, await readStatus(deps, res.locals.caller), site.now())),
  )
  const texts: [path: string, type: string, text: () => string][] = [
    ['/.well-known/security.txt', 'text/plain', () => securityText(publicUrl, contact, site.now())],
    ['/llms.txt', 'text/plain', () => llmsText(publicUrl, deps.data.kind)],
    ['/robots.txt', 'text/plain', () => robots(publicUrl)],
    ['/sitemap.xml', 'application/xml', () => sitemapIndex(publicUrl)],
    ['/sitemaps/pages.xml', 'application/xml', () => pagesSitemap(publicUrl)],
  ]
  for (const [path, type, text] of texts) router.get(path, (_req, res) => sendText(res, type, text()))
  return router
}

/** The documentation. Its content is rendered once: it never changes while the process runs. */
function docsRoutes(contract: Contract, { deps }: Site, contact: string): Router {
  const { publicUrl } = deps
  const router = express.Router({ caseSensitive: true, strict: true })
  const guides = readGuides(placeholders(contract, publicUrl, contact))
  for (const guide of guides) {
    const [page, markdown] = [guidePage(publicUrl, guide), guideMarkdown(guide)]
    router.get(guide.path, (req, res) => sendPage(req, res, page))
    router.get(`${guide.path}.md`, (_req, res) => sendText(res, 'text/markdown', markdown))
  }
  const everything = allGuides(publicUrl, guides)
  router.get('/llms-full.txt', (_req, res) => sendText(res, 'text/plain', everything))
  const search = guideSearch(contract, publicUrl, guides)
  const overview = docsPage(publicUrl)
  router.get('/docs', (req, res) => {
    const words = queryOf(req).get('q')?.trim() ?? ''
    return sendPage(req, res, words === '' ? overview : search(words))
  })
  const pricing = pricingPage(contract, publicUrl, contact)
  router.get('/pricing', (req, res) => sendPage(req, res, pricing))
  router.get('/docs/reference', reference(contract, deps))
  return router
}
