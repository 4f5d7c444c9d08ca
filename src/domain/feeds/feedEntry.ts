import { DAY_MS } from '../durations.ts'
import { type Cells, mustBe } from './badRow.ts'
import { dollarsToCents, linkIn, present, requiredWordsIn, wordsIn, writtenValue } from './cells.ts'
import { feedRow } from './feedRow.ts'
import type { LotRow, PriceBasis } from './lotRow.ts'
import { instantOf, instantOfWallClock, isUnknownDate } from './moments.ts'
import { titleWithoutPeople, withoutPeople } from './people.ts'
import { tidyLines, withoutMarkup } from './plainText.ts'
import { zipCode } from './states.ts'

/** Each holds exactly one column of the portal, in braces. */
type OneColumn =
  | 'price'
  | 'starting_bid'
  | 'buy_now'
  | 'reserve_met'
  | 'buyers_premium_percent'
  | 'start'
  | 'end'
  | 'time'
  | 'latitude'
  | 'longitude'
type Text = 'id' | 'title' | 'description' | 'category' | 'city' | 'state' | 'zip' | 'link'

/** A table of an open-data portal, as `data/feeds.json` describes it; docs/sources.md explains every field. */
export interface FeedEntry {
  key: string
  name: string
  homepage: string
  portal: 'socrata' | 'arcgis'
  address: string
  redirect_hosts?: string[]
  /** Where the link of a lot may lead; absent: to the host of `homepage`. */
  link_hosts?: string[]
  kind: 'sold' | 'live' | 'upcoming' | 'fixed_price'
  /** What the price of a sale is. */
  basis?: PriceBasis
  /** A condition in the language of the portal. */
  where?: string
  /** The column by which rows are sorted and paged. */
  order: string
  /** Rows that are on offer, checked here too: a portal may ignore the condition. `gone` are the first letters of words. */
  status?: {
    column: string
    live?: string[]
    gone?: string[]
    /** Days after the end in which anyone may still raise the bid, by the word of the status. */
    raised?: Record<string, number>
  }
  /** A column whose value says that the row is on offer no more. */
  closed?: string
  /** Codes of a column, such as those of a fleet, with their words. */
  words?: Record<string, Record<string, string>>
  /** Rows of the table that are no lots, as a number on /sources: what they are, and their condition. */
  count?: { of: string; where: string }
  /** The fields of a lot as texts, in which a column in braces stands for its value. */
  lot: { id: string; title: string } & Partial<Record<OneColumn | Text, string>>
  /** The IANA time zone of its dates. */
  zone: string
  every_hours: number
  license: { name: string; url: string } | null
  redistribute: boolean
  /** Whether it is fetched before anyone has tried it. */
  on: boolean
  /** The parts of the entry that nobody has seen in an answer of the portal, or in code that reads it. */
  assumed: string[]
  /** The day, month or year of the last answer in which its columns were seen. */
  seen?: string
}

/** Where an adapter puts the point of a feature. */
export const POINT = { latitude: '@latitude', longitude: '@longitude' }

const COLUMN = /\{([^{}]+)\}/g

/** The columns that a feed requests. No others are read, so that none with personal data can be stored. */
export function columnsOf({ lot, order, status, closed }: FeedEntry) {
  const all = [order, ...Object.values(lot).flatMap(columnsIn), status?.column, closed]
  return [...new Set(all.filter(column => column !== undefined))]
}

const PERSONAL =
  /(?:^|[^a-z])(?:owner|own_?name|taxpayer|defendant|plaintiff|debtor|grant[eo]|buyer|purchaser|bidder|winner|tenant|occupant|driver|contact|plate|license_?pl|phone|telephone|fax|e_?mail|mail|ssn|dob|birth|(?:first|last|full|middle|sur)_?name)/

/** The requested columns whose names say that they hold people, plates or contact details: no entry may have one. */
export function personalColumns(feed: FeedEntry) {
  return columnsOf(feed).filter(name => PERSONAL.test(name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()))
}

const NOTHING = /^(?:n\/?a|none|null|tbd|-+)$/i

