import type { Request, Router } from 'express'
import type { Contract } from '../contract/document.ts'
import { callOf } from '../http/call.ts'
import { createRouter } from '../infra/createRouter.ts'
import { judgeLoggedCloses } from '../infra/valuation/closeLog.ts'
import { readSettledLimits } from '../infra/valuation/limitLog.ts'
import { readStatus, showSources } from '../site/serviceStatus.ts'
import { accuracyOfEstimates } from '../usecases/valuation/readAppraisal.ts'
import { placeholders } from './docs/contractTables.ts'
import {
  allGuides,
  docsPage,
  guideMarkdown,
  guidePage,
  readGuides,
} from './docs/guides.ts'
import { guideWithOwnKey } from './docs/guideWithOwnKey.ts'
import { pricingPage } from './docs/pricing.ts'
import { reference } from './docs/reference.ts'
import { servedContracts } from './docs/servedContract.ts'
import { alertFeedRoutes, feedRoutes } from './feeds/routes.ts'
import {
  llmsText,
  pagesSitemap,
  robots,
  securityText,
  sitemapIndex,
} from './feeds/sitemap.ts'
import { fixedText } from './kit/fixedText.ts'
import { fixedPage, sendPage, sendText } from './kit/sendPage.ts'
import type { Site } from './kit/site.ts'
import { siteFiles } from './kit/staticFiles.ts'
import { lotRoutes } from './lots/routes.ts'
import { priceRoutes } from './prices/routes.ts'
import { tidyAddresses } from './tidyAddresses.ts'
import { accuracyPage } from './trust/accuracy.ts'
import { openDataRoutes } from './trust/openData.ts'
import { provenLogRoutes } from './trust/provenLogs.ts'
import { sourcesPage } from './trust/sources.ts'
import { statusPage } from './trust/status.ts'

/**
 * Addresses that 1.0.0 put into pages and mails, and what answers in their
 * place.
 */
const MOVED: [from: string, to: string][] = [
  ['/listings/:slug/share.png', '/share.png'],
  ['/map', '/#states'],
]

/** What the pages are made with. */
export interface Pages {
  /** Reads the primary. */
  site: Site
  /** May read a copy that lags; the same as `site` where there is none. */
  publicSite: Site
  isSignedIn(req: Request): boolean
}

/** The pages of the site, including every address that the API refers to. */
export function pages(
  contract: Contract,
  { site, publicSite, isSignedIn }: Pages,
): Router {
  const { deps, limit } = site
  const { publicUrl } = deps
  const router = createRouter()
  router.use(tidyAddresses(contract))
  for (const [from, to] of MOVED)
    router.get(from, (_req, res) => res.redirect(301, publicUrl + to))
  router.use(siteFiles())
  router.use(docsRoutes(contract, site))
  router.use(alertFeedRoutes(site))
  if (publicSite === site) router.use(dataRoutes(site))
  else {
    // Pages of an account lead to lots that a copy may not have yet.
    router.use(onlyFor(isSignedIn, dataRoutes(site)))
    router.use(onlyFor(req => !isSignedIn(req), dataRoutes(publicSite)))
  }
  router.get('/status', limit, async (req, res) =>
    sendPage(req, res, statusPage(await readStatus(deps), site.now())),
  )
  router.get('/.well-known/security.txt', (_req, res) =>
    sendText(
      res,
      'text/plain',
      securityText(publicUrl, deps.contactEmail, site.now()),
    ),
  )
  const forModels = {
    live: llmsText(publicUrl, 'live'),
    demo: llmsText(publicUrl, 'demo'),
  }
  router.get('/llms.txt', (_req, res) =>
    sendText(res, 'text/plain', forModels[deps.data.kind]),
  )
  router.get('/robots.txt', fixedText('text/plain', robots(publicUrl)))
  router.get(
    '/sitemap.xml',
    fixedText('application/xml', sitemapIndex(publicUrl)),
  )
  router.get(
    '/sitemaps/pages.xml',
    fixedText('application/xml', pagesSitemap(publicUrl)),
  )
  return router
}

/** The routes for some requests; others pass by. */
function onlyFor(isMeant: (req: Request) => boolean, routes: Router): Router {
  const router = createRouter()
  router.use((req, _res, next) => next(isMeant(req) ? undefined : 'router'))
  router.use(routes)
  return router
}

/** The pages that show lots, sales and sources. */
function dataRoutes(site: Site): Router {
  const { deps, limit } = site
  const router = createRouter()
  router.use(lotRoutes(site))
  router.use(priceRoutes(site))
  router.use(feedRoutes(site))
  router.use(openDataRoutes(site))
  router.use(provenLogRoutes(site))
  router.get('/accuracy', limit, async (req, res) => {
    const { caller } = callOf(res)
    const closes = await deps.reads.read(caller, judgeLoggedCloses)
    const limits = await deps.counts('settled limits', readSettledLimits)
    await sendPage(
      req,
      res,
      accuracyPage(await accuracyOfEstimates(deps, caller), closes, limits),
    )
  })
  router.get('/sources', limit, async (req, res) =>
    sendPage(req, res, sourcesPage(await showSources(deps), deps.now())),
  )
  return router
}

/**
 * The documentation. Its content is rendered once: it never changes while the
 * process runs.
 */
function docsRoutes(contract: Contract, { deps }: Site) {
  const { publicUrl, contactEmail } = deps
  const contact = contactEmail
    ? `[${contactEmail}](mailto:${contactEmail})`
    : 'the operator of this service'
  const router = createRouter()
  const guides = readGuides(placeholders(contract, contact, deps))
  for (const guide of guides) {
    router.get(
      guide.path,
      guideWithOwnKey(deps, guide),
      fixedPage(() => guidePage(publicUrl, guide)),
    )
    router.get(
      `${guide.path}.md`,
      fixedText('text/markdown', guideMarkdown(guide)),
    )
  }
  router.get(
    '/llms-full.txt',
    fixedText('text/plain', allGuides(publicUrl, guides)),
  )
  router.get('/docs', fixedPage(docsPage))
  const pricing = pricingPage(contract, contact, {
    isSold: deps.billing !== null,
    contactEmail,
  })
  router.get(
    '/pricing',
    fixedPage(() => pricing),
  )
  router.get('/openapi.yaml', fixedText('application/yaml', contract.text))
  const [json = '', twin = ''] = servedContracts(
    contract,
    publicUrl,
    contactEmail,
  )
  router.get('/openapi.json', fixedText('application/json', json))
  router.get('/openapi-3.0.json', fixedText('application/json', twin))
  router.get('/docs/reference', reference(contract, deps))
  return router
}
