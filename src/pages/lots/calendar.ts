import { notFound } from '../../contract/errors.ts'
import { oneLine } from '../../contract/text.ts'
import type { Listing } from '../../contract/types.ts'
import { isOver } from '../../domain/listingState.ts'
import type { LotRevision } from '../../infra/search/changes.ts'
import { closesSentence, dayOfEnd } from '../../words/closing.ts'

/**
 * Programs ask for a subscribed calendar again after an hour (RFC 7986, and the
 * older names of Outlook and Apple).
 */
const OF_SUBSCRIPTION = [
  'NAME:Watched lots',
  'X-WR-CALNAME:Watched lots',
  'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
  'X-PUBLISHED-TTL:PT1H',
]

/**
 * The end of a lot as a calendar.
 * @throws ApiError 404 for a lot that has ended, or announces no end.
 */
export function calendarOfEnd(
  listing: Listing,
  revisions: Map<string, LotRevision>,
): string {
  if (listing.end_date === null || isOver(listing))
    throw notFound('This lot has ended, or announces no end.')
  return calendarText([], [listing], revisions)
}

/**
 * The ends of watched lots, to subscribe to. It is unchanged while the lots
 * are.
 */
export function calendarOfEnds(
  lots: Listing[],
  revisions: Map<string, LotRevision>,
): string {
  return calendarText(OF_SUBSCRIPTION, lots, revisions)
}

/**
 * A calendar (RFC 5545) of ends, each with an alarm an hour before. Lots that
 * announce no end are left out.
 */
function calendarText(
  head: string[],
  lots: Listing[],
  revisions: Map<string, LotRevision>,
) {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Government Surplus Auction Data API//EN',
    ...head,
    ...lots.flatMap(lot =>
      lot.end_date === null
        ? []
        : eventOf(lot, lot.end_date, revisions.get(lot.id)),
    ),
    'END:VCALENDAR',
  ]
  // A line has at most 75 bytes; the next one continues it after a space. Four
  // ASCII characters or another one are at most four bytes.
  return lines
    .map(
      line =>
        `${line.replace(/(?:[ -~]{4}|[^ -~]|.(?![ -~]{3})){18}(?=.)/gu, '$&\r\n ')}\r\n`,
    )
    .join('')
}

function eventOf(lot: Listing, end: string, revision: LotRevision | undefined) {
  const { id, title, bidprowl_url } = lot
  const day = dayOfEnd(lot)
  const changedAt = stamp(
    revision?.changed_at ?? lot.start_date ?? lot.observed_at,
  )
  return [
    'BEGIN:VEVENT',
    `UID:${id}@${new URL(bidprowl_url).hostname}`,
    `DTSTAMP:${changedAt}`,
    `LAST-MODIFIED:${changedAt}`,
    `SEQUENCE:${revision?.sequence ?? 0}`,
    ...(day
      ? [`DTSTART;VALUE=DATE:${day.replaceAll('-', '')}`]
      : [`DTSTART:${stamp(end)}`]),
    `SUMMARY:${day ? 'Closes' : 'Ends'}: ${oneLine(title).replace(/[\\;,]/g, '\\$&')}`,
    `URL:${bidprowl_url}`,
    ...(day
      ? [`DESCRIPTION:${closesSentence(lot, 'UTC').replace(/[\\;,]/g, '\\$&')}`]
      : []),
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    `DESCRIPTION:The lot ${day ? 'closes tomorrow' : 'ends in an hour'}`,
    // Of a whole day, at six in the evening before.
    `TRIGGER:-PT${day ? 6 : 1}H`,
    'END:VALARM',
    'END:VEVENT',
  ]
}

/** 20261124T055900Z */
function stamp(moment: string) {
  return `${moment.slice(0, 19).replace(/[-:]/g, '')}Z`
}