/** "1200 SGT YORK HWY" names no person. */
const STREET =
  /^\d{1,6} [A-Z\d'. -]{1,40} (?:AVE|BLVD|CIR|CT|DR|HWY|LN|LOOP|PIKE|PKWY|PL|PLACE|RD|ST|STREET|TER|TRL|WAY)\.?$/i

/** Any cell of several words can be written by hand, and name people. */
function withoutNames(text: string) {
  const [first, ...more] = tidyLines(withoutMarkup(text)).split('\n')
  return withoutPeople([titleWithoutPeople(first!), ...more].join('\n'), []).trim()
}

/** The cells of a row without people, without what stands for an empty one, and without what nested values hold: nobody asked for that. */
export function plainCells(cells: Cells): Cells {
  const plain = (value: unknown) => {
    if (
      typeof value === 'string' &&
      /\p{L}/u.test(value) &&
      /[\s@]/.test(value.trim()) &&
      !STREET.test(value)
    )
      return withoutNames(value) || null
    if (typeof value === 'string') return NOTHING.test(value.trim()) ? null : value
    return typeof value === 'object' && value !== null ? {} : value
  }
  return Object.fromEntries(Object.entries(cells).map(([name, value]) => [name, plain(value)]))
}

/** Whether a row is a lot that matters at `now`: a sale with a price, or an offer that has not ended. Does not throw. */
export function isOffered(feed: FeedEntry, cells: Cells, now: Date) {
  const { kind, lot, status, closed } = feed
  const isSale = kind === 'sold'
  if (closed && (cells[closed] ?? '') !== '') return false
  const price = isSale ? cells[columnIn(lot.price!)] : 1
  if (Number(price) === 0) return false
  const end = lot.end ? endOf(feed, cells) : null
  const left_ms = end === null ? null : Date.parse(end) - now.getTime()
  if (left_ms !== null && (isSale ? left_ms > DAY_MS : left_ms <= 0)) return false
  if (!status) return true
  const word = statusIn(cells, status.column)
  const { live, gone = [] } = status
  if (gone.some(start => word.split(/\W+/).some(part => part.startsWith(start.toLowerCase())))) return false
  return live?.some(one => one.toLowerCase() === word) ?? true
}

/** @throws BadRow when the row does not name its lot. */
export function feedKey({ key, lot }: FeedEntry, cells: Cells) {
  // Detroit writes its parcels as "14001.".
  const id = textOf(lot.id, cells)?.replace(/\.$/, '') || null
  return { source: key, source_id: present(id, columnIn(lot.id)) }
}

/** A row of a portal as a lot. @throws BadRow with the first thing that is wrong. */
export function feedLot(feed: FeedEntry, cells: Cells): LotRow {
  const { kind, lot, zone } = feed
  const text = (field: Text) => titleWithoutPeople(textOf(lot[field] ?? '', cells, feed.words) ?? '') || null
  const cents = (field: OneColumn) => (lot[field] ? centsIn(cells, columnIn(lot[field])) : null)
  const coded = (field: OneColumn) => {
    const column = columnIn(lot[field] ?? '')
    return feed.words?.[column]?.[writtenValue(cells[column])] ?? cells[column]
  }
  const state = text('state')
  const zip = text('zip')
  const row = feedRow(
    {
      ...feedKey(feed, cells),
      title: present(text('title'), columnIn(lot.title)),

      description: text('description'),
      category: text('category'),

      state,
      city: text('city'),
      zip: zip && zipCode(zip, state),

      starting_bid_cents: cents('starting_bid'),
      buy_now_cents: cents('buy_now'),
      reserve_met: coded('reserve_met'),
      buyers_premium_percent: coded('buyers_premium_percent'),
      start_date: startIn(feed, cells),
      end_date: endIn(feed, cells),
      source_url: linkOf(feed, cells) ?? feed.homepage,
      offer_kind: kind === 'fixed_price' ? kind : null,
      ...(lot.price && {
        outcome: 'sold',
        price_basis: feed.basis,
        final_bid_cents: present(cents('price'), columnIn(lot.price)),
      }),
    },
    () => zone,
  )
  return { ...row, is_preview: kind === 'upcoming', point: pointIn(lot, cells) }
}

/** Null when every column in it is empty. What an empty column leaves between two commas goes too. */
function textOf(template: string, cells: Cells, words: FeedEntry['words'] = {}) {
  let values = 0
  const text = template.replace(COLUMN, (_, column: string) => {
    const value = wordsIn(cells, column)
    if (value === null) return ''
    values += 1
    return words[column]?.[value] ?? MAKES.get(value) ?? value
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

/** The first column in a text. */
function columnIn(template: string) {
  return columnsIn(template)[0] ?? template
}

/** Null where a column in it is empty, or what comes is no link to a host of the feed: the lot then leads to the page of its feed. */
function linkOf({ lot, homepage, link_hosts = [new URL(homepage).host] }: FeedEntry, cells: Cells) {
  const template = lot.link ?? ''
  if (columnsIn(template).some(column => wordsIn(cells, column) === null)) return null
  const written = template.startsWith('{') ? String : encodeURIComponent
  const filled = template.replace(COLUMN, (_, column: string) => written(wordsIn(cells, column)!))
  const link = linkIn({ link: filled }, 'link')
  return link !== null && link_hosts.includes(new URL(link).host) ? link : null
}

/** Dollars as cents, null for 0. Servers compute with floating point, so what is finer than a cent is rounded. */
function centsIn(cells: Cells, column: string) {
  const value = cells[column]
  const isFine = /^\d+\.\d{3,}$/.test(String(value))
  return dollarsToCents({ [column]: isFine ? Number(value).toFixed(2) : value }, column) || null
}

function statusIn(cells: Cells, column: string) {
  return `${cells[column] ?? ''}`.trim().toLowerCase()
}

/** The first second of its day, or the time that is written. */
function startIn({ lot, zone }: FeedEntry, cells: Cells) {
  const start = lot.start && dateOfCell(cells[columnIn(lot.start)])
  return start ? (instantOf(start, 'start', zone) ?? instantOfWallClock(start, zone)) : null
}

function endIn(feed: FeedEntry, cells: Cells) {
  if (!feed.lot.end) return null
  const column = columnIn(feed.lot.end)
  const words = feed.kind === 'sold' ? requiredWordsIn(cells, column) : wordsIn(cells, column)
  const end = endOf(feed, cells)
  const isUnknown = feed.kind !== 'sold' && isUnknownDate(cells[column])
  if (words !== null && end === null && !isUnknown) throw mustBe(column, 'a date such as 2026-10-08', words)
  return end
}

/** "10:30 A.M.", "10", "14:00", "12 Noon"; hours without a half of the day are those of an office. */
const CLOCK = /^(?:(\d{1,2})(?::(\d{2}))?(?: o.clock)?\s*(?:([ap])\.?m|noon)?|noon)(?![\w:])/i

/** The end of a row: its day with the time of a column of its own, where it has one, and the days in which bids are still raised. */
function endOf({ lot, status, zone }: FeedEntry, cells: Cells) {
  const day = dateOfCell(cells[columnIn(lot.end!)])
  if (day === null) return null
  const time = String(cells[columnIn(lot.time ?? '')] ?? '').trim()
  const [whole, hour = '12', minute = '00', half = /^(?:[1-6]|12)$/.test(hour) ? 'p' : 'a'] =
    CLOCK.exec(time) ?? []
  const timed =
    whole && instantOfWallClock(`${day} ${hour}:${minute}${Number(hour) > 12 ? '' : ` ${half}m`}`, zone)
  const days = status?.raised?.[statusIn(cells, status.column)]
  if (days === undefined) return timed || instantOfWallClock(day, zone)
  const last = new Date(Date.parse(day) + days * DAY_MS)
  return instantOfWallClock(last.toISOString().slice(0, 10), zone)
}

/**
 * A portal's date as text: written without a zone, or seconds or milliseconds since 1970. The first minute of a day stands for the whole
 * day, which becomes its last second in the zone of the feed.
 */
function dateOfCell(value: unknown) {
  if ((typeof value !== 'string' && typeof value !== 'number') || isUnknownDate(value)) return null
  const words = String(value).trim()
  const ms = /^\d{12,13}$/.test(words) ? Number(words) : /^1\d{9}$/.test(words) ? 1000 * Number(words) : NaN
  const written = ms % DAY_MS === 0 ? new Date(ms).toISOString() : Number.isNaN(ms) ? words : String(ms)
  return written.replace(/T00:00:[\d.]+Z?$/, '')
}

/** Null where the source has no point, or one that is not in the United States or its territories. */
function pointIn(lot: FeedEntry['lot'], cells: Cells): LotRow['point'] {
  const degrees = (axis: keyof typeof POINT) =>
    degreesIn(cells[columnIn(lot[axis] ?? '')]) ?? degreesIn(cells[POINT[axis]])
  const latitude = degrees('latitude')
  const longitude = degrees('longitude')
  if (latitude === null || longitude === null) return null
  // From American Samoa to Alaska; Guam and the ends of the Aleutians lie east of the date line.
  const isAmerican = latitude > -15 && latitude < 72 && (longitude < -64 || longitude > 140)
  return isAmerican ? { latitude, longitude } : null
}

function degreesIn(value: unknown) {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) return null
  const degrees = Number(value)
  return Number.isFinite(degrees) && Math.abs(degrees) <= 180 ? degrees : null
}

/** Makes that fleets cut to four letters. */
const MAKES = new Map(
  'Toyota Chevrolet Dodge Nissan Honda Hyundai Freightliner Peterbilt Kenworth Harley-Davidson International Caterpillar'
    .split(' ')
    .map(make => [make.slice(0, 4).toUpperCase(), make]),
)
