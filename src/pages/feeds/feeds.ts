import type { Listing } from '../../contract/types.ts'
import { count } from '../../domain/format.ts'
import { CATEGORIES, dollarsShort, placeOf, priceOf } from '../layout/format.ts'
import { html } from '../layout/html.ts'

/** A search as a feed: its title, its addresses and its lots. */
export interface Feed {
  title: string
  /** The page of the same search. */
  pageAddress: string
  /** The address of the feed itself. */
  feedAddress: string
  listings: Listing[]
}

const DESCRIPTION = 'Government surplus lots that are open for bids. Bidding happens at the official source.'

/** RSS 2.0. It has no build date, so that it is unchanged while its lots are unchanged. */
export function rssOf({ title, pageAddress, feedAddress, listings }: Feed): string {
  const items = listings.map(
    listing => html`<item>
<title>${listing.title}</title>
<link>${listing.bidprowl_url}</link>
<guid isPermaLink="false">${listing.id}</guid>
<pubDate>${new Date(beganAt(listing)).toUTCString()}</pubDate>
<category>${CATEGORIES[listing.category]}</category>
<description>${summaryOf(listing)}</description>
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
export function jsonFeedOf({ title, pageAddress, feedAddress, listings }: Feed): object {
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
      content_text: summaryOf(listing),
      date_published: beganAt(listing),
      tags: [listing.category],
    })),
  }
}

/** When bidding begins; when the lot was last seen, if the source does not publish it. */
function beganAt({ start_date, observed_at }: Listing): string {
  return start_date ?? observed_at
}

function summaryOf(listing: Listing): string {
  const price = priceOf(listing)
  const score = listing.flip_score === null ? '' : ` Flip Score ${listing.flip_score}.`
  const end = listing.end_date === null ? '' : ` Ends ${listing.end_date}.`
  const bid = price
    ? `${price.kind} ${dollarsShort(price.cents)}, ${count(listing.num_bids, 'bid')}.`
    : 'No price yet.'
  return `${bid}${end}${score} ${placeOf(listing)}, ${listing.source_name}.`
}
