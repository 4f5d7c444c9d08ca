import { escapeMarkup, oneLine } from '../contract/text.ts'
import type { Listing } from '../contract/types.ts'
import type { AlertKind } from '../domain/alerts/savedSearch.ts'
import { KIND_TITLES } from '../domain/alerts/webhooks.ts'
import { scoreWords } from '../domain/appraisal/verdict.ts'
import { zoneAt } from '../domain/feeds/states.ts'
import { count, roundedDollars, shortDollars } from '../domain/format.ts'
import { isDemo } from '../domain/listingState.ts'
import { photoOf } from '../domain/photos.ts'
import { priceOf } from '../domain/price.ts'
import { endWords } from './closing.ts'
import { biddingWords, placeAndDistance } from './listingWords.ts'
import { type MailText, mailDocument } from './mailTexts.ts'

/** A lot in a mail, and why it is there. */
interface MailedLot {
  kind: AlertKind
  /** The price before the change, in US cents; null where no price changed. */
  former_price_cents: number | null
  listing: Listing
  /**
   * Null where none is known: the rounded amount in US cents, how it is known,
   * and what the score rests on.
   */
  value: { estimated: number; known: string; reason: string | null } | null
}

interface MailedSearch {
  publicUrl: string
  search: { id: number; name: string; query: object; unsubscribeToken: string }
  now: Date
}

/**
 * The mail about matches of a saved search, the newest first, a card for each.
 * @param lots how many there are, of which some may be left out.
 */
export function alertMail(
  matches: MailedLot[],
  lots: number,
  mailed: MailedSearch,
): MailText {
  const { publicUrl, search } = mailed
  const [first] = matches
  const name = oneLine(search.name)
  const subject =
    lots === 1 && first
      ? matchTitle(first)
      : `${count(lots, 'lot')} for ${name}`
  const written = matches.map(lotForms)
  const found = `Your alert "${name}" found:`
  const edit = `${publicUrl}/account/alerts/${search.id}`
  const stop = `${publicUrl}/alerts/unsubscribe/${search.unsubscribeToken}`
  const links: [words: string, address: string][] = [
    [
      count(lots - matches.length, 'more lot'),
      `${publicUrl}/search?${new URLSearchParams({ ...search.query })}`,
    ],
    ['Edit or pause this alert', edit],
    ['Unsubscribe (feed and webhooks keep working)', stop],
  ]
  const shown = lots > matches.length ? links : links.slice(1)
  const ways = shown
    .map(([words, address]) => `${words}: ${address}`)
    .join('\n')
  return {
    subject,
    text: `${[found, ...written.map(({ text }) => text), ways].join('\n\n')}\n`,
    html: mailDocument(subject, [
      `<h1 style="margin:0 0 16px;font-size:16px">${escapeMarkup(found)}</h1>`,
      ...written.map(({ card }) => card),
      ...shown.map(
        ([words, address]) =>
          `<p><a href="${escapeMarkup(address)}">${escapeMarkup(words)}</a></p>`,
      ),
    ]),
    // RFC 8058: the mail program unsubscribes by itself, without opening the
    // page.
    headers: {
      'List-Unsubscribe': `<${stop}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}

/** "Price drop: 2014 FORD F-150 XL". */
export function matchTitle({
  kind,
  listing,
}: Pick<MailedLot, 'kind' | 'listing'>): string {
  return `${KIND_TITLES[kind]}: ${oneLine(listing.title)}`
}

/**
 * A lot as plain text and as a card, in the same words. Its end is in its own
 * time zone, as on its page.
 */
function lotForms(match: MailedLot) {
  const { listing, value, kind, former_price_cents: former } = match
  const { bidprowl_url } = listing
  const price = priceOf(listing)
  const label = price?.label ?? ''
  const score = scoreWords(listing)
  const was =
    former === null || former === price?.cents
      ? ''
      : `, was ${shortDollars(former)}`
  const amount = price ? shortDollars(price.cents) : 'No price yet'
  const after = price ? `${was}, ${biddingWords(listing)}` : ''
  const lines = [
    value
      ? `Typical price about ${roundedDollars(value.estimated)}, ${value.known}`
      : '',
    [score && `${score}.`, value?.reason].filter(Boolean).join(' '),
    endWords(listing, zoneAt(listing)),
    `${oneLine(placeAndDistance(listing))}, ${oneLine(listing.source_name)}`,
    isDemo(listing) ? 'A demo lot: it does not exist' : '',
  ].filter(Boolean)
  const photo = photoOf(listing)
  const picture =
    photo === null
      ? ''
      : `<img src="${escapeMarkup(photo)}" alt="" style="${PHOTO}">`
  const said = [label + after, ...lines].map(escapeMarkup)
  if (value) said[1] = `<strong>${said[1]}</strong>`
  return {
    text: [
      matchTitle(match),
      `${label} ${amount}${after}`.trim(),
      ...lines,
      bidprowl_url,
    ].join('\n'),
    card: `<div style="${CARD}">${picture}
<p style="margin:0;opacity:0.75">${KIND_TITLES[kind]}</p>
<h2 dir="auto" style="${TITLE}">${escapeMarkup(oneLine(listing.title))}</h2>
<p style="margin:0 0 16px"><strong style="font-size:22px">${amount}</strong> ${said.join('<br>\n')}</p>
<a href="${escapeMarkup(bidprowl_url)}" style="${BUTTON}">See the lot</a></div>`,
  }
}

/** Mail programs know little CSS, and only on the elements. */
const CARD =
  'margin:0 0 16px;border:1px solid #999;border-radius:8px;padding:16px'
const PHOTO =
  'display:block;margin:0 auto 12px;max-width:100%;max-height:240px;border-radius:4px'
const TITLE =
  'margin:0 0 8px;font-size:18px;line-height:1.3;overflow-wrap:anywhere'
const BUTTON =
  'display:block;border-radius:6px;background:#0b5f59;color:#fff;padding:12px;font-weight:bold;text-align:center;text-decoration:none'
