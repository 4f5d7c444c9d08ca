import type { LotRow, PriceBasis } from './lotRow.ts'

/** What the end of a lot makes of it. */
export interface Closing {
  is_open: boolean
  final_bid_cents: number | null
  price_basis: PriceBasis | null
  sold_at: string | null
}

/**
 * How a row's lot stands at `now`. A lot without an outcome whose end has passed is over, and its last bid, when there
 * is one above 0, is a sale with the basis `last_observed`. A sale counts from the lot's end, or from now when the end
 * is unknown or still to come.
 */
export function closingOf(
  row: Pick<LotRow, 'outcome' | 'end_date' | 'current_bid_cents' | 'final_bid_cents' | 'price_basis'>,
  now: Date,
): Closing {
  const isPast = row.end_date !== null && Date.parse(row.end_date) <= now.getTime()
  if (row.outcome === null && !isPast) {
    return { is_open: true, final_bid_cents: null, price_basis: null, sold_at: null }
  }
  if (row.outcome === null) {
    return row.current_bid_cents
      ? {
          is_open: false,
          final_bid_cents: row.current_bid_cents,
          price_basis: 'last_observed',
          sold_at: row.end_date,
        }
      : { is_open: false, final_bid_cents: null, price_basis: null, sold_at: null }
  }
  const sold_at = row.outcome === 'sold' ? (isPast ? row.end_date : now.toISOString()) : null
  return { is_open: false, final_bid_cents: row.final_bid_cents, price_basis: row.price_basis, sold_at }
}

const LONGEST_TITLE = 80
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const ASCII = /^[\x00-\x7f]*$/

/**
 * The readable half of a lot's address: title, source and source id in lower-case ASCII letters, digits and hyphens,
 * like `2014-ford-f-150-xl-gsa-3-1-qsc-i-27-006-005`. Two lots can have the same one; whoever stores them tells them apart.
 */
export function slugOf(title: string, source: string, sourceId: string): string {
  const words = slugified(title).slice(0, LONGEST_TITLE).replace(/-+$/, '')
  return [words || 'lot', source, slugified(sourceId)].filter(part => part !== '').join('-')
}

/** Accents are dropped (é becomes e); whatever is not a letter or a digit then becomes one hyphen. */
function slugified(text: string): string {
  // What is ASCII already has no accents, and looking for them is half of the work.
  const plain = ASCII.test(text) ? text : text.normalize('NFKD').replace(/\p{M}+/gu, '')
  return plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
