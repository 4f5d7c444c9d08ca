import { parseFile } from 'fast-csv'
import items from '../../../data/items.json' with { type: 'json' }
import { isCategory } from '../../../src/domain/titles/categories.ts'
import { itemTagger } from '../../../src/domain/titles/items.ts'
import type { Sql } from '../../../src/infra/postgres/database.ts'
import {
  DAY,
  fromNow,
  HOUR,
  insertAppraisal,
  insertLots,
  insertSales,
  type LotDraft,
} from '../lots/fixtures.ts'
import { observeAt } from '../lots/observations.ts'
import { REAL_LOTS } from '../run/realLots.ts'
import { PHOTOS } from './chromium.ts'
import { furnish } from './site.ts'

const DEAR_CENTS = 12_345_678_900
const VEHICLE = {
  category: 'vehicles',
  item: 'ford-f-150',
  state: 'IL',
  city: 'CHICAGO',
  zip: '60601',
}
const CLOSED = { ...VEHICLE, is_open: false, ends_at: fromNow(-HOUR) }

/** A lot in every state that a page has to draw. */
const STATES: LotDraft[] = [
  {
    slug: 'no-bid',
    title: '2016 Ford F-150 without a bid',
    ...VEHICLE,
    starting_bid_cents: 150_000,
  },
  { slug: 'no-price', title: '2011 Ford F-150 without a price', ...VEHICLE },
  { slug: 'no-end', title: 'Desk without an end', starts_at: '-infinity', ends_at: 'infinity' },
  {
    slug: 'ended',
    title: '2012 Ford F-150, ended',
    ...VEHICLE,
    ends_at: fromNow(-HOUR),
    num_bids: 3,
  },
  {
    slug: 'was-sold',
    title: '2013 Ford F-150, sold',
    ...CLOSED,
    outcome: 'sold',
    price_basis: 'awarded',

    final_bid_cents: 512_345,
    current_bid_cents: 512_345,
    num_bids: 9,
    sold_at: fromNow(-HOUR),
  },
  { slug: 'was-withdrawn', title: '2015 Ford F-150, withdrawn', ...CLOSED, outcome: 'withdrawn' },
  {
    slug: 'long',
    title: `Lot of ${'office chairs, filing cabinets, '.repeat(9)}${'X'.repeat(20)}`,
  },
  {
    slug: 'right-to-left',
    title: 'شاحنة فورد 2014 مع مقطورة',
    city: 'دبي',
    current_bid_cents: 90_000,
  },
  {
    slug: 'near-zero',
    title: 'Box of cables',
    category: 'electronics',
    current_bid_cents: 1,
    num_bids: 1,
  },
  {
    slug: 'dear',
    title: 'Research vessel',
    category: 'other',
    current_bid_cents: DEAR_CENTS,
    num_bids: 214,
  },
]

/**
 * The lots of the search tests with bids on the truck; the states of a lot, sales of an item over a
 * year, and, where the data are, a hundred real titles that end in the coming days.
 */
export async function insertLotStates(sql: Sql): Promise<string[]> {
  await observeAt(sql, fromNow(-3 * DAY))
  await furnish(sql)
  for (const hours of [30, 20, 8, 1]) {
    await observeAt(sql, fromNow(-hours * HOUR))
    await sql`
      update lots
      set current_bid_cents = ${412_500 - hours * 10_000}, num_bids = ${40 - hours}
      where slug = 'truck'`
  }
  await observeAt(sql, null)
  const lots = [...STATES, ...(await realLots())]
  const drafts = lots.map((lot, n) => ({ image_url: PHOTOS[n % PHOTOS.length]!, ...lot }))
  const ids = await insertLots(sql, drafts)
  const values: Record<string, number> = { 'near-zero': 300, dear: 2 * DEAR_CENTS }
  for (const [n, { slug }] of STATES.entries()) {
    const estimated_value_cents = values[slug] ?? 620_000
    if (slug !== 'no-end') await insertAppraisal(sql, { lot_id: ids[n]!, estimated_value_cents })
  }
  await insertSales(
    sql,
    Array.from({ length: 40 }, (_, n) => ({
      title: `2014 Ford F-150 number ${n}`,
      ...VEHICLE,
      state: n % 4 === 0 ? 'OH' : 'TX',

      vehicle_make: 'Ford',
      vehicle_model: 'F-150',
      vehicle_year: 2012 + (n % 4),

      sold_at: fromNow(-(n + 1) * 7 * DAY),
      final_bid_cents: n === 39 ? 9_912_300 : 312_917 + n * 10_000,
    })),
  )
  return STATES.map(({ slug }) => slug)
}

async function realLots(): Promise<LotDraft[]> {
  const tagItem = itemTagger(items)
  const lots: LotDraft[] = []
  if (!REAL_LOTS) return lots
  for await (const row of parseFile<Record<string, string>, Record<string, string>>(REAL_LOTS, {
    headers: true,
    maxRows: 100,
  })) {
    const {
      id,
      title = '',
      category: stated = '',
      state,
      city,
      zip,
      current_or_final_bid,
      bid_count,
    } = row
    const category = isCategory(stated) ? stated : 'other'
    const current_bid_cents = current_or_final_bid
      ? Math.round(Number(current_or_final_bid) * 100)
      : null
    const ends_at = fromNow((lots.length + 3) * HOUR)
    const place = { state: state || null, city: city || null, zip: zip || null }
    const found = {
      title,
      category,
      item: tagItem(title, category),
      current_bid_cents,
      ends_at,
      ...place,
    }
    lots.push({ slug: id!.toLowerCase(), num_bids: Number(bid_count), ...found })
  }
  return lots
}
