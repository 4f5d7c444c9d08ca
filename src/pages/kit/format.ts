import labels from '../../../data/labels.json' with { type: 'json' }
import type { Listing, Schemas } from '../../contract/types.ts'
import { dollars, span, wholeDollars } from '../../domain/format.ts'
import { type Html, html } from './html.ts'

/** The categories and sorts of the contract, as pages name them. */
export const CATEGORIES: Record<Listing['category'], string> = labels.categories
export const SORTS: Record<Schemas['Sort'], string> = labels.sorts

/** US cents as dollars: $4,125.00; without cents from $10,000 up. */
export function dollarsShort(cents: number): string {
  return cents >= 1_000_000 && cents % 100 === 0 ? wholeDollars(cents) : dollars(cents)
}

/** A rounded price; with cents only below $10. */
export function about(cents: number): string {
  return cents < 1_000 ? dollars(cents) : wholeDollars(cents)
}

/** One format for the amounts of a column, in US cents: with cents where one of them has any. */
export function moneyColumn(amounts: number[]): (cents: number) => string {
  return amounts.every(cents => cents % 100 === 0) ? wholeDollars : dollars
}

const MOMENT = new Intl.DateTimeFormat('en-US', {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
  timeZone: 'UTC',
})
const DATE = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

/** A moment, readable for people and machines. @param iso RFC 3339, UTC. */
export function moment(iso: string): Html {
  return html`<time datetime="${iso}">${MOMENT.format(new Date(iso))} UTC</time>`
}

/** A moment as clocks show it in a state, with its zone: "Fri, Nov 27, 2026, 3:00 PM CST". @param zone an IANA name. */
export function localMoment(iso: string, zone: string): Html {
  const format = new Intl.DateTimeFormat('en-US', { ...LOCAL, timeZone: zone })
  // Newer tables of Unicode put a narrow space before AM and PM.
  return html`<time datetime="${iso}">${format.format(new Date(iso)).replaceAll('\u202f', ' ')}</time>`
}

const LOCAL = {
  weekday: 'short',
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
} as const

export function date(iso: string): Html {
  return html`<time datetime="${iso}">${DATE.format(new Date(iso))}</time>`
}

/** The time until bidding ends, for a live lot. */
export function timeLeft({ end_date }: Listing, now: Date): string {
  if (end_date === null) return 'No end is announced'
  return `${span(Math.max(0, new Date(end_date).getTime() - now.getTime()))} left`
}
