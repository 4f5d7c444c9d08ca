import type { Listing } from '../../contract/types.ts'
import { scoreWords } from '../../domain/appraisal/verdict.ts'
import { roundedDollars, shortDollars } from '../../domain/format.ts'
import { priceOf } from '../../domain/price.ts'
import { gradeWords } from '../../domain/valuation/grade.ts'
import { endWords } from '../../words/closing.ts'
import { biddingWords, placeAndDistance } from '../../words/listingWords.ts'
import { CATEGORIES } from '../kit/format.ts'
import { html } from '../kit/html.ts'

/** A feed of lots: its title, its addresses and its entries. */
export interface Feed {
  title: string
  description: string
  /** The page of the same search. */
  pageAddress: string
  /** The address of the feed itself. */
  feedAddress: string
  items: FeedItem[]
}

interface FeedItem {
  /** Never changes. */
  id: string
  title: string
  /**
   * RFC 3339; null where the source does not publish when bidding begins, since
   * the time of our fetch is no news of the lot.
   */
  date: string | null
  listing: Listing
  /**
   * Of a match, the price before the change in US cents; null where no price
   * changed.
   */
  former_price_cents?: number | null
}

/**
 * RSS 2.0. It has no build date, so that it is unchanged while its lots are
 * unchanged.
 */
export function rssOf({
  title,
  description,
  pageAddress,
  feedAddress,
  items,
}: Feed) {
  const entries = items.map(
    ({ id, title, date, listing, former_price_cents }) => html`<item>
<title>${title}</title>
<link>${listing.bidprowl_url}</link>
<guid isPermaLink="false">${id}</guid>
${
  date &&
  html`<pubDate>${new Date(date).toUTCString()}</pubDate>
`
}<category>${CATEGORIES[listing.category]}</category>
<description>${lotSummary(listing, former_price_cents)}</description>
</item>`,
  )
  return html`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${title}</title>
<link>${pageAddress}</link>
<atom:link href="${feedAddress}" rel="self" type="application/rss+xml"/>
<description>${description}</description>
<language>en-us</language>
${entries}</channel>
</rss>`.markup
}

/** JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/). */
export function jsonFeedOf({
  title,
  description,
  pageAddress,
  feedAddress,
  items,
}: Feed) {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: pageAddress,
    feed_url: feedAddress,
    description,
    language: 'en-US',
    items: items.map(({ id, title, date, listing, former_price_cents }) => ({
      id,
      url: listing.bidprowl_url,
      external_url: listing.source_url,
      title,
      content_text: lotSummary(listing, former_price_cents),
      date_published: date ?? undefined,
      tags: [listing.category],
    })),
  })
}

function lotSummary(listing: Listing, former: number | null = null) {
  const { approximate_value_cents: cents, value_grade } = listing
  const price = priceOf(listing)
  const said = [
    price
      ? `${price.label} ${shortDollars(price.cents)}, ${biddingWords(listing)}`
      : 'No price yet',
    former !== null && `Was ${shortDollars(former)}`,
    endWords(listing, 'UTC').replace(/\.$/, ''),
    cents !== null &&
      `Typical price about ${roundedDollars(cents)}, ${gradeWords(value_grade ?? '', null, listing.category)}`,
    scoreWords(listing),
    `${placeAndDistance(listing)}, ${listing.source_name}.`,
  ]
  return said.filter(Boolean).join('. ')
}
