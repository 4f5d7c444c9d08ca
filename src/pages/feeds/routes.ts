import express, { type Request, type Response, type Router } from 'express'
import type { Listing } from '../../contract/types.ts'
import { count } from '../../domain/format.ts'
import { searchListings } from '../../usecases/searchListings.ts'
import { listLiveSlugs } from '../../usecases/showListing.ts'
import { CATEGORIES, dollarsShort, placeOf, priceOf } from '../layout/format.ts'
import { html } from '../layout/html.ts'
import { addressWith } from '../lots/filterForm.ts'
import { type LotReads, sendText } from '../lots/reads.ts'
import { summaryOf } from '../lots/search.ts'
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

/** By default a feed has more lots than a page, and the newest first; with words, the best match first, as everywhere. */
async function feedOf({ deps, readSearch, sources }: LotReads, req: Request, res: Response) {
  const { sent, input } = readSearch(req.url)
  const hasWords = sent.some(([name]) => name === 'q')
  const search = input({ ...(hasWords ? {} : { sort: 'newest' }), per_page: FEED_LENGTH })
  const [{ data }, names] = await Promise.all([searchListings(deps, search, res.locals.caller), sources()])
  const summary = summaryOf(search, names)
  return {
    title: summary === '' ? 'Live surplus lots' : `Live surplus lots: ${summary}`,
    /** The page of the same search. */
    pageAddress: deps.publicUrl + addressWith('/search', sent, {}),
    /** The address of the feed itself. */
    feedAddress: deps.publicUrl + addressWith(req.path, sent, {}),
    listings: data,
  }
}

/** A search as a feed: its title, its addresses and its lots. */
type Feed = Awaited<ReturnType<typeof feedOf>>

const DESCRIPTION = 'Government surplus lots that are open for bids. Bidding happens at the official source.'

/** RSS 2.0. It has no build date, so that it is unchanged while its lots are unchanged. */
function rssOf({ title, pageAddress, feedAddress, listings }: Feed): string {
  const items = listings.map(
    listing => html`<item>
<title>${listing.title}</title>
<link>${listing.bidprowl_url}</link>
<guid isPermaLink="false">${listing.id}</guid>
<pubDate>${new Date(beganAt(listing)).toUTCString()}</pubDate>
<category>${CATEGORIES[listing.category]}</category>
<description>${lotSummary(listing)}</description>
</item>
`,
  )
  return html`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${title}</title>
<link>${pageAddress}</link>
<atom:link href="${feedAddress}" rel="self" type="application/rss+xml"/>
<description>${DESCRIPTION}</description>
<language>en-us</language>
${items}</channel>
</rss>
`.markup
}

/** JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/). */
function jsonFeedOf({ title, pageAddress, feedAddress, listings }: Feed): object {
  return {
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: pageAddress,
    feed_url: feedAddress,
    description: DESCRIPTION,
    language: 'en-US',
    items: listings.map(listing => ({
      id: listing.id,
      url: listing.bidprowl_url,
      external_url: listing.source_url,
      title: listing.title,
      content_text: lotSummary(listing),
      date_published: beganAt(listing),
      tags: [listing.category],
    })),
  }
}

/** When bidding begins; when the lot was last seen, if the source does not publish it. */
function beganAt({ start_date, observed_at }: Listing): string {
  return start_date ?? observed_at
}

function lotSummary(listing: Listing): string {
  const price = priceOf(listing)
  const score = listing.flip_score === null ? '' : ` Flip Score ${listing.flip_score}.`
  const end = listing.end_date === null ? '' : ` Ends ${listing.end_date}.`
  const bid = price
    ? `${price.kind} ${dollarsShort(price.cents)}, ${count(listing.num_bids, 'bid')}.`
    : 'No price yet.'
  return `${bid}${end}${score} ${placeOf(listing)}, ${listing.source_name}.`
}
