import express, { type Request, type Response, type Router } from 'express'
import { searchListings } from '../../usecases/searchListings.ts'
import { listLiveSlugs } from '../../usecases/showListing.ts'
import { addressWith } from '../lots/filterForm.ts'
import { type LotReads, sendText } from '../lots/reads.ts'
import { summaryOf } from '../lots/search.ts'
import { type Feed, jsonFeedOf, rssOf } from './feeds.ts'
import { sitemap } from './sitemap.ts'

const FEED_LENGTH = '50'

/** The live lots for feed readers and for search engines. */
export function feedRoutes(reads: LotReads): Router {
  const { deps, limit } = reads
  const router = express.Router({ caseSensitive: true, strict: true })

  router.get('/feeds/listings.rss', limit, async (req, res) => {
    const feed = await feedOf(reads, req, res)
    sendText(res.type('application/rss+xml'), rssOf(feed))
  })

  router.get('/feeds/listings.json', limit, async (req, res) => {
    const feed = await feedOf(reads, req, res)
    sendText(res.type('application/feed+json'), JSON.stringify(jsonFeedOf(feed)))
  })

  router.get(/^\/sitemaps\/listings-([0-9a-f])\.xml$/, limit, async (req, res) => {
    const slugs = await listLiveSlugs(deps, String(req.params[0]), res.locals.caller)
    const entries = slugs.map(({ slug, observed_at }) => ({
      address: `${deps.publicUrl}/listings/${slug}`,
      changedAt: observed_at,
    }))
    res.type('application/xml').setHeader('Cache-Control', 'public, max-age=3600')
    res.send(sitemap(entries))
  })
  return router
}

/** By default a feed has the newest lots first, and more of them than a page. */
async function feedOf({ deps, readSearch, sources }: LotReads, req: Request, res: Response): Promise<Feed> {
  const { sent, input } = readSearch(req.url)
  const search = input({ sort: 'newest', per_page: FEED_LENGTH })
  const [{ data }, names] = await Promise.all([searchListings(deps, search, res.locals.caller), sources()])
  const summary = summaryOf(search, names)
  return {
    title: summary === '' ? 'Live surplus lots' : `Live surplus lots: ${summary}`,
    pageAddress: deps.publicUrl + addressWith('/search', sent, {}),
    feedAddress: deps.publicUrl + addressWith(req.path, sent, {}),
    listings: data,
  }
}
