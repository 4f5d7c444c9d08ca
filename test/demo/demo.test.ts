import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { demoLots } from '../../src/demo/demoLots.ts'
import type { LotRow } from '../../src/domain/feeds/lotRow.ts'
import { asOf, DAY, HOUR, live, rows, size, sold, unsold, upcoming } from './demoSample.ts'

describe('the demo, whenever it is made', () => {
  it('keeps all rows of a seed from one release to the next', () => {
    expect(sha256(rows)).toBe('8981734f983cd4ab66e393dd10c4f9cef1728b67cf0b5cc903d8dd02c8d9aa93')
    const first = take(demoLots({ ...size, seed: 1 }), 1000)
    expect(sha256(first)).toBe('22d0b0e71294e9fa76720df24558e9ebb2a13c7dc430843a447afdfe2a4094fc')
  })

  it('gives other rows for another seed', () => {
    const other = take(demoLots({ ...size, seed: 8 }), 100)
    expect(other.filter((row, index) => row.title === rows[index]?.title).length).toBeLessThan(10)
  })

  it('contains the smaller demo of the same seed', () => {
    const all = new Set(rows.map(row => JSON.stringify(row)))
    for (const row of demoLots({ ...size, lots: 500, sales: 500 }))
      expect(all).toContain(JSON.stringify(row))
  })

  it('moves with the clock it is given, not with the clock of the machine', () => {
    const later = new Date(asOf.getTime() + 100 * DAY)
    for (const row of demoLots({ lots: 300, sales: 0, seed: 7, asOf: later })) {
      if (row.end_date) expect(Date.parse(row.end_date)).toBeGreaterThan(later.getTime() + 2 * HOUR)
    }
  })

  it('is empty when nothing is asked for', () => {
    expect([...demoLots({ ...size, lots: 0, sales: 0 })]).toEqual([])
  })
})

describe('how many lots there are', () => {
  it('has exactly the sales and the live lots that were asked for', () => {
    expect(sold).toHaveLength(size.sales)
    expect(live).toHaveLength(size.lots)
  })

  it('adds some that found no buyer and some that are still to come', () => {
    expect(unsold.length / sold.length).toBeGreaterThan(0.1)
    expect(unsold.length / sold.length).toBeLessThan(0.2)
    expect(upcoming).toHaveLength(size.lots * 0.03)
  })

  it('puts the closed lots first', () => {
    const firstOpen = rows.findIndex(row => row.outcome === null)
    expect(firstOpen).toBe(sold.length + unsold.length)
  })
})

describe('when lots open and close', () => {
  it('ends no live lot within two hours or after 45 days, and five in six within ten days', () => {
    const hours = live.flatMap(row =>
      row.end_date ? [(Date.parse(row.end_date) - asOf.getTime()) / HOUR] : [],
    )
    expect(Math.min(...hours)).toBeGreaterThan(2)
    expect(Math.max(...hours)).toBeLessThanOrEqual(45 * 24)
    expect(hours.filter(left => left <= 240).length / hours.length).toBeGreaterThan(0.75)
    expect(hours.filter(left => left > 480).length).toBeGreaterThan(0)
  })

  it('has opened every live lot, and leaves the homes of HUD without dates or bids', () => {
    for (const row of live) {
      if (row.source === 'hud')
        expect(row).toMatchObject({
          start_date: null,
          end_date: null,
          num_bids: 0,
          current_bid_cents: null,
        })
      else expect(Date.parse(row.start_date ?? '')).toBeLessThan(asOf.getTime())
    }
  })

  it('spreads the closed lots over the year before', () => {
    const days = [...sold, ...unsold].map(
      row => (asOf.getTime() - Date.parse(row.end_date ?? '')) / DAY,
    )
    expect(Math.min(...days)).toBeGreaterThan(0)
    expect(Math.max(...days)).toBeLessThanOrEqual(365)
    for (let quarter = 0; quarter < 4; quarter += 1) {
      const share =
        days.filter(day => day > quarter * 91 && day <= (quarter + 1) * 91).length / days.length
      expect(share).toBeGreaterThan(0.2)
    }
  })
})

function take(source: Iterable<LotRow>, count: number): LotRow[] {
  const taken: LotRow[] = []
  for (const row of source) {
    taken.push(row)
    if (taken.length === count) break
  }
  return taken
}

/** The columns that the rows of the demo had at first: later releases add more. */
const FIRST_COLUMNS = [
  'source source_id title description category state city zip current_bid_cents buy_now_cents',
  'starting_bid_cents num_bids condition_grade image_url start_date end_date source_url outcome',
  'final_bid_cents price_basis offer_kind',
].flatMap(line => line.split(' '))

function sha256(value: LotRow[]): string {
  const rows = value.map(row => JSON.stringify(row, FIRST_COLUMNS))
  return createHash('sha256').update(rows.join('\n')).digest('hex')
}
