import { MAX_PAGE } from '../contract/rawJson.ts'
import { oneLine, printable } from '../contract/text.ts'
import { compactAnswer } from '../contract/toolSchemas.ts'
import type { Input, Listing, Ok, Schemas } from '../contract/types.ts'
import {
  scoreReason,
  scoreWords,
  verdictWords,
  whyUnpriced,
} from '../domain/appraisal/verdict.ts'
import {
  count,
  dollars,
  dollarsDown,
  formatNumber,
  roundedDollars,
  shortDollars,
} from '../domain/format.ts'
import { isDemo, isOver } from '../domain/listingState.ts'
import { aboutDollars, leastBid, priceOf, rounded } from '../domain/price.ts'
import { filtersOf } from '../domain/search/filters.ts'
import {
  bandWords,
  gradeWords,
  seenSentence,
} from '../domain/valuation/grade.ts'
import { TARGET_MARGIN_PERCENT } from '../domain/valuation/projection.ts'
import type { Broader } from '../usecases/suggestSearches.ts'
import type { KnownAppraisal } from '../usecases/valuation/readAppraisal.ts'
import { closesAt } from '../words/closing.ts'
import {
  biddingWords,
  bidsOf,
  closeWords,
  noBidSentence,
} from '../words/listingWords.ts'

/** Appraisals that a caller may see, by the ids of their lots. */
export type Values = ReadonlyMap<string, KnownAppraisal>

/**
 * A page of a search that found something, or the lots that were named, one lot
 * in two lines.
 * @param fields those that the agent asked for; null: what decides a bid.
 * @param auctions live lots by auction.
 */
export function pageText(
  page: Ok<'searchListings'>,
  input: Input<'searchListings'>,
  values: Values,
  fields: string[] | null = null,
  auctions: ReadonlyMap<string, number> = new Map(),
) {
  const { data, total, total_pages, missing, twins } = page
  const textOf = (lot: Listing, n: number) =>
    (fields
      ? shortText(lot, fields)
      : lotText(lot, values.get(lot.id), auctions)) +
    (twins?.[n] ? `\n  +${twins[n]} more like it in this sale` : '')
  if (missing) {
    const unknown =
      missing.length > 0
        ? ` No lot is named ${missing.map(name => `"${printable(name, 40)}"`).join(', ')}: search for it by words.`
        : ''
    return [
      `${count(total, 'lot')} of ${total + missing.length}.${unknown}`,
      ...data.map(textOf),
    ].join('\n')
  }
  if (data.length === 0)
    return `Page ${page.page} is past the end: ${count(total, 'live lot')} on ${count(total_pages, 'page')}.`
  const next =
    page.page < Math.min(total_pages, MAX_PAGE)
      ? ` For more, call again with "page": ${page.page + 1}.`
      : ''
  const head = `${count(total, 'live lot')}, page ${page.page} of ${total_pages}, ${orderText(input)}.${next}`
  return [head, ...data.map(textOf)].join('\n')
}

function shortText(lot: Listing & Record<string, unknown>, fields: string[]) {
  const facts = fields
    .filter(name => (lot[name] ?? null) !== null)
    .map(name => `${name} ${valueText(name, lot[name])}`)
  return `- ${[oneLine(lot.title), ...facts].join('; ')}\n  ${lot.bidprowl_url}`
}

function orderText({ sort, q }: Input<'searchListings'>) {
  return sort === undefined && q !== undefined
    ? 'best match first'
    : `sorted by ${sort ?? 'ending_soon'}`
}

/**
 * For a search that found nothing: what finds something. The words are what was
 * wanted, so it never says to leave them out.
 * @param broader the same search without one filter. @param suggested other
 * words that find something.
 * @param nearest the first lot outside the radius; null for a search without a
 * ZIP code.
 */
