import express, { type Router } from 'express'
import type { Contract } from '../contract/document.ts'
import type { Deps } from '../usecases/deps.ts'
import { readListing } from '../usecases/readListing.ts'
import { docsPage, errorsPage, homePage, termsPage, versioningPage } from './docs.ts'
import { STYLE } from './layout.ts'
import { listingPage } from './listing.ts'
import { pricingPage } from './pricing.ts'

/** The pages behind every address that the API names. */
export function pages(deps: Deps, contract: Contract): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  router.get('/', (_req, res) => void res.send(homePage(deps.publicUrl)))
  router.get('/style.css', (_req, res) => void res.type('text/css').send(STYLE))
  router.get('/docs', (_req, res) => void res.send(docsPage(deps.publicUrl)))
  router.get('/docs/errors', (_req, res) => void res.send(errorsPage()))
  router.get('/docs/versioning', (_req, res) => void res.send(versioningPage(contract.operations)))
  router.get('/pricing', (_req, res) => void res.send(pricingPage()))
  router.get('/terms', (_req, res) => void res.send(termsPage()))
  router.get('/listings/:slug', async (req, res) => {
    const listing = await readListing(deps, req.params.slug)
    res.setHeader('Cache-Control', 'no-cache')
    res.send(listingPage(listing))
  })
  return router
}
