import express, { type Request, type Response, type Router } from 'express'
import { ApiError } from '../domain/errors.ts'
import type { Deps } from '../usecases/deps.ts'
import { listLiveSlugs } from '../usecases/listLiveSlugs.ts'
import { listSources } from '../usecases/listSources.ts'
import { searchListings } from '../usecases/searchListings.ts'
import { showListing } from '../usecases/showListing.ts'
import { filtersOf, suggestBroader } from '../usecases/suggestBroader.ts'
import { type Feed, jsonFeedOf, rssOf } from './feeds.ts'
import { homePage } from './home.ts'
import { listingPage } from './listing.ts'
import { sitemap } from './machineFiles.ts'
import { remembered } from './remembered.ts'
import { searchPage, searchRefusedPage, summaryOf } from './search.ts'
import { addressWith, type SearchReader } from './searchAddress.ts'
import { visitorLimit } from './visitorLimit.ts'

const SOURCES_KEPT_MS = 5 * 60_000
const DEALS_SHOWN = 6
const FEED_LENGTH = '50'

/** The pages that read lots: limited by address, and by a guard of their own. */
export function lotRoutes(deps: Deps, readSearch: SearchReader, pagesPerMinute: number): Router {
  const { publicUrl } = deps
  const now = () => deps.now() ?? new Date()
  const sources = remembered(SOURCES_KEPT_MS, async () =>
    (await listSources(deps)).map(({ source, name }) => [source, name] as [string, string]),
  )
  const limit = visitorLimit(pagesPerMinute)
  const router = express.Router({ caseSensitive: true, strict: true })

  router.get('/', limit, async (_req, res) => {
    // The front page stands without lots too.
    const deals = await bestDeals(deps).catch(() => [])
    send(res, homePage(deals, publicUrl, now()))
  })

  router.get('/search', limit, async (req, res) => {
    const { sent, input } = readSearch(req.url)
    if (hasEmptyFields(req)) return void res.redirect(303, addressWith('/search', sent, {}))
    try {
      const search = input()
      const found = await searchListings(deps, search)
      const isNarrow = found.total === 0 && filtersOf(search).length > 0
      const broader = isNarrow ? await suggestBroader(deps, search) : []
      send(res, searchPage({ sent, search, found, broader, sources: await sources(), publicUrl, now: now() }))
    } catch (error) {
      if (!isRefusedSearch(req, error)) throw error
      res.status(error.status)
      send(res, searchRefusedPage(sent, error, await sources()))
    }
  })

  router.get('/listings/:slug', limit, async (req, res) => {
    send(res, listingPage(await showListing(deps, String(req.params.slug)), publicUrl, now()))
  })

  router.get('/feeds/listings.rss', limit, async (req, res) => {
    const feed = await feedOf(req, '/feeds/listings.rss')
    res.type('application/rss+xml')
    send(res, rssOf(feed))
  })

  router.get('/feeds/listings.json', limit, async (req, res) => {
    const feed = await feedOf(req, '/feeds/listings.json')
    res.type('application/feed+json')
    send(res, JSON.stringify(jsonFeedOf(feed)))
  })

  router.get(/^\/sitemaps\/listings-([0-9a-f])\.xml$/, limit, async (req, res) => {
    const slugs = await listLiveSlugs(deps, String(req.params[0]))
    const entries = slugs.map(({ slug, observed_at }) => ({
      address: `${publicUrl}/listings/${slug}`,
      changedAt: observed_at,
    }))
    res.type('application/xml').setHeader('Cache-Control', 'public, max-age=3600')
    res.send(sitemap(entries))
  })

  /** A feed is about what is new and longer than a page, unless it is asked for otherwise. */
  async function feedOf(req: Request, path: string): Promise<Feed> {
    const { sent, input } = readSearch(req.url)
    const search = input({ sort: 'newest', per_page: FEED_LENGTH })
    const [{ data }, names] = await Promise.all([searchListings(deps, search), sources()])
    const summary = summaryOf(search, names)
    return {
      title: summary === '' ? 'Live surplus lots' : `Live surplus lots: ${summary}`,
      pageAddress: publicUrl + addressWith('/search', sent, {}),
      feedAddress: publicUrl + addressWith(path, sent, {}),
      listings: data,
    }
  }
  return router
}

async function bestDeals(deps: Deps) {
  const search = { radius_miles: 50, no_bids: false, buy_now: false, page: 1, per_page: DEALS_SHOWN } as const
  const { data } = await searchListings(deps, { ...search, sort: 'best_deals' })
  return data.filter(({ flip_score }) => flip_score !== null)
}

/** To be revalidated each time; Express answers 304 by the ETag. */
function send(res: Response, text: string): void {
  res.setHeader('Cache-Control', 'no-cache')
  res.send(text)
}

/** A form sends its empty fields; the address without them is the one to keep. */
function hasEmptyFields({ url }: Request): boolean {
  return /[?&][^=&]*=?(&|$)/.test(url)
}

function isRefusedSearch(req: Request, error: unknown): error is ApiError {
  const isRefusal = error instanceof ApiError && error.code === 'invalid_request'
  return isRefusal && req.accepts(['json', 'html']) === 'html'
}
