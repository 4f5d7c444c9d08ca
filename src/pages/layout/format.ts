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

export function date(iso: string): Html {
  return html`<time datetime="${iso}">${DATE.format(new Date(iso))}</time>`
}

/** The time until bidding ends, for a live lot. */
export function timeLeft({ end_date }: Listing, now: Date): string {
  if (end_date === null) return 'No end is announced'
  return `${span(Math.max(0, new Date(end_date).getTime() - now.getTime()))} left`
}
