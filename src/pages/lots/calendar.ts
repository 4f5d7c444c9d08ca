import type { Listing } from '../../contract/types.ts'
import { notFound } from '../../domain/errors.ts'
import { oneLine } from '../../domain/format.ts'

/**
 * The end of a lot as a calendar (RFC 5545), with an alarm an hour before.
 * @throws ApiError 404 for a lot that has ended, or announces no end.
 */
export function calendarOfEnd({ id, title, end_date, status, bidprowl_url }: Listing, now: Date): string {
  if (end_date === null || (status !== 'live' && status !== 'upcoming'))
    throw notFound('This lot has ended, or announces no end.')
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Government Surplus Auction Data API//EN',
    'BEGIN:VEVENT',
    `UID:${id}@${new URL(bidprowl_url).hostname}`,
    `DTSTAMP:${stamp(now.toISOString())}`,
    `DTSTART:${stamp(end_date)}`,
    `SUMMARY:Ends: ${oneLine(title).replace(/[\\;,]/g, '\\$&')}`,
    `URL:${bidprowl_url}`,
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'DESCRIPTION:The lot ends in an hour',
    'TRIGGER:-PT1H',
    'END:VALARM',
    'END:VEVENT',
    'END:VCALENDAR',
  ]
  // A line has at most 75 bytes; the next one continues it after a space.
  return lines.map(line => `${line.replace(/.{60}(?=.)/gu, '$&\r\n ')}\r\n`).join('')
}

/** 20261124T055900Z */
function stamp(moment: string): string {
  return `${moment.slice(0, 19).replace(/[-:]/g, '')}Z`
}
