import { closest } from 'fastest-levenshtein'
import sources from '../../../data/sources.json' with { type: 'json' }
import { securePhoto } from '../photos.ts'
import { CATEGORIES } from '../titles/categories.ts'
import { BadRow, type Cells, columnAtFault, mustBe, shown } from './badRow.ts'
import {
  bidCountIn,
  centsIn,
  decimalIn,
  flagIn,
  paragraphsIn,
  percentIn,
  present,
  textIn,
  urlIn,
  wholeId,
  wordIn,
} from './cells.ts'
import { conditionOf } from './condition.ts'
import {
  FEED_COLUMNS,
  type LotRow,
  OFFER_KINDS,
  type Outcome,
  PRICE_BASES,
} from './lotRow.ts'
import { instantOf, isUnknownDate } from './moments.ts'
import { describedWithoutPeople, NAMED, titleWithoutNames } from './people.ts'
import { withoutContacts, withoutMarkup } from './plainText.ts'
import { MILITARY_MAIL, STATES, zipCode } from './states.ts'

/** The columns that every row must fill. */
export const REQUIRED_FEED_COLUMNS = [
  'source',
  'source_id',
  'title',
  'source_url',
]

const OUTCOMES = ['sold', 'unsold', 'withdrawn'] as const
const MOST_BIDS = 1_000_000
const MOST_MILES = 2_000_000
const MOST_HOURS = 200_000
const MOST_UNKNOWN = 5

/** The host of a source's lots, without www; unknown for most. */
const LOT_HOSTS = new Map(
  sources.flatMap(({ key, lot_url }) =>
    lot_url ? [[key, new URL(lot_url).hostname.replace(/^www\./, '')]] : [],
  ),
)

const CONDITIONS = Object.entries({
  n: 'new',
  u: 'usable',
  r: 'repairable',
  x: 'salvage',
  s: 'scrap',
})

/**
 * Columns without which nobody knows which lot a row is of, what it is, or
 * whether it is sold.
 */
const ESSENTIAL = new Set([...REQUIRED_FEED_COLUMNS, 'outcome'])

/**
 * One row of the feed format, checked and normalised. A cell of another column
 * that cannot be read is left empty; for the end of a sold lot that would be
 * wrong, since its sale would count from today.
 * @param zoneOf the IANA time zone in which a source writes bare dates.
 * @throws BadRow with the first thing that is wrong with what cannot be left
 * empty.
 */
export function feedRow(
  cells: Cells,
  zoneOf: (source: string) => string,
): LotRow {
  const unread: string[] = []
  for (let left = cells; ; ) {
    try {
      const row = checkedRow(left, zoneOf)
      return unread.length > 0 ? Object.assign(row, { unread }) : row
    } catch (error) {
      if (!(error instanceof BadRow)) throw error
      const column = columnAtFault(error.message)
      const isOfSale =
        column === 'end_date' &&
        textIn(left, 'outcome')?.toLowerCase() === 'sold'
      if (isOfSale || ESSENTIAL.has(column) || (left[column] ?? null) === null)
        throw Object.assign(error, { unread })
      unread.push(unreadCell(column, left[column]))
      // Nothing better is known of a price whose basis cannot be read.
      left = {
        ...left,
        [column]: column === 'price_basis' ? 'last_observed' : null,
      }
    }
  }
}

/** Names no person: whoever reads it is told where to look. */
function unreadCell(column: string, value: unknown) {
  const words = describedWithoutPeople(shown(value).slice(1, -1)) || NAMED
  return column.endsWith('_cents')
    ? `price not read: ${words} (${column})`
    : `${column} not read: ${words}`
}

