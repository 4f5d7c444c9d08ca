import express, { type Request, type Response, type Router } from 'express'
import type { Listing } from '../../contract/types.ts'
import { searchListings } from '../../handlers/searchListings.ts'
import { listLiveSlugs } from '../../usecases/showListing.ts'
import { pathWith } from '../kit/paths.ts'
import { sendText } from '../kit/sendPage.ts'
import type { Site } from '../kit/site.ts'
import { summaryOf } from '../lots/search.ts'
import { alertFeeds } from './alertFeeds.ts'
import { type Feed, jsonFeedOf, lotSummary, rssOf } from './formats.ts'
import { sitemap } from './sitemap.ts'

const FEED_LENGTH = '50'
const DESCRIPTION = 'Government surplus lots that are open for bids. Bidding happens at the official source.'

/** The live lots for feed readers and for search engines. */
export function feedRoutes(reads: Site): Router {
  const { deps, limit } = reads
  const router = express.Router({ caseSensitive: true, strict: true })

  router.get('/feeds/listings.rss', limit, async (req, res) => {
    const feed = await feedOf(reads, req, res)
    sendText(res, 'application/rss+xml', rssOf(feed))
  })

  router.get('/feeds/listings.json', limit, async (req, res) => {
    const feed = await feedOf(reads, req, res)
    sendText(res, 'application/feed+json', JSON.stringify(jsonFeedOf(feed)))
  })

  router.use(alertFeeds(reads))

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

/** By default a feed has more lots than a page, and the newest first; with words, the best match first, as everywhere. */
async function feedOf({ deps, readSearch, sources }: Site, req: Request, res: Response): Promise<Feed> {
  const { sent, input } = readSearch(req.url)
  const hasWords = sent.some(([name]) => name === 'q')
  const search = input({ ...(hasWords ? {} : { sort: 'newest' }), per_page: FEED_LENGTH })
  const [found, names] = await Promise.all([searchListings(deps, search, res.locals.caller), sources()])
  const { data } = found.value()
  const summary = summaryOf(search, names)
  return {
    title: summary === '' ? 'Live surplus lots' : `Live surplus lots: ${summary}`,
    /** The page of the same search. */
    pageAddress: deps.publicUrl + pathWith('/search', sent, {}),
    /** The address of the feed itself. */
    feedAddress: deps.publicUrl + pathWith(req.path, sent, {}),
    description: DESCRIPTION,
    items: data.map(listing => ({
      id: listing.id,
      title: listing.title,
      date: beganAt(listing),
      summary: lotSummary(listing),
      listing,
    })),
  }
}

/** When bidding begins; when the lot was last seen, if the source does not publish it. */
function beganAt({ start_date, observed_at }: Listing): string {
  return start_date ?? observed_at
}
