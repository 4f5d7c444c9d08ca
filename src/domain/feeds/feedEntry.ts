import { writtenValue } from '../../contract/text.ts'
import { DAY_MS } from '../durations.ts'
import { type Cells, mustBe } from './badRow.ts'
import {
  dollarsOrText,
  dollarsToCents,
  isObject,
  linkIn,
  present,
  requiredWordsIn,
  wholeId,
  wordsIn,
} from './cells.ts'
import { conditionOf } from './condition.ts'
import { feedRow, type LotName } from './feedRow.ts'
import type { FeedColumn, LotRow, PriceBasis } from './lotRow.ts'
import {
  dayBeginningAt,
  instantOf,
  instantOfWallClock,
  isUnknownDate,
} from './moments.ts'
import { NAMED, titleWithoutPeople, withoutPeople } from './people.ts'
import { isPerson, isPersonalColumn } from './personalCells.ts'
import { tidyLines, withoutMarkup, withoutVins } from './plainText.ts'

const FACTS = [
  'odometer_miles',
  'engine_hours',
  'runs',
  'road_title',
  'open_recall',
] as const
/**
 * The fields of `lot` that hold exactly one column of the portal, in braces.
 */
const ONE_COLUMN_FIELDS = [
  'price',
  'starting_bid',
  'current_bid',
  'bids',
  'increment',
  'buy_now',
  'reserve',
  'reserve_met',
  'buyers_premium_percent',
  'quantity',
  'mileage',
  ...FACTS,
  'start',
  'end',
  'time',
  'latitude',
  'longitude',
] as const
type OneColumn = (typeof ONE_COLUMN_FIELDS)[number]
/** Those that are texts, in which columns can stand. */
const TEXT_FIELDS = [
  'id',
  'title',
  'description',
  'category',
  'condition',
  'auction',
  'city',
  'state',
  'zip',
  'link',
  'image',
] as const
type Text = (typeof TEXT_FIELDS)[number]

/**
 * The fields of `lot` in an entry, by what their values are in
 * `data/feeds.schema.json`.
 */
export const ENTRY_FIELDS = { text: TEXT_FIELDS, column: ONE_COLUMN_FIELDS }

/** What only a sale has, from `price`. */
type OfSale = 'outcome' | 'final_bid_cents' | 'price_basis'

/**
 * A table of an open-data portal, as `data/feeds.json` describes it;
 * docs/sources.md explains every field.
 */
export interface FeedEntry {
  key: string
  name: string
  homepage: string
  portal: 'socrata' | 'arcgis' | 'ckan' | 'csv'
  address: string
  redirect_hosts?: string[]
  /** Where the link of a lot may lead; absent: to the host of `homepage`. */
  link_hosts?: string[]
  kind: 'sold' | 'live' | 'upcoming' | 'fixed_price'
  /** What the price of a sale is. */
  basis?: PriceBasis
  /**
   * A condition in the language of the portal, or several that must all hold.
   */
  where?: string | string[]
  /**
   * The column by which rows are sorted and paged; absent for a CSV file, which
   * is read at once.
   */
  order?: string
  /**
   * Rows that are on offer, by one column or several, checked here too: a
   * portal may ignore the condition.
   */
  status?: StatusColumn | StatusColumn[]
  /** A column whose value says that the row is on offer no more. */
  closed?: string
  /** Codes of a column, such as those of a fleet, with their words. */
  words?: Record<string, Record<string, string>>
  /**
   * Rows of the table that are no lots, as a number on /sources: what they are,
   * and their condition.
   */
  /**
   * The fields of a lot as texts, in which a column in braces stands for its
   * value.
   */
  lot: { id: string; title: string } & Partial<Record<OneColumn | Text, string>>
  /** The IANA time zone of its dates. */
  zone: string
  every_hours: number
  license: { name: string; url: string } | null
  redistribute: boolean
  /** Whether it is fetched before anyone has tried it. */
  on: boolean
  /**
   * The parts of the entry that nobody has seen in an answer of the portal, or
   * in code that reads it.
   */
  assumed: string[]
  /**
   * The day, month or year of the last answer in which its columns were seen.
   */
  seen?: string
}

