import express, { type Request, type Response, type Router } from 'express'
import type { Contract } from '../contract/document.ts'
import type { Deps } from '../usecases/deps.ts'
import { feedRoutes } from './feeds/routes.ts'
import { llmsText, pagesSitemap, robots, securityText, sitemapIndex } from './feeds/sitemap.ts'
import { authenticationPage } from './guides/authentication.ts'
import { errorsPage } from './guides/errors.ts'
import { feedsPage } from './guides/feeds.ts'
import { docsPage } from './guides/guides.ts'
import { markdownGuide } from './guides/markdownGuide.ts'
import { securityPage, termsPage, versioningPage } from './guides/policies.ts'
import { pricingPage } from './guides/pricing.ts'
import { quickstartPage } from './guides/quickstart.ts'
import { reference } from './guides/reference.ts'
import { siteFiles } from './layout/staticFiles.ts'
import type { SearchReader } from './lots/filterForm.ts'
import { lotReads } from './lots/reads.ts'
import { lotRoutes } from './lots/routes.ts'

interface PagesOptions {
  contract: Contract
  /** Reads the query of a search page; src/app.ts passes in the reader of the API. */
  readSearch: SearchReader
  /** How many pages with lots one client address may open in a minute. */
  pagesPerMinute: number
}

/** The pages of the site, including every address that the API refers to. */
export function pages(deps: Deps, { contract, readSearch, pagesPerMinute }: PagesOptions): Router {
  const { publicUrl } = deps
  const contact = deps.contactEmail ?? contract.document.info.contact?.email ?? ''
  const router = express.Router({ caseSensitive: true, strict: true })
  router.use(siteFiles())
  const reads = lotReads(deps, readSearch, pagesPerMinute)
  router.use(lotRoutes(reads))
  router.use(feedRoutes(reads))
  router.get('/docs/reference', reference(contract, publicUrl))

  router.get('/.well-known/security.txt', (_req: Request, res: Response) => {
    res.type('text/plain').setHeader('Cache-Control', 'no-cache')
    res.send(securityText(publicUrl, contact, deps.now() ?? new Date()))
  })

  // These never change while the process runs, so they are rendered once.
  const fixed: [path: string, type: string, text: string][] = [
    ['/docs', 'html', docsPage(publicUrl)],
    ['/docs/quickstart', 'html', quickstartPage(publicUrl)],
    ['/docs/authentication', 'html', authenticationPage(contract.operations, publicUrl)],
    ['/docs/errors', 'html', errorsPage(publicUrl)],
    ['/docs/flip-score', 'html', markdownGuide('flip-score.md', publicUrl)],
    ['/docs/mcp', 'html', markdownGuide('mcp.md', publicUrl)],
    ['/docs/feeds', 'html', feedsPage(publicUrl)],
    ['/docs/versioning', 'html', versioningPage(contract.operations, publicUrl)],
    ['/docs/security', 'html', securityPage(contact, publicUrl)],
    ['/terms', 'html', termsPage(publicUrl)],
    ['/pricing', 'html', pricingPage(publicUrl)],
    ['/llms.txt', 'text/plain', llmsText(publicUrl)],
    ['/robots.txt', 'text/plain', robots(publicUrl)],
    ['/sitemap.xml', 'application/xml', sitemapIndex(publicUrl)],
    ['/sitemaps/pages.xml', 'application/xml', pagesSitemap(publicUrl)],
  ]
  for (const [path, type, text] of fixed) {
    router.get(path, (_req: Request, res: Response) => {
      res.type(type).setHeader('Cache-Control', 'no-cache')
      res.send(text)
    })
  }
  return router
}
