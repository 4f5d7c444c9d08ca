import type { Listing } from '../../contract/types.ts'
import {
  count,
  dollars,
  escapeMarkup,
  formatMoment,
  formatNumber,
  oneLine,
  roundedDollars,
} from '../format.ts'
import { placeOf } from '../listingWords.ts'
import { priceOf } from '../price.ts'
import { verdictOf } from '../valuation/verdict.ts'
import type { AlertKind } from './savedSearch.ts'
import { KIND_TITLES } from './webhooks.ts'

/** The words of a mail, for any recipient. */
export interface MailText {
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}

/** A lot in a mail, and why it is there. */
interface MailedLot {
  kind: AlertKind
  /** The price before the change, in US cents; null where no price changed. */
  former_price_cents: number | null
  listing: Listing
  /** Null where none is known: the rounded amount in US cents, how it is known, and what the score rests on. */
  value: { estimated: number; known: string; closesLow: boolean; reason: string | null } | null
}

interface MailedSearch {
  publicUrl: string
  search: { id: number; name: string; time_zone: string; unsubscribeToken: string }
  now: Date
}

/** The mail about matches of a saved search, the newest first. @param lots how many there are, of which some may be left out. */
export function alertMail(
  matches: MailedLot[],
  lots: number,
  { publicUrl, search, now }: MailedSearch,
): MailText {
  const [first] = matches
  const name = oneLine(search.name)
  const subject = lots === 1 && first ? matchTitle(first) : `${count(lots, 'lot')} for ${name}`
  const paragraphs = matches.map(match => lotParagraph(match, search.time_zone, now))
  const edit = `${publicUrl}/account/alerts/${search.id}`
  const more = lots > matches.length ? [`${count(lots - matches.length, 'more lot')}: ${edit}`] : []
  const stop = `${publicUrl}/alerts/unsubscribe/${search.unsubscribeToken}`
  const footer = `Edit or pause this alert: ${edit}\nStop these mails: ${stop}`
  return {
    ...mailText(subject, publicUrl, [`Your saved search "${name}" found:`, ...paragraphs, ...more, footer]),
    // RFC 8058: the mail program unsubscribes by itself, without opening the page.
    headers: { 'List-Unsubscribe': `<${stop}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  }
}

export interface QuotaUse {
  percent: 80 | 100
  used: number
  most: number
  /** 2026-11 */
  month: string
}

/** The mail about the calls of an account in a month. */
export function quotaMail({ percent, used, most, month }: QuotaUse, publicUrl: string): MailText {
  const isFull = percent === 100
  return mailText(
    isFull ? 'All calls of this month are used' : '80% of this month’s calls are used',
    publicUrl,
    [
      `Your account has used ${formatNumber(used)} of its ${formatNumber(most)} API calls in ${month} (UTC).`,
      isFull
        ? 'Calls are refused with 429 until the next month begins, or until your plan has more calls.'
        : 'When all are used, calls are refused with 429 until the next month begins.',
      [`See your use: ${publicUrl}/account`, `Plans: ${publicUrl}/pricing`].join('\n'),
    ],
  )
}

export interface EndpointTrouble {
  endpoint_id: number
  url: string
  /** RFC 3339. */
  failing_since: string
  /** Null: it is still tried. */
  disabled_reason: string | null
}

/** The mail about a webhook endpoint that fails, or was disabled. */
export function endpointMail(trouble: EndpointTrouble, publicUrl: string): MailText {
  const { endpoint_id, url, failing_since, disabled_reason } = trouble
  const since = `Every message to it has failed since ${formatMoment(failing_since, 'UTC')}.`
  return mailText(
    disabled_reason ? 'A webhook endpoint was disabled' : 'A webhook endpoint is failing',
    publicUrl,
    [
      `The endpoint: ${oneLine(url)}`,
      disabled_reason
        ? `It receives no more messages. ${oneLine(disabled_reason)}`
        : `${since} Messages are tried again for 75 hours. After 5 days of failures the endpoint is disabled.`,
      `${disabled_reason ? 'Enable it again' : 'See its log'}: ${publicUrl}/account/alerts/endpoints/${endpoint_id}`,
    ],
  )
}

function lotParagraph(match: MailedLot, timeZone: string, now: Date): string {
  const { listing, value } = match
  const price = priceOf(listing)
  const verdict = verdictOf(listing, now, value?.closesLow ?? false)
  const facts = [
    price ? `${price.label} ${dollars(price.cents)}, ${count(listing.num_bids, 'bid')}` : 'No price yet',
    value ? `Sells for about ${roundedDollars(value.estimated)}, ${value.known}` : '',
    listing.flip_score === null ? '' : `Flip Score ${listing.flip_score} of 100, ${verdict!.words}`,
    endOf(listing, timeZone),
    `${oneLine(placeOf(listing))}, ${oneLine(listing.source_name)}`,
    // A demo lot leads to itself.
    listing.source_url === listing.bidprowl_url ? 'A demo lot: it does not exist' : '',
  ]
  const lines = [
    matchTitle(match),
    `${facts.filter(Boolean).join('. ')}.`,
    value?.reason,
    listing.bidprowl_url,
  ]
  return lines.filter(Boolean).join('\n')
}

function endOf({ status, end_date }: Listing, timeZone: string): string {
  if (status !== 'live' && status !== 'upcoming') return `The lot is ${status}`
  return end_date === null ? '' : `Ends ${formatMoment(end_date, timeZone)}`
}

/** "Price drop: 2014 FORD F-150 XL". */
export function matchTitle({ kind, listing }: Pick<MailedLot, 'kind' | 'listing'>): string {
  return `${KIND_TITLES[kind]}: ${oneLine(listing.title)}`
}

/** Both forms of a mail. The HTML is the text with links, so it says the same. */
function mailText(subject: string, publicUrl: string, paragraphs: string[]): MailText {
  const html = paragraphs.map(
    paragraph =>
      `<p>${paragraph
        .split('\n')
        .map(line => lineAsHtml(line, publicUrl))
        .join('<br>\n')}</p>`,
  )
  return {
    subject,
    text: `${paragraphs.join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en">\n<body>\n${html.join('\n')}\n</body>\n</html>\n`,
    headers: {},
  }
}

/** Only an address of this service at the end of a line becomes a link: titles come from strangers. */
function lineAsHtml(line: string, publicUrl: string): string {
  const start = line.lastIndexOf(`${publicUrl}/`)
  const address = start < 0 ? '' : line.slice(start)
  if (!/^[^\s<>"']+$/.test(address)) return escapeMarkup(line)
  const link = escapeMarkup(address)
  return `${escapeMarkup(line.slice(0, start))}<a href="${link}">${link}</a>`
}