/** What a column says of rows that are on offer. */
export interface StatusColumn {
  column: string
  live?: string[]
  /** The first letters of words. */
  gone?: string[]
  /**
   * Days after the end in which anyone may still raise the bid, by the word of
   * the status.
   */
  raised?: Record<string, number>
}

/** Where an adapter puts the point of a feature. */
export const POINT = { latitude: '@latitude', longitude: '@longitude' }

const COLUMN = /\{([^{}]+)\}/g

/**
 * The columns that a feed requests. No others are read, so that none with
 * personal data can be stored.
 */
export function columnsOf({ lot, order, status, closed }: FeedEntry): string[] {
  const inLot = Object.values(lot).flatMap(columnsIn).flatMap(alternatives)
  const all = [
    order,
    ...inLot,
    ...statusesOf(status).map(({ column }) => column),
    closed,
  ]
  return [...new Set(all.filter(column => column !== undefined))]
}

export function statusesOf(status: FeedEntry['status']): StatusColumn[] {
  return status === undefined ? [] : [status].flat()
}

/** The conditions of a feed as one; empty for none. */
export function whereOf({ where = [] }: FeedEntry): string {
  return typeof where === 'string'
    ? where
    : where.map(condition => `(${condition})`).join(' AND ')
}

/** The columns in `{a|b}`, of which the first that is filled counts. */
function alternatives(names: string) {
  return names.split('|')
}

/**
 * The requested columns whose names say that they hold people, plates or
 * contact details: no entry may have one.
 */
export function personalColumns(feed: FeedEntry): string[] {
  return columnsOf(feed).filter(isPersonalColumn)
}

const NOTHING = /^(?:n\/?a|none|null|tbd|-+)$/i

