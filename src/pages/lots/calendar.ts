import type { Listing } from '../../contract/types.ts'
import { closesSentence, dayOfEnd } from '../../domain/closing.ts'
import { notFound } from '../../domain/errors.ts'
import { oneLine } from '../../domain/format.ts'
import { isOver } from '../../domain/listingState.ts'

/**
 * The end of a lot as a calendar.
 * @throws ApiError 404 for a lot that has ended, or announces no end.
 */
export function calendarOfEnd(listing: Listing, now: Date) {
  if (listing.end_date === null || isOver(listing)) throw notFound('This lot has ended, or announces no end.')
  return calendarOfEnds([listing], now)
}

/** The ends of lots as a calendar (RFC 5545), each with an alarm an hour before. Lots that announce no end are left out. */
export function calendarOfEnds(lots: Listing[], now: Date) {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Government Surplus Auction Data API//EN',
    ...lots.flatMap(lot => (lot.end_date === null ? [] : eventOf(lot, lot.end_date, now))),
    'END:VCALENDAR',
  ]
  // A line has at most 75 bytes; the next one continues it after a space. Four ASCII characters or another one are at most four bytes.
  return lines
    .map(line => `${line.replace(/(?:[ -~]{4}|[^ -~]|.(?![ -~]{3})){18}(?=.)/gu, '$&\r\n ')}\r\n`)
    .join('')
}

function eventOf(lot: Listing, end: string, now: Date) {
  const { id, title, bidprowl_url } = lot
  const day = dayOfEnd(lot)
  return [
    'BEGIN:VEVENT',
    `UID:${id}@${new URL(bidprowl_url).hostname}`,
    `DTSTAMP:${stamp(now.toISOString())}`,
    ...(day ? [`DTSTART;VALUE=DATE:${day.replaceAll('-', '')}`] : [`DTSTART:${stamp(end)}`]),
    `SUMMARY:${day ? 'Closes' : 'Ends'}: ${oneLine(title).replace(/[\\;,]/g, '\\$&')}`,
    `URL:${bidprowl_url}`,
    ...(day ? [`DESCRIPTION:${closesSentence(lot, 'UTC').replace(/[\\;,]/g, '\\$&')}`] : []),
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