export function emptyText(
  input: Input<'searchListings'>,
  broader: Broader[],
  suggested: Ok<'searchListings'>['suggestion'],
  nearest: Listing | null,
) {
  const words = suggested
    ? ` "q": ${JSON.stringify(oneLine(suggested.q))} finds ${count(suggested.total, 'lot')}.`
    : ''
  const place = [nearest?.city, nearest?.state].filter(Boolean).join(', ')
  const far = nearest
    ? `; the nearest is ${count(nearest.distance_miles!, 'mile')} away in ${place}`
    : ''
  const without = broader.map(
    ({ filter, total }) =>
      `${formatNumber(total)} without "${filter}"${filter === 'zip' ? far : ''}`,
  )
  const wider = without.length > 0 ? ` ${without.join(', ')}.` : ''
  if (words || wider) return `No live lot matches.${words}${wider}`
  if (input.q !== undefined)
    return 'No live lot matches these words. Try other names of the thing.'
  if (filtersOf(input).length === 0) return 'No lot is live now.'
  return 'No live lot matches, and leaving out one filter alone finds nothing either: leave out two or more.'
}

function lotText(
  lot: Listing,
  value: KnownAppraisal | undefined,
  auctions: ReadonlyMap<string, number>,
) {
  const others = (auctions.get(lot.auction_id ?? '') ?? 1) - 1
  const facts = [
    lot.status !== 'live' && lot.status,
    priceText(lot),
    biddingWords(lot),
    endText(lot),
    [lot.city, lot.state].filter(Boolean).join(', '),
    lot.distance_miles !== null && `${count(lot.distance_miles, 'mile')} away`,
    lot.condition_grade,
    lot.flip_score !== null && `Flip Score ${lot.flip_score}`,
    verdictWords(lot)?.replace(/^./, first => first.toLowerCase()),
    closeWords(lot).replace('W', 'w'),
    value
      ? typicalText(value.estimated_value_cents, value.known)
      : aboutText(lot),
    unadvised(lot),
    others > 0 && `+${others} more in auction ${lot.auction_id}`,
  ]
  const official = isDemo(lot) ? '' : `; official: ${lot.source_url}`
  return `- ${oneLine(lot.title)} (${lot.category}): ${facts.filter(Boolean).join('; ')}
  ${lot.bidprowl_url}${official}`
}

function endText(lot: Listing) {
  if (lot.end_date === null) return 'no end is known'
  if (isOver(lot)) return lot.status !== 'withdrawn' && `ended ${lot.end_date}`
  return lot.end_precision === 'day'
    ? `closes ${closesAt(lot, 'UTC')}`
    : `ends ${lot.end_date}`
}

/**
 * What every caller may know of a value: "typical price about $6,000 (from
 * similar sales)"; null where none is known.
 */
export function aboutText({
  approximate_value_cents,
  value_grade,
  category,
}: Listing): string | null {
  if (approximate_value_cents === null || value_grade === null) return null
  return typicalText(
    approximate_value_cents,
    gradeWords(value_grade, null, category),
  )
}

/** @param known how the value is known: "from 25 similar sales". */
function typicalText(value_cents: number, known: string) {
  return `typical price about ${aboutDollars(value_cents)} (${known})`
}

/**
 * The Flip Score in sentences, with the price that it judges, and why unless
 * the bids have passed the value.
 */
export function verdictText(
  lot: Listing,
  { flip_score, factors, price_kind }: Schemas['FlipScore'],
) {
  const reason = lot.value_note ? '' : ` ${scoreReason(factors, price_kind)}`
  const state = lot.status === 'live' ? '' : `${lot.status}; `
  return `${scoreWords({ ...lot, flip_score })}: ${state}${priceText(lot)}, ${bidsOf(lot)}.${reason}`
}

/**
 * Why nobody can say what to bid on a lot: "no bid advised: too few similar
 * sales"; false where a verdict says it, and after the end.
 */
export function unadvised(lot: Listing): string | false {
  return (
    takesBids(lot) &&
    lot.verdict === null &&
    `no bid advised: ${whyUnpriced(lot)}`
  )
}

function takesBids(lot: Listing) {
  return !isOver(lot) && lot.offer_kind !== 'fixed_price'
}

/** A highest bid, or why there is none. @param lot null for a title. */
function boundText(most: number | null, lot: Listing | null) {
  if (!most)
    return most === 0
      ? 'no bid leaves the margin'
      : 'no bid advised: too few similar sales'
  const limit = rounded(most, Math.floor)
  const isPast = lot && (leastBid(lot) ?? 0) > limit
  return `${isPast ? 'the next bid is already above our limit of' : 'bid up to'} ${roundedDollars(limit)}`
}