/** "1200 SGT YORK HWY" names no person. */
const STREET =
  /^\d{1,6} [A-Z\d'. -]{1,40} (?:AVE|BLVD|CIR|CT|DR|HWY|LN|LOOP|PIKE|PKWY|PL|PLACE|RD|ST|STREET|TER|TRL|WAY)\.?$/i

/** Any cell of several words can be written by hand, and name people. */
function withoutNames(text: string) {
  const [first, ...more] = tidyLines(withoutMarkup(text)).split('\n')
  return withoutPeople(
    [titleWithoutPeople(first!), ...more].join('\n'),
    [],
  ).trim()
}

/**
 * The cells of a row without people, without what stands for an empty one, and
 * without what nested values hold: nobody asked for that. Of a cell that only
 * names a person it stays that something stands there, so that a price is
 * counted as not read, and a lot that is gone is gone.
 */
export function plainCells(cells: Cells): Cells {
  const plain = (value: unknown) => {
    if (
      typeof value === 'string' &&
      /\p{L}/u.test(value) &&
      /[\s@]/.test(value.trim()) &&
      !STREET.test(value)
    )
      return (!isPerson(value) && withoutNames(value)) || NAMED
    if (typeof value === 'string')
      return NOTHING.test(value.trim()) ? null : value
    return typeof value === 'object' ? null : value
  }
  return Object.fromEntries(
    Object.entries(cells).map(([name, value]) => [name, plain(linkOr(value))]),
  )
}

/**
 * The address of a link that is an object or markup, any other value as it is;
 * without what no database can store.
 */
function linkOr(value: unknown) {
  const written = isObject(value) ? value.url : value
  if (typeof written !== 'string') return written
  const [, address] =
    /^\s*<a\s[^<>]{0,300}?href\s*=\s*["']?(https?:[^"'\s>]{1,2000})/i.exec(
      written,
    ) ?? []
  return address ?? written.toWellFormed().replaceAll('\0', ' ')
}

/**
 * Whether a row is a lot that matters at `now`: a sale with a price, or an
 * offer that has not ended. Does not throw.
 */
export function isOffered(feed: FeedEntry, cells: Cells, now: Date): boolean {
  const { kind, lot, status, closed } = feed
  const isSale = kind === 'sold'
  if (closed && (cells[closed] ?? '') !== '') return false
  const price = isSale ? cells[columnIn(lot.price!, cells)] : 1
  if (Number(price) === 0) return false
  const end = lot.end ? endOf(feed, cells) : null
  const left_ms = end === null ? null : Date.parse(end) - now.getTime()
  if (left_ms !== null && (isSale ? left_ms > DAY_MS : left_ms <= 0))
    return false
  return statusesOf(status).every(({ column, live, gone = [] }) => {
    const word = statusIn(cells, column)
    const isGone = gone.some(start =>
      word.split(/\W+/).some(part => part.startsWith(start.toLowerCase())),
    )
    return !isGone && (live?.some(one => one.toLowerCase() === word) ?? true)
  })
}

/** @throws BadRow when the row does not name its lot. */
export function feedKey({ key, lot }: FeedEntry, cells: Cells): LotName {
  return {
    source: key,
    source_id: wholeId(present(textOf(lot.id, cells), columnIn(lot.id, cells))),
  }
}

/**
 * A row of a portal as a lot.
 * @throws BadRow with the first thing that is wrong.
 */
export function feedLot(feed: FeedEntry, cells: Cells): LotRow {
  const { kind, lot, zone } = feed
  const text = (field: Text) =>
    withoutVins(textOf(lot[field] ?? '', cells, feed.words) ?? '') || null
  const cents = (field: OneColumn) =>
    lot[field] ? centsIn(cells, columnIn(lot[field], cells)) : null
  const key = feedKey(feed, cells)
  const coded = (field: OneColumn) => {
    const column = columnIn(lot[field] ?? '', cells)
    return feed.words?.[column]?.[writtenValue(cells[column])] ?? cells[column]
  }
  const written = (field: OneColumn) =>
    wordsIn(cells, columnIn(lot[field] ?? '', cells))
  const facts = Object.fromEntries(
    FACTS.map(name => [name, coded(name)]),
  ) as Record<(typeof FACTS)[number], unknown>
  const columns = {
    ...key,
    title: present(
      text('title') ?? titleWithoutColumns(lot.title, key.source_id),
      columnIn(lot.title, cells),
    ),

    description: text('description'),
    category: text('category'),
    condition_grade: conditionOf('', text('condition')) ?? text('condition'),
    auction_name: text('auction'),

    state: text('state'),
    city: text('city'),
    zip: text('zip'),

    starting_bid_cents: cents('starting_bid'),
    current_bid_cents: cents('current_bid'),
    num_bids: written('bids'),
    bid_increment_cents: cents('increment'),
    buy_now_cents: cents('buy_now'),
    reserve_met: coded(lot.reserve ? 'reserve' : 'reserve_met'),
    buyers_premium_percent: coded('buyers_premium_percent'),
    ...facts,
    ...(lot.mileage && { odometer_miles: coded('mileage') }),
    start_date: startIn(feed, cells),
    end_date: endIn(feed, cells),
    source_url: linkOf(feed, cells) ?? feed.homepage,
    image_url: filledLink(lot.image ?? '', cells),
    offer_kind: kind === 'fixed_price' ? kind : null,
  } satisfies Record<Exclude<FeedColumn, OfSale>, unknown>
  const sale = lot.price && {
    outcome: 'sold',
    price_basis: feed.basis,
    final_bid_cents: present(
      dollarsIn(cells, columnIn(lot.price, cells)),
      columnIn(lot.price, cells),
    ),
  }
  const row = feedRow({ ...columns, ...sale }, () => zone)
  return {
    ...row,
    quantity: Number(written('quantity')) || null,
    is_preview: kind === 'upcoming',
    point: pointIn(lot, cells),
  }
}

/**
 * A title of which no column is filled, up to the first one, and the id: "Land
 * bank lot, parcel 105-12-945". Null without words.
 */
function titleWithoutColumns(template: string, id: string) {
  const [words = ''] = template.split('{')
  return words.trim() ? `${words.trim()} parcel ${id}` : null
}

/**
 * Null when every column in it is empty. What an empty column leaves between
 * two commas goes too.
 */
function textOf(
  template: string,
  cells: Cells,
  words: FeedEntry['words'] = {},
) {
  let values = 0
  const text = template.replace(COLUMN, (_, names: string) => {
    const column = filledIn(names, cells)
    const value = wordsOf(cells, column)
    if (value === null) return ''
    values += 1
    // Detroit writes its parcels as "14001.".
    return (
      words[column]?.[value] ??
      MAKES.get(value) ??
      value.replace(/^(\d+)\.$/, '$1')
    )
  })
  if (values === 0 && template.includes('{')) return null
  return text
    .split(/,\s+/)
    .map(part => part.replace(/\s+/g, ' ').trim())
    .filter(Boolean)
    .join(', ')
}

function columnsIn(template: string) {
  return [...template.matchAll(COLUMN)].map(([, column]) => column!)
}

/** The first column in a text, of alternatives the one that is filled. */
function columnIn(template: string, cells: Cells) {
  return filledIn(columnsIn(template)[0] ?? template, cells)
}

function filledIn(names: string, cells: Cells) {
  const columns = alternatives(names)
  return columns.find(column => wordsOf(cells, column) !== null) ?? columns[0]!
}

/** The words of a cell, null also where they only named a person. */
function wordsOf(cells: Cells, column: string): string | null {
  const words = wordsIn(cells, column)
  return words === NAMED ? null : words
}

/**
 * Null where what comes is no link to a host of the feed: the lot then leads to
 * the page of its feed.
 */
function linkOf(
  { lot, homepage, link_hosts = [new URL(homepage).host] }: FeedEntry,
  cells: Cells,
) {
  const link = filledLink(lot.link ?? '', cells)
  return link !== null && link_hosts.includes(new URL(link).host) ? link : null
}

/** Null where a column in it is empty, or what comes is no link. */
function filledLink(template: string, cells: Cells) {
  if (
    columnsIn(template).some(
      names => wordsOf(cells, filledIn(names, cells)) === null,
    )
  )
    return null
  const written = template.startsWith('{') ? String : encodeURIComponent
  const filled = template.replace(COLUMN, (_, names: string) =>
    written(wordsIn(cells, filledIn(names, cells))!),
  )
  return linkIn({ link: filled }, 'link')
}

/** Dollars as cents, null for 0; as text where they cannot be read. */
function centsIn(cells: Cells, column: string) {
  return dollarsOrText({ [column]: wholeCents(cells[column]) }, column) || null
}

/** As `centsIn`. @throws BadRow where they cannot be read. */
function dollarsIn(cells: Cells, column: string) {
  return dollarsToCents({ [column]: wholeCents(cells[column]) }, column) || null
}

/**
 * Servers compute with floating point, so what is finer than a cent is rounded.
 */
function wholeCents(value: unknown) {
  return /^\d+\.\d{3,}$/.test(String(value)) ? Number(value).toFixed(2) : value
}

function statusIn(cells: Cells, column: string) {
  return `${cells[column] ?? ''}`.trim().toLowerCase()
}

/** The first second of its day, or the time that is written. */
function startIn({ lot, zone }: FeedEntry, cells: Cells) {
  const start = lot.start && dateOfCell(cells[columnIn(lot.start, cells)], zone)
  return start
    ? (instantOf(start, 'start', zone) ?? instantOfWallClock(start, zone))
    : null
}

function endIn(feed: FeedEntry, cells: Cells) {
  if (!feed.lot.end) return null
  const column = columnIn(feed.lot.end, cells)
  const end = endOf(feed, cells)
  if (feed.kind === 'sold' && end === null)
    throw mustBe(
      column,
      'a date such as 2026-10-08',
      requiredWordsIn(cells, column),
    )
  // What cannot be read is left for the feed format, which says so.
  return end ?? (isUnknownDate(cells[column]) ? null : cells[column])
}

/**
 * "10:30 A.M.", "10", "14:00", "1400 hrs", "12 Noon"; hours without a half of
 * the day are those of an office.
 */
const CLOCK =
  /^(?:(\d{1,2})(?::?(\d{2}))?(?: o.clock)?\s*(?:([ap])\.?m|noon)?|noon)(?![\w:])/i

/**
 * The end of a row: its day with the time of a column of its own, where it has
 * one, and the days in which bids are still raised.
 */
function endOf({ lot, status, zone }: FeedEntry, cells: Cells) {
  const day = dateOfCell(cells[columnIn(lot.end!, cells)], zone)
  if (day === null) return null
  const time = String(cells[columnIn(lot.time ?? '', cells)] ?? '').trim()
  const [
    whole,
    hour = '12',
    minute = '00',
    half = /^(?:[1-6]|12)$/.test(hour) ? 'p' : 'a',
  ] = CLOCK.exec(time) ?? []
  const timed =
    whole &&
    instantOfWallClock(
      `${day} ${hour}:${minute}${Number(hour) > 12 ? '' : ` ${half}m`}`,
      zone,
    )
  const days = statusesOf(status).find(({ raised }) => raised)
  const more = days?.raised?.[statusIn(cells, days.column)]
  const last = more === undefined ? null : instantOfWallClock(day, 'UTC')
  if (more === undefined || last === null)
    return timed || instantOfWallClock(day, zone)
  const raisedUntil = new Date(Date.parse(last) + more * DAY_MS)
  return instantOfWallClock(raisedUntil.toISOString().slice(0, 10), zone)
}

/**
 * A portal's date as text: written without a zone, or seconds or milliseconds
 * since 1970. The first minute of a day in UTC or in the zone of the feed
 * stands for the whole day, which becomes its last second in the zone of the
 * feed.
 */
function dateOfCell(value: unknown, zone: string) {
  if (
    (typeof value !== 'string' && typeof value !== 'number') ||
    isUnknownDate(value)
  )
    return null
  const words = String(value).trim()
  const ms = millisecondsIn(words)
  const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(words)
    ? Date.parse(words)
    : ms
  const day = Number.isNaN(instant) ? null : dayBeginningAt(instant, zone)
  return (
    day ??
    (Number.isNaN(ms) ? words : String(ms)).replace(/T00:00:[\d.]+Z?$/, '')
  )
}

/**
 * Milliseconds or seconds since 1970, in milliseconds; NaN for anything else.
 */
function millisecondsIn(words: string): number {
  if (/^\d{12,13}$/.test(words)) return Number(words)
  return /^1\d{9}$/.test(words) ? 1000 * Number(words) : Number.NaN
}

/**
 * Null where the source has no point, or one that is not in the United States
 * or its territories.
 */
function pointIn(lot: FeedEntry['lot'], cells: Cells): LotRow['point'] {
  const degrees = (axis: keyof typeof POINT) =>
    degreesIn(cells[columnIn(lot[axis] ?? '', cells)]) ??
    degreesIn(cells[POINT[axis]])
  const latitude = degrees('latitude')
  const longitude = degrees('longitude')
  if (latitude === null || longitude === null) return null
  // From American Samoa to Alaska; Guam and the ends of the Aleutians lie east
  // of the date line.
  const isAmerican =
    latitude > -15 && latitude < 72 && (longitude < -64 || longitude > 140)
  return isAmerican ? { latitude, longitude } : null
}

function degreesIn(value: unknown) {
  if (
    typeof value !== 'number' &&
    (typeof value !== 'string' || value.trim() === '')
  )
    return null
  const degrees = Number(value)
  return Number.isFinite(degrees) && Math.abs(degrees) <= 180 ? degrees : null
}

/** Makes that fleets cut to four letters. */
const MAKES = new Map(
  'Toyota Chevrolet Dodge Nissan Honda Hyundai Freightliner Peterbilt Kenworth Harley-Davidson International Caterpillar'
    .split(' ')
    .map(make => [make.slice(0, 4).toUpperCase(), make]),
)
