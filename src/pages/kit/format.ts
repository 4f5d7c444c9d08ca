import labels from '../../../data/labels.json' with { type: 'json' }
import type { Listing, Schemas } from '../../contract/types.ts'
import { DATE, formatDate, formatMoment } from '../../domain/format.ts'
import { type Html, html } from './html.ts'

/** The categories and sorts of the contract, as pages name them. */
export const CATEGORIES: Record<Listing['category'], string> = labels.categories
export const SORTS: Record<Schemas['Sort'], string> = labels.sorts

/** A moment in UTC, for people and programs. @param iso RFC 3339. */
export function moment(iso: string): Html {
  return html`<time datetime="${iso}">${formatMoment(iso)}</time>`
}

/**
 * A moment in a time zone, with the day of the week: "Fri, Nov 27, 2026, 3:00
 * PM CST".
 * @param zone an IANA name.
 */
export function localMoment(iso: string, zone: string): Html {
  return html`<time datetime="${iso}">${formatMoment(iso, zone, { weekday: 'short', ...DATE })}</time>`
}

export function date(iso: string): Html {
  return html`<time datetime="${iso}">${formatDate(iso)}</time>`
}
