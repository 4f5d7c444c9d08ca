import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ingestionFor } from '../support/ingestion/ingestion.ts'
import { type Fault, type PagedStandIn, startSodaStandIn } from '../support/standIns/otherStandIns.ts'
import { sweep } from '../support/standIns/sweeping.ts'

let soda: PagedStandIn<Record<string, unknown>>
const ingestion = ingestionFor('all tests')
beforeAll(async () => {
  soda = await startSodaStandIn()
})
afterAll(() => soda.server.close())
beforeEach(() => {
  soda.fault = null
  soda.server.asked.length = 0
})

const sales = (source: string) => ingestion.sql`
  select source_id, title, category, state, city, final_bid_cents, price_basis, outcome, rfc3339(sold_at) as sold_at, source_url
  from lots
  where source = ${source}
  order by source_id`

const towed = (trip: number, changes: Record<string, unknown> = {}) => ({
  trip_ticket_number: String(trip),
  vehicle_type: 'Auto',
  vehicle_make: 'TOYOTA',
  vehicle_model: 'COROLLA',
  vehicle_year: '2005',
  license_plate: 'ABC-1234',
  auction_date: '2026-10-08T00:00:00.000',
  sold_for: '550.0000',
  release_status: 'Sold At Auction',
  ...changes,
})

describe('sales of Seattle', () => {
  it('are prices that were paid: sold, awarded, on the day of the city', async () => {
    const base = { year: '2019', make: 'TOYO', model: 'RAV4', sale_price: '13101', sold_by: 'AN AUCTION' }
    const suv = {
      ...base,
      description: 'SUV',
      sale_date: '2025-10-16T00:00:01.000',
      vin: '2T3RWRFV0KW000000',
    }
    const winter = { ...base, sale_date: '2026-01-05T00:00:00.000' }
    soda.records = [
      { ...suv, equip_id: '33294' },
      { ...winter, equip_id: '2', make: 'FORD', model: 'F150', sale_price: '4550.09' },
      { ...winter, equip_id: '3', sale_price: '0' },
      { ...base, equip_id: '4' },
      { ...base, equip_id: '5', sale_date: '2026-12-05T00:00:00.000' },
    ]
    const result = await sweep(ingestion, 'seattle', `${soda.server.origin}/resource/y6ef-jf2w.json`)
    expect(result).toMatchObject({ state: 'done', rows_taken: 2, rows_set_aside: 1, new_sources: [] })
    expect(result.set_aside[0]?.reason).toBe('sale_date is missing.')
    const paid = { final_bid_cents: 1_310_100, sold_at: '2025-10-17T06:59:59Z' }
    expect(await sales('seattle')).toEqual([
      {
        ...{ source_id: '2', title: '2019 FORD F150', category: 'vehicles', state: 'WA', city: 'Seattle' },
        ...{
          final_bid_cents: 455_009,
          price_basis: 'awarded',
          outcome: 'sold',
          sold_at: '2026-01-06T07:59:59Z',
        },
        source_url: 'https://data.seattle.gov/d/y6ef-jf2w',
      },
      expect.objectContaining({ source_id: '33294', title: '2019 Toyota RAV4 SUV', ...paid }),
    ])
    const [source] = await ingestion.sql`select name, access, time_zone from sources where source = 'seattle'`
    const access = { access: 'official_open_data', time_zone: 'America/Los_Angeles' }
    expect(source).toEqual({ name: 'City of Seattle Fleet Sales', ...access })
  })
})

describe('sales of Cincinnati', () => {
  it('are the units of its fleet that have a price, without what else the table holds of them', async () => {
    const unit = { year: '2012', manufacturer: 'FORD', model: 'F-250', description: 'PICKUP 4X4' }
    soda.records = [
      { ...unit, eq_equip_no: '12345', sale_price: '6200.5', sale_date: '2026-07-01T00:00:00.000' },
      { ...unit, eq_equip_no: '12346', sale_price: '700' },
      { ...unit, eq_equip_no: '12347', sale_price: '0', sale_date: '2026-07-01T00:00:00.000' },
    ]
    const address = `${soda.server.origin}/resource/m8ba-xmjz.json`
    const result = await sweep(ingestion, 'cincinnati', address)
    expect(result).toMatchObject({ state: 'done', rows_taken: 1, rows_set_aside: 1 })
    expect(result.set_aside[0]?.reason).toBe('sale_date is missing.')
    expect(await sales('cincinnati')).toMatchObject([
      {
        ...{ source_id: '12345', title: '2012 FORD F-250 PICKUP 4X4', category: 'vehicles', state: 'OH' },
        ...{
          city: 'Cincinnati',
          final_bid_cents: 620_050,
          price_basis: 'awarded',
          sold_at: '2026-07-02T03:59:59Z',
        },
        source_url: 'https://data.cincinnati-oh.gov/d/m8ba-xmjz',
      },
    ])
    const [asked] = soda.server.asked.map(({ url }) => url.searchParams)
    expect(asked?.get('$where')).toBe('sale_price > 0')
    const columns = 'eq_equip_no,year,manufacturer,model,description,sale_date,sale_price'
    expect(asked?.get('$select')).toBe(columns)
  })
})

describe('sales of Norfolk', () => {
  it('are read page by page by $limit and $offset, without scrapped cars and without plates', async () => {
    soda.records = [
      ...Array.from({ length: 2001 }, (_, n) => towed(100_000 + n)),
      towed(1, { release_status: 'Demolished', sold_for: '75.0000' }),
      towed(2, { sold_for: null }),
    ]
    const result = await sweep(ingestion, 'norfolk', `${soda.server.origin}/resource/4dwc-v3t8.json`)
    expect(result).toMatchObject({ state: 'done', rows_taken: 2001, rows_set_aside: 0 })
    const asked = soda.server.asked.map(({ url }) => url.searchParams)
    const pages = asked.map(query => `${query.get('$limit')} from ${query.get('$offset')}`)
    expect(pages).toEqual(['1000 from 0', '1000 from 1000', '1000 from 2000'])
    expect(asked[0]?.get('$where')).toBe('sold_for > 0')
    expect(asked[0]?.get('$select')).not.toMatch(/plate|vin|towed_from/)
    expect((await sales('norfolk'))[0]).toMatchObject({
      ...{ source_id: '100000', title: '2005 TOYOTA COROLLA Auto', category: 'vehicles', state: 'VA' },
      ...{ final_bid_cents: 55_000, price_basis: 'awarded', sold_at: '2026-10-09T03:59:59Z' },
    })
  })

  const faults: [Fault, RegExp][] = [
    ['error200', /is no list of rows/],
    ['breaksOffOnPage2', /answered 500/],
  ]
  it.each(faults)('change nothing after a fault: %s', async (fault, reason) => {
    const before = await sales('norfolk')
    soda.records = soda.records.map(row => ({ ...row, sold_for: '9999' }))
    soda.fault = fault
    const result = await sweep(ingestion, 'norfolk', `${soda.server.origin}/resource/4dwc-v3t8.json`)
    expect(result.state).toBe('refused')
    expect(result.reason).toMatch(reason)
    expect(await sales('norfolk')).toEqual(before)
  })
})