/**
 * What a lot is worth, and what to bid while it takes bids.
 * @param known how the value is known: "from 25 similar sales".
 * @param lot null for a title.
 * @param advice what is said in place of the highest bid.
 */
export function appraisalText(
  appraisal: NonNullable<Schemas['Appraisal']>,
  known = gradeWords(appraisal.grade, null),
  lot: Listing | null = null,
  advice: string | false = false,
): string {
  const {
    estimated_value_cents,
    likely_low_cents,
    likely_high_cents,
    max_bid_cents,
  } = appraisal
  const band = bandWords(
    appraisal.grade,
    aboutDollars(likely_low_cents),
    aboutDollars(likely_high_cents),
  )
  const seen =
    appraisal.seen_factor === null
      ? ''
      : ` ${seenSentence(appraisal.seen_factor)}`
  const value =
    `Typical price about ${aboutDollars(estimated_value_cents)}, ${known}; ${band}.${seen} ${noBidSentence(appraisal.no_bid_chance)}`.trimEnd()
  if (lot && !takesBids(lot)) return value
  const bound = boundText(max_bid_cents, lot).replace(/^./, first =>
    first.toUpperCase(),
  )
  const bid = max_bid_cents
    ? `${bound} for a margin of ${appraisal.target_margin_percent}%.`
    : `${bound}.`
  return `${value} ${(max_bid_cents !== null && advice) || bid}`
}

/**
 * What the short form of sold-price statistics leaves out, wherever it stands.
 */
const ONLY_LONG = [
  'percentiles',
  'resale_margin',
  'range_low_cents',
  'range_high_cents',
  'projected_close_cents',
  'projection_basis',
  'target_margin_percent',
  'stats_of',
  'piece_median_cents',
  'resale_value_cents',
  'real',
]
const SHOWN_SALES = 3

/**
 * Sold-price statistics with what decides a bid, and the three most similar
 * sales.
 */
export function shortComps(data: Schemas['Comps']) {
  const comparables =
    data.comparables
      ?.slice(0, SHOWN_SALES)
      .map(({ similarity: _similarity, ...sale }) => sale) ?? null
  return compactAnswer({ data: { ...data, comparables } }, ONLY_LONG) as object
}

/** What an entry of several titles leaves out in the short form, besides. */
const ONLY_OF_ONE = [
  'min_cents',
  'max_cents',
  'price_basis',
  'confidence',
  'comparables',
  'neighbors_percent',
  'seen_factor',
  'no_bid_chance',
]

/** Several titles, each with what decides a bid. */
export function shortTitles(titles: Schemas['TitleComps'][]) {
  return compactAnswer({ titles }, [...ONLY_LONG, ...ONLY_OF_ONE]) as object
}

/**
 * The same, one title a line: "- desk: typical price about $40 (from similar
 * sales); bid up to $28".
 */
export function titlesText(titles: Schemas['TitleComps'][]) {
  const head = `Highest bids leave a margin of ${TARGET_MARGIN_PERCENT}%.`
  const lines = titles.map(({ title, appraisal, reason }) => {
    if (!appraisal) return `- ${oneLine(title)}: ${reason}`
    const { estimated_value_cents, grade, max_bid_cents } = appraisal
    const value = typicalText(estimated_value_cents, gradeWords(grade, null))
    return `- ${oneLine(title)}: ${value}; ${boundText(max_bid_cents, null)}`
  })
  return [head, ...lines].join('\n')
}

