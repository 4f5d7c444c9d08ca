import express, { type Request, type Response, type Router } from 'express'
import type { Contract } from '../contract/document.ts'
import { accuracyOfEstimates } from '../usecases/readAccuracy.ts'
import { readStatus } from '../usecases/site/serviceStatus.ts'
import { showSources } from '../usecases/site/showSources.ts'
import { tidyAddresses } from './addresses.ts'
import { placeholders } from './docs/contractTables.ts'
import { guideSearch } from './docs/findSections.ts'
import { allGuides, docsPage, guideMarkdown, guidePage, readGuides } from './docs/guides.ts'
import { pricingPage } from './docs/pricing.ts'
import { reference } from './docs/reference.ts'
import { feedRoutes } from './feeds/routes.ts'
import { llmsText, pagesSitemap, robots, securityText, sitemapIndex } from './feeds/sitemap.ts'
import { queryOf } from './kit/requests.ts'
import { type LotReads, sendText } from './kit/site.ts'
import { siteFiles } from './kit/staticFiles.ts'
import { sendMap } from './lots/mapPage.ts'
import { lotRoutes } from './lots/routes.ts'
import { priceRoutes } from './prices/routes.ts'
import { accuracyPage } from './trust/accuracy.ts'
import { openDataRoutes } from './trust/openData.ts'
import { sourcesPage } from './trust/sources.ts'
import { statusPage } from './trust/status.ts'

/** The pages of the site, including every address that the API refers to. */
export function pages(contract: Contract, reads: LotReads): Router {
  const { deps } = reads
  const { publicUrl } = deps
  const contact = deps.contactEmail ?? contract.document.info.contact?.email ?? ''
  const router = express.Router({ caseSensitive: true, strict: true })
  router.use(tidyAddresses(contract))
  router.use(siteFiles())
  router.use(lotRoutes(reads))
  router.use(priceRoutes(reads))
  router.use(feedRoutes(reads))
  router.use(openDataRoutes(reads))
  router.get('/docs/reference', reference(contract, deps))
  router.get('/map', reads.limit, sendMap(reads))
  router.get('/accuracy', reads.limit, async (_req: Request, res: Response) => {
    sendText(res.type('html'), accuracyPage(publicUrl, await accuracyOfEstimates(deps, res.locals.caller)))
  })

  router.get('/sources', reads.limit, async (_req: Request, res: Response) => {
    sendText(res.type('html'), sourcesPage(publicUrl, await showSources(deps, res.locals.caller)))
  })

  router.get('/status', reads.limit, async (_req: Request, res: Response) => {
    sendText(res.type('html'), statusPage(publicUrl, await readStatus(deps, res.locals.caller), reads.now()))
  })

  router.get('/.well-known/security.txt', (_req: Request, res: Response) => {
    res.type('text/plain').setHeader('Cache-Control', 'no-cache')
    res.send(securityText(publicUrl, contact, deps.now() ?? new Date()))
  })

  router.get('/llms.txt', (_req: Request, res: Response) => {
    res.type('text/plain').setHeader('Cache-Control', 'no-cache')
    res.send(llmsText(publicUrl, deps.data.kind))
  })

  // These never change while the process runs, so they are rendered once.
  const guides = readGuides(placeholders(contract, publicUrl, contact))
  const fixed: [path: string, type: string, text: string][] = [
    ...guides.flatMap((guide): [string, string, string][] => [
      [guide.path, 'html', guidePage(publicUrl, guide)],
      [`${guide.path}.md`, 'text/markdown', guideMarkdown(guide)],
    ]),
    ['/llms-full.txt', 'text/plain', allGuides(publicUrl, guides)],
    ['/pricing', 'html', pricingPage(contract, publicUrl, contact)],
    ['/robots.txt', 'text/plain', robots(publicUrl)],
    ['/sitemap.xml', 'application/xml', sitemapIndex(publicUrl)],
    ['/sitemaps/pages.xml', 'application/xml', pagesSitemap(publicUrl)],
  ]
  const search = guideSearch(contract, publicUrl, guides)
  const overview = docsPage(publicUrl)
  router.get('/docs', (req: Request, res: Response) => {
    const asked = queryOf(req).get('q')?.trim() ?? ''
    sendText(res.type('html'), asked === '' ? overview : search(asked))
  })

  for (const [path, type, text] of fixed) {
    router.get(path, (_req: Request, res: Response) => {
      res.type(type).setHeader('Cache-Control', 'no-cache')
      res.send(text)
    })
  }
  return router
}