function checkedRow(cells: Cells, zoneOf: (source: string) => string): LotRow {
  refuseUnknownColumns(cells)
  const { source, source_id } = lotKey(cells)
  const offer_kind = wordIn(cells, 'offer_kind', OFFER_KINDS) ?? 'auction'
  const bidding = biddingIn(cells, offer_kind === 'auction')
  const { outcome } = bidding
  const title = present(
    titleWithoutNames(withoutPictographs(textIn(cells, 'title', 500)) ?? '') ||
      null,
    'title',
  )
  const words = wordsOfDescription(cells)
  const state = stateIn(cells)
  const start_date = dateIn(cells, 'start_date', 'start', zoneOf(source))
  const end_date = dateIn(cells, 'end_date', 'end', zoneOf(source))
  if (
    outcome === 'sold' &&
    end_date === null &&
    textIn(cells, 'end_date') !== null
  )
    throw mustBe('end_date', 'the day of the sale', cells.end_date)
  if (
    start_date !== null &&
    end_date !== null &&
    Date.parse(end_date) < Date.parse(start_date)
  )
    throw new BadRow(
      `start_date (${start_date}) is after end_date (${end_date}).`,
    )
  const miles = decimalIn(
    cells,
    'odometer_miles',
    MOST_MILES,
    'a number of miles from 0 to 2,000,000',
  )
  return {
    source,
    source_id,
    title,
    description: describedWithoutPeople(words),
    state,

    ...bidding,
    start_date,
    end_date,
    category: wordIn(cells, 'category', CATEGORIES),
    city: usualCapitals(describedWithoutPeople(textIn(cells, 'city', 200))),
    zip: zipIn(cells, state),
    buy_now_cents: centsIn(cells, 'buy_now_cents'),
    condition_grade: conditionIn(cells) ?? conditionOf(title, words),
    image_url: securePhoto(source, urlIn(cells, 'image_url')),
    source_url: sourceUrlIn(cells, source),
    offer_kind,
    // A step of 0 is none.
    bid_increment_cents: centsIn(cells, 'bid_increment_cents') || null,
    auction_name: describedWithoutPeople(textIn(cells, 'auction_name', 200)),
    buyers_premium_percent: percentIn(cells, 'buyers_premium_percent'),
    // A table has 0 where nobody wrote it down.
    odometer_miles: Math.round(miles ?? 0) || null,
    engine_hours: decimalIn(
      cells,
      'engine_hours',
      MOST_HOURS,
      'a number of hours from 0 to 200,000',
    ),
    runs: flagIn(cells, 'runs'),
    road_title: flagIn(cells, 'road_title'),
    open_recall: flagIn(cells, 'open_recall'),
  }
}

/**
 * The bids of a row and what came of them. Most platforms give the opening
 * price as the current one while nobody has bid: it becomes the starting bid,
 * and nothing without a bid, or below the reserve, is a sale.
 * @param isAuction a fixed price takes no bids, whatever their number says.
 */
function biddingIn(cells: Cells, isAuction: boolean) {
  const said = wordIn(cells, 'outcome', OUTCOMES)
  const reserve_met = flagIn(cells, 'reserve_met')
  const number = bidCountIn(cells, 'num_bids', MOST_BIDS)
  const bids = isAuction ? number : null
  const isNoSale = said === 'sold' && (bids === 0 || reserve_met === false)
  const outcome = isNoSale ? 'unsold' : said
  const amount = centsIn(cells, 'current_bid_cents')
  const opening = centsIn(cells, 'starting_bid_cents')
  const isBid =
    bids === null
      ? outcome === 'sold' || (amount ?? 0) > (opening ?? 0)
      : bids > 0
  const current_bid_cents = isBid ? amount : null
  return {
    outcome,
    reserve_met,
    num_bids: number ?? 0,
    bids_known: bids !== null,
    current_bid_cents,
    starting_bid_cents: isBid ? opening : (opening ?? (amount || null)),
    ...(isNoSale
      ? { final_bid_cents: null, price_basis: null }
      : finalPriceIn(cells, outcome, current_bid_cents)),
  }
}

/** A title without pictographs; what is nothing else has none. */
function withoutPictographs(title: string | null) {
  if (title === null || /^[\0-ÿ]*$/.test(title)) return title
  return (
    title
      .replace(
        /(?![©®™])\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\u200d|\ufe0f)*/gu,
        '',
      )
      .replace(/\s+/g, ' ')
      .trim() || null
  )
}

/** Parts of place names that stay in capitals. */
const INITIALS =
  /^(?:APO|FPO|DPO|AFB|AFS|NAS|VA|US|JB|JBSA|JBLM|MCAS|MCB|ANG|ANGB|DC|NE|NW|SE|SW|[A-Z])$/

/**
 * WEST COLUMBIA as West Columbia; whatever has a small letter stays as it is.
 */
