import type { Input, Listing, Ok } from '../contract/types.ts'
import { count, dollars, formatNumber } from '../domain/format.ts'
import type { Broader } from '../usecases/suggestBroader.ts'

/**
 * A page of a search, one lot in two lines.
 * @param broader searches that find something, when this one finds nothing.
 */
export function pageText(
  page: Ok<'searchListings'>,
  input: Input<'searchListings'>,
  broader: Broader[],
): string {
  if (page.total === 0) return emptyText(input, broader)
  const { data, total, total_pages } = page
  if (data.length === 0)
    return `Page ${page.page} is past the end: ${count(total, 'live lot')} on ${count(total_pages, 'page')}.`
  const next = page.page < total_pages ? ` For more, call again with "page": ${page.page + 1}.` : ''
  const head = `${count(total, 'live lot')}, page ${page.page} of ${total_pages}, sorted by ${input.sort}.${next}`
  return [head, ...data.map(lotText)].join('\n')
}

function emptyText(input: Input<'searchListings'>, broader: Broader[]): string {
  const [best, ...others] = broader
  if (!best) {
    const isFiltered = Object.keys(input).some(
      name => !['sort', 'page', 'per_page', 'radius_miles'].includes(name),
    )
    return isFiltered
      ? 'No live lot matches. Dropping one filter alone finds nothing either: drop two or more.'
      : 'No lot is live now.'
  }
  const also = others.map(({ filter, total }) => `without "${filter}" ${formatNumber(total)}`)
  return `No live lot matches. Drop "${best.filter}" to find ${count(best.total, 'lot')}${also.length > 0 ? ` (${also.join(', ')})` : ''}.`
}

function lotText(lot: Listing): string {
  const facts = [
    priceText(lot),
    `${count(lot.num_bids, 'bid')}`,
    lot.end_date ? `ends ${lot.end_date}` : 'no end is known',
    [lot.city, lot.state].filter(Boolean).join(', '),
    lot.distance_miles === null ? '' : `${lot.distance_miles} miles away`,
    lot.condition_grade ?? '',
    lot.flip_score === null ? '' : `Flip Score ${lot.flip_score}`,
  ]
  return `- ${oneLine(lot.title)} (${lot.category}): ${facts.filter(Boolean).join('; ')}
  id ${lot.id}; ${lot.bidprowl_url}; official: ${lot.source_url}`
}

function priceText({ current_bid_cents, starting_bid_cents, buy_now_cents }: Listing): string {
  if (current_bid_cents !== null) return `bid ${dollars(current_bid_cents)}`
  if (starting_bid_cents !== null) return `starts at ${dollars(starting_bid_cents)}`
  return buy_now_cents === null ? 'no price yet' : `buy now ${dollars(buy_now_cents)}`
}

/** An object, one field a line; null is left out, amounts are also in dollars. */
export function fieldsText(fields: object): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${valueText(name, value)}`)
    .join('\n')
}

function valueText(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map(one => `\n- ${partsText(one)}`).join('')
  if (typeof value === 'object' && value !== null) return partsText(value)
  if (typeof value === 'number' && name.endsWith('_cents')) return `${value} (${dollars(value)})`
  return oneLine(String(value))
}

function partsText(parts: object): string {
  return Object.entries(parts)
    .map(([name, value]) => `${name} ${valueText(name, value)}`)
    .join(', ')
}

/** Text from a source must not look like more lines of this service. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
