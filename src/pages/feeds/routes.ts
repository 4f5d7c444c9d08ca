import type { Request, Response, Router } from 'express'
import { searchListings } from '../../handlers/searchListings.ts'
import { callOf } from '../../http/call.ts'
import { createRouter } from '../../infra/createRouter.ts'
import { findLiveSlugs } from '../../infra/site/siteReads.ts'
import { sendText } from '../kit/sendPage.ts'
import { OF_SEARCH_PAGE, pathWith, type Site } from '../kit/site.ts'
import { summaryOf } from '../lots/search.ts'
import { alertFeed, sendAlertCalendar, sendAlertFile } from './alertFeeds.ts'
import { type Feed, jsonFeedOf, rssOf } from './formats.ts'
import { sitemap } from './sitemap.ts'

const FEED_LENGTH = '50'
const DESCRIPTION =
  'Government surplus lots that are open for bids. Bidding happens at the official source.'

/**
 * The matches of a saved search for feed readers, its lots as a file, and the
 * calendar of its account.
 */
export function alertFeedRoutes(site: Site): Router {
  const router = routesOfFeed(site, '/feeds/alerts/:token', alertFeed)
  router.get('/feeds/alerts/:token.csv', site.limit, (req, res) =>
    sendAlertFile(site, req, res),
  )
  router.get('/feeds/alerts/:token.ics', site.limit, (req, res) =>
    sendAlertCalendar(site, req, res),
  )
  return router
}

/**
 * The lots of a search for feed readers, and the live lots for search engines.
 */
export function feedRoutes(site: Site): Router {
  const { deps, limit } = site
  const router = routesOfFeed(site, '/feeds/listings', searchFeed)
  router.get(
    /^\/sitemaps\/listings-([0-9a-f])\.xml$/,
    limit,
    async (req, res) => {
      const slugs = await deps.reads.read(callOf(res).caller, context =>
        findLiveSlugs(context, String(req.params[0])),
      )
      const addresses = slugs.map(slug => `${deps.publicUrl}/listings/${slug}`)
      res
        .type('application/xml')
        .setHeader('Cache-Control', 'public, max-age=3600')
      res.send(sitemap(addresses))
    },
  )
  return router
}

/** A feed in both formats. */
function routesOfFeed(site: Site, path: string, read: typeof searchFeed) {
  const router = createRouter()
  router.get(`${path}.rss`, site.limit, async (req, res) =>
    sendText(res, 'application/rss+xml', rssOf(await read(site, req, res))),
  )
  router.get(`${path}.json`, site.limit, async (req, res) =>
    sendText(
      res,
      'application/feed+json',
      jsonFeedOf(await read(site, req, res)),
    ),
  )
  return router
}

/**
 * By default a feed has more lots than a page, and the newest first; with
 * words, the best match first, as everywhere.
 */
async function searchFeed(
  { deps, readSearch, sources }: Site,
  req: Request,
  res: Response,
): Promise<Feed> {
  const { sent, input } = readSearch(req.url, OF_SEARCH_PAGE)
  const hasWords = sent.some(([name]) => name === 'q')
  const search = input({
    ...(hasWords ? {} : { sort: 'newest' }),
    per_page: FEED_LENGTH,
  })
  const [found, names] = await Promise.all([
    searchListings(deps, search, callOf(res).caller),
    sources(),
  ])
  const summary = summaryOf(search, names)
  return {
    title:
      summary === '' ? 'Live surplus lots' : `Live surplus lots: ${summary}`,
    pageAddress: deps.publicUrl + pathWith('/search', sent, {}),
    feedAddress: deps.publicUrl + pathWith(req.path, sent, {}),
    description: DESCRIPTION,
    items: found.value().data.map(listing => ({
      id: listing.id,
      title: listing.title,
      date: listing.start_date,
      listing,
    })),
  }
}