function usualCapitals(city: string | null) {
  if (city === null || /\p{Ll}/u.test(city)) return city
  return city.replace(/[\p{L}’']+/gu, word => {
    if (INITIALS.test(word)) return word
    if (/^(?:OF|THE|AND)$/.test(word)) return word.toLowerCase()
    const capitalized = word[0]! + word.slice(1).toLowerCase()
    return capitalized.replace(/(?<=^(?:Mc|[DLO]['’]))\p{L}/u, letter =>
      letter.toUpperCase(),
    )
  })
}

/** How a source names a lot. */
export interface LotName {
  /** The key of the source. */
  source: string
  /** Its own id. */
  source_id: string
}

/**
 * What names the lot of a row.
 * @throws BadRow when the row does not name it.
 */
export function lotKey(cells: Cells): LotName {
  const source = present(textIn(cells, 'source', 64), 'source')
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(source))
    throw mustBe('source', 'lower-case letters, digits and hyphens', source)
  const source_id = wholeId(
    present(textIn(cells, 'source_id', 200), 'source_id'),
  )
  if (withoutContacts(source_id) !== source_id)
    throw new BadRow(
      'source_id is a telephone number or an email address. Give each lot an id of its own and load the file again.',
    )
  return { source, source_id }
}

/**
 * A sentence about a column that the feed format does not have, with the
 * nearest one it has.
 */
export function unknownColumn(column: string): string {
  return `${shown(column)} is not a column of the feed format; the nearest is ${shown(closest(column.slice(0, 100), FEED_COLUMNS))}.`
}

function refuseUnknownColumns(cells: Cells) {
  const unknown = Object.keys(cells).filter(
    column => !FEED_COLUMNS.includes(column),
  )
  if (unknown.length > 0)
    throw new BadRow(
      unknown.slice(0, MOST_UNKNOWN).map(unknownColumn).join(' '),
    )
}

/**
 * People bid and pay behind this link, so it leads to the source, where it is
 * known on which host its lots are.
 */
function sourceUrlIn(cells: Cells, source: string) {
  const url = present(urlIn(cells, 'source_url'), 'source_url')
  const host = LOT_HOSTS.get(source)
  const { hostname } = new URL(url)
  if (!host || hostname === host || hostname.endsWith(`.${host}`)) return url
  throw mustBe(
    'source_url',
    `an address on ${host}, where the lots of ${source} are`,
    url,
  )
}

/**
 * Without markup: the condition is read from it before people are cut out,
 * since both can stand in one sentence.
 */
function wordsOfDescription(cells: Cells): string | null {
  const markup = paragraphsIn(cells, 'description')
  return markup === null ? null : withoutMarkup(markup)
}

/** Military mail abroad has codes like those of states, and is in no state. */
function stateIn(cells: Cells) {
  const state =
    textIn(cells, 'state')?.toUpperCase().replaceAll('.', '') ?? null
  if (state === null || MILITARY_MAIL.has(state)) return null
  if (STATES.has(state)) return state
  throw mustBe('state', 'the two-letter code of a US state or territory', state)
}

function zipIn(cells: Cells, state: string | null) {
  const text = textIn(cells, 'zip')
  const zip = text && zipCode(text, state)
  if (text && !zip) throw mustBe('zip', 'five digits or ZIP+4', text)
  return zip
}

function conditionIn(cells: Cells) {
  const grade = describedWithoutPeople(textIn(cells, 'condition_grade', 40))
  const known = CONDITIONS.find(codeAndWord =>
    codeAndWord.includes(grade?.toLowerCase() ?? ''),
  )
  return known?.[1] ?? grade
}

function dateIn(
  cells: Cells,
  column: string,
  edge: 'start' | 'end',
  zone: string,
) {
  const text = textIn(cells, column)
  if (text === null || isUnknownDate(text)) return null
  const instant = instantOf(text, edge, zone)
  if (instant !== null) return instant
  throw mustBe(
    column,
    'a real date-time with an offset (2026-11-24T18:00:00-06:00) or a date (2026-11-24)',
    text,
  )
}

function finalPriceIn(
  cells: Cells,
  outcome: Outcome | null,
  currentBidCents: number | null,
) {
  const final_bid_cents = centsIn(cells, 'final_bid_cents')
  const price_basis = wordIn(cells, 'price_basis', PRICE_BASES)
  if (outcome === null && final_bid_cents)
    throw new BadRow(
      'outcome must say sold, unsold or withdrawn where final_bid_cents is given.',
    )
  if (outcome !== 'sold') return { final_bid_cents, price_basis: null }
  if (final_bid_cents)
    return {
      final_bid_cents,
      price_basis: price_basis ?? ('closed_high_bid' as const),
    }
  if (currentBidCents)
    return {
      final_bid_cents: currentBidCents,
      price_basis: 'last_observed' as const,
    }
  throw new BadRow(
    'outcome is "sold", but neither final_bid_cents nor current_bid_cents is above 0.',
  )
}
