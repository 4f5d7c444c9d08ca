import cities from '../../../data/city-sales.json' with { type: 'json' }
import { BadRow, type Cells, shown } from '../../domain/feeds/badRow.ts'
import { dollarsToCents, fieldsOf, requiredWordsIn, wordsIn } from '../../domain/feeds/cells.ts'
import { feedRow } from '../../domain/feeds/feedRow.ts'
import { FetchFailure } from '../fetching/jsonBody.ts'
import type { FetchJson } from '../fetching/politeFetch.ts'
import type { OfficialSource, SourceAddress } from './officialSource.ts'

interface CityTable {
  source: string
  name: string
  page: string
  city: string
  state: string
  zone: string
  fields: { id: string; price: string; date: string; title: string[]; category?: string; fate?: string }
  /** Columns to request, where others hold personal data; null requests all. */
  select: string[] | null
}

/** The default page of SODA 2.x, which every server grants. */
const PAGE = 1000

const MAKES = new Map(
  'Toyota Chevrolet Dodge Nissan Honda Hyundai Freightliner Peterbilt Kenworth Harley-Davidson International Caterpillar'
    .split(' ')
    .map(make => [make.slice(0, 4).toUpperCase(), make]),
)

/** A table of sales on a Socrata portal (SODA): each row with a price is a sale, and the price is what was paid. */
function sodaSales(table: CityTable): OfficialSource {
  const { source, name, page, zone, fields } = table
  const names = [fields.id, fields.price, fields.date, ...fields.title, ...(fields.fate ? [fields.fate] : [])]
  const readKey = (cells: Cells) => ({ source, source_id: requiredWordsIn(cells, fields.id) })
  return {
    source,
    description: {
      key: source,
      name,
      homepage: page,
      tz: zone,
      access: 'official_open_data',
      premium_pct: null,
    },
    records: (from, fetchJson) => pagesOf(table, from, fetchJson),
    fieldsOf: record => fieldsOf(record, names),
    isLot: (cells, now) => isSale(cells, table, now),
    readKey,
    readRow: cells =>
      feedRow(
        {
          ...readKey(cells),
          title: titleIn(cells, table),
          category: fields.category ?? null,
          state: table.state,
          city: table.city,
          end_date: dayIn(cells, fields.date),
          source_url: page,
          outcome: 'sold',
          final_bid_cents: dollarsToCents(cells, fields.price),
          price_basis: 'awarded',
        },
        () => zone,
      ),
  }
}

async function* pagesOf(
  { name, fields, select }: CityTable,
  { address, redirectHosts }: SourceAddress,
  fetchJson: FetchJson,
): AsyncGenerator<unknown[]> {
  for (let page = 0; ; page += 1) {
    const url = new URL(address)
    url.searchParams.set('$limit', String(PAGE))
    url.searchParams.set('$offset', String(page * PAGE))
    url.searchParams.set('$order', fields.id)
    url.searchParams.set('$where', `${fields.price} > 0`)
    if (select) url.searchParams.set('$select', select.join(','))
    const rows = await fetchJson({ url, redirectHosts })
    if (!Array.isArray(rows))
      throw new FetchFailure(`The answer for ${name} is no list of rows: ${shown(rows)}.`)
    yield rows
    if (rows.length < PAGE) return
  }
}

/** With a price, not for scrap, and not in the future. */
function isSale(cells: Cells, { fields }: CityTable, now: Date): boolean {
  const price = cells[fields.price]
  if (price === null || Number(price) === 0) return false
  if (fields.fate && /demolish|scrap|crush/i.test(String(cells[fields.fate] ?? ''))) return false
  const day = cells[fields.date]
  return typeof day !== 'string' || !(Date.parse(day.slice(0, 10)) > now.getTime())
}

/** The day of a "floating timestamp" (2026-10-08T00:00:00.000), which knows no zone: a day of the city's own. */
function dayIn(cells: Cells, field: string): string {
  const words = requiredWordsIn(cells, field)
  if (!/^\d{4}-\d{2}-\d{2}(?:T|$)/.test(words))
    throw new BadRow(`${field} must be a date such as 2026-10-08, not ${shown(words)}.`)
  return words.slice(0, 10)
}

function titleIn(cells: Cells, { fields }: CityTable): string {
  const words = fields.title.map(field => wordsIn(cells, field)).filter(word => word !== null)
  if (words.length === 0) throw new BadRow(`${fields.title.join(', ')} are all missing.`)
  return words.map(word => MAKES.get(word) ?? word).join(' ')
}

/** Seattle's "Sold Fleet Equipment" (public domain). Makes are often cut to four letters (TOYO). */
export const seattle = sodaSales(cities.seattle)
/** Norfolk's "Towing" (Office of Towing & Recovery): towed vehicles, of which those with a price went to a bidder of the city's auction. */
export const norfolk = sodaSales(cities.norfolk)
/** Cincinnati's "Fleet Inventory" (public domain): the units that have a price were sold. */
export const cincinnati = sodaSales(cities.cincinnati)