/** Sold-price statistics in sentences. */
export function compsText(data: Schemas['Comps']) {
  const {
    sold_count,
    median_cents,
    min_cents,
    max_cents,
    piece_count,
    piece_median_cents,
  } = data
  const { comparables, appraisal, resale_margin, your_costs } = data
  const isMixed = piece_median_cents !== null && piece_count < sold_count
  const single = isMixed
    ? `; single items: ${dollars(piece_median_cents)} (${count(piece_count, 'sale')})`
    : ''
  const prices = `${count(sold_count, 'sale')}${seenOf(data)}: median ${dollars(median_cents)}${single}, from ${dollars(min_cents)} to ${dollars(max_cents)}.`
  const sales = (comparables ?? [])
    .slice(0, SHOWN_SALES)
    .map(
      sale =>
        `- ${oneLine(sale.title)}: ${sale.price_basis === 'last_observed' ? 'last bid seen ' : ''}${dollars(sale.price_cents)} on ${sale.sold_at.slice(0, 10)}`,
    )
  // The price is above the highest bid.
  const past =
    (resale_margin?.margin_percent ?? TARGET_MARGIN_PERCENT) <
      TARGET_MARGIN_PERCENT &&
    `No bid advised: at this price the margin is below ${TARGET_MARGIN_PERCENT}%.`
  const most = your_costs?.limit_cents
  const yours = most
    ? `Your limit is ${dollarsDown(most)}.`
    : your_costs && 'No bid leaves your margin.'
  const worth = appraisal
    ? appraisalText(appraisal, undefined, null, yours ?? past)
    : data.listing_id && 'No value is shown: bids contradict our value.'
  const none =
    comparables?.length === 0 && 'No sale is similar; the prices of other lots:'
  return [[none, prices, worth].filter(Boolean).join(' '), ...sales].join('\n')
}

/**
 * Those of the sales without a real price: ", 12 by last bids seen, and lots
 * close at or above these".
 */
function seenOf({
  sold_count,
  real,
}: Pick<Schemas['Comps'], 'sold_count' | 'real'>) {
  const seen = sold_count - real.count
  return seen > 0
    ? `, ${formatNumber(seen)} by last bids seen, and lots close at or above these`
    : ''
}

function priceText(lot: Listing) {
  const price = priceOf(lot)
  if (!price) return 'no price: its source publishes none'
  return `${price.label.toLowerCase()} ${shortDollars(price.cents)}`
}

/** What `worth` says in words. */
const BAND = ['likely_low_cents', 'likely_high_cents']

/** An object without null, one field a line; amounts are also in dollars. */
export function fieldsText(fields: object) {
  return Object.entries(fields)
    .filter(([name]) => !BAND.includes(name))
    .map(([name, value]) => `${name}: ${valueText(name, value)}`)
    .join('\n')
}

function valueText(name: string, value: unknown): string {
  if (Array.isArray(value))
    return value.map(one => `\n- ${valueText(name, one)}`).join('')
  if (typeof value === 'object' && value !== null) return partsText(value)
  if (typeof value === 'number' && name.endsWith('_cents'))
    return `${value} (${dollars(value)})`
  return oneLine(String(value))
}

function partsText(parts: object) {
  return Object.entries(parts)
    .map(([name, value]) => `${name} ${valueText(name, value)}`)
    .join(', ')
}

/** A tracked item: "desk: Desk; 12 live, 34 sold, median $40". */
export function itemLine(item: Ok<'listItems'>['data'][number]): string {
  const { slug, name, live_count, sold_count, median_cents } = item
  const median =
    median_cents === null ? '' : `, median ${roundedDollars(median_cents)}`
  return `${slug}: ${name}; ${live_count} live, ${sold_count} sold${seenOf(item)}${median}`
}

/**
 * The sources, those that were loaded first: "gsa: GSA Auctions; 12 live,
 * loaded 2026-11-21T09:30Z, changed by its publisher 2026-11-21".
 */
export function sourceLines(sources: Schemas['Source'][]) {
  const loaded = sources.flatMap(
    ({
      source,
      name,
      live_count,
      last_success_at: at,
      publisher_changed_at,
    }) => {
      if (at === null) return []
      const changed =
        publisher_changed_at &&
        `, changed by its publisher ${publisher_changed_at.slice(0, 10)}`
      return `${source}: ${name}; ${live_count} live, loaded ${at.slice(0, 16)}Z${changed ?? ''}`
    },
  )
  const others = sources.filter(
    ({ last_success_at }) => last_success_at === null,
  )
  return [
    ...loaded,
    `Never loaded: ${others.map(({ source }) => source).join(', ')}`,
  ]
}
