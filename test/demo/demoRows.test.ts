import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import items from '../../data/items.json' with { type: 'json' }
import sources from '../../data/sources.json' with { type: 'json' }
import { conditionOf } from '../../src/domain/feeds/condition.ts'
import { feedRow } from '../../src/domain/feeds/feedRow.ts'
import type { LotRow } from '../../src/domain/feeds/lotRow.ts'
import { describedWithoutPeople } from '../../src/domain/feeds/people.ts'
import { splitDescription } from '../../src/domain/feeds/splitDescription.ts'
import { STATES } from '../../src/domain/feeds/states.ts'
import { CATEGORIES } from '../../src/domain/titles/categories.ts'
import { itemTagger } from '../../src/domain/titles/items.ts'
import { pageAt } from '../support/ingestion/ingestion.ts'
import { live, median, rows, sold, someOfEach } from './demoSample.ts'

const zipcodes: { lookup: (zip: string) => unknown } = createRequire(import.meta.url)('zipcodes')

describe('what is for sale', () => {
  it('covers every category, live and sold', () => {
    expect(new Set(live.map(row => row.category))).toEqual(new Set(CATEGORIES))
    expect(new Set(sold.map(row => row.category))).toEqual(new Set(CATEGORIES))
  })

  it('sells at the federal sources alone: no other has agreed to be read by programs', () => {
    const open = sources.filter(({ access }) =>
      /^(official_(api|index)|public_federal_site|link_only)$/.test(access),
    )
    const all = open.map(source => source.key)
    expect(new Set(live.map(row => row.source))).toEqual(new Set(all))
    expect(new Set(sold.map(row => row.source))).toEqual(new Set(all.filter(key => key !== 'hud')))
  })

  it('covers every state, the District of Columbia, Puerto Rico, Guam and the Virgin Islands', () => {
    const covered = [...STATES].filter(state => state !== 'AS' && state !== 'MP')
    expect(new Set(rows.map(row => row.state).filter(state => state !== null))).toEqual(
      new Set(covered),
    )
  })

  it('names real places: the ZIP code is of that city and state', () => {
    for (const { zip, city, state } of rows) {
      if (zip === null || city === null) continue
      expect(zipcodes.lookup(zip), zip).toMatchObject({ city, state })
    }
  })

  it('writes rows that the feed format takes as they are, and reads a condition that only the words tell', () => {
    const read = someOfEach(rows)
    for (const row of read) {
      const condition_grade = row.condition_grade ?? conditionOf(row.title, row.description)
      const source_url = pageAt(row.source, '/lots/1')
      const description = row.description && describedWithoutPeople(row.description)
      expect(feedRow({ ...row, source_url }, () => 'UTC')).toEqual({
        ...row,
        source_url,
        condition_grade,
        description,
        bids_known: true,
      })
    }
    const isToldByWords = (row: LotRow) =>
      row.condition_grade === null && conditionOf(row.title, row.description) !== null
    expect(read.filter(isToldByWords).length).toBeGreaterThan(20)
  })

  it('leaves out now and then what real feeds leave out', () => {
    for (const field of [
      'description',
      'state',
      'city',
      'zip',
      'current_bid_cents',
      'starting_bid_cents',
      'condition_grade',
    ] as const) {
      const missing = live.filter(row => row[field] === null).length
      expect(missing, field).toBeGreaterThan(0)
      expect(missing, field).toBeLessThan(live.length)
    }
  })

  it('sells tracked items in three lots of five', () => {
    const tagItem = itemTagger(items)
    const matching = live.filter(row => tagItem(row.title) !== null).length
    expect(matching / live.length).toBeGreaterThan(0.5)
    expect(matching / live.length).toBeLessThan(0.75)
  })
})

describe('what a search and a value must cope with', () => {
  it('a third of the live lots have no bid, and most of these no price at all', () => {
    const quiet = live.filter(row => row.num_bids === 0)
    expect(quiet.length / live.length).toBeGreaterThan(0.31)
    expect(quiet.length / live.length).toBeLessThan(0.41)
    const priceless = quiet.filter(
      row => row.starting_bid_cents === null && row.buy_now_cents === null,
    )
    expect(priceless.length / quiet.length).toBeGreaterThan(0.5)
  })

  it('descriptions end in clauses that name loading gear, which are not taken for what describes the lot', () => {
    const described = live.filter(row => row.description !== null)
    const withForklift = described.filter(row => /forklift/i.test(row.description!))
    expect(withForklift.length / described.length).toBeGreaterThan(0.1)
    const describing = described.map(row => ({
      ...row,
      words: splitDescription(row.description!).describing,
    }))
    expect(
      describing.filter(({ words }) =>
        /forklift|dock|crane|front desk|trailer, straps/i.test(words),
      ),
    ).toEqual([])
    const empty = describing.filter(row => row.category !== 'real-estate' && row.words === '')
    expect(empty.length / described.length).toBeLessThan(0.02)
  })

  it('some titles sold three times and more, at near prices', () => {
    const sales = new Map<string, LotRow[]>()
    for (const row of sold) {
      const key = `${row.source} ${row.title}`
      sales.set(key, [...(sales.get(key) ?? []), row])
    }
    const batches = [...sales.values()].filter(group => group.length >= 3)
    const near = batches.filter(group => {
      const cents = group.map(row => row.final_bid_cents ?? 0)
      return Math.max(...cents) <= 1.7 * Math.min(...cents)
    })
    expect(near.length).toBeGreaterThan(50)
  })

  it('parts of vehicles cost a small share of the vehicles they fit', () => {
    const fordSold = sold.filter(
      row => /\bford f-?150\b/i.test(row.title) && row.condition_grade !== 'scrap',
    )
    const [parts, trucks] = [true, false].map(isPart =>
      fordSold
        .filter(row => /wheels|tailgate|bumper|seats/i.test(row.title) === isPart)
        .map(row => row.final_bid_cents!),
    )
    expect(parts!.length).toBeGreaterThan(5)
    expect(Math.max(...parts!)).toBeLessThan(median(trucks!))
  })
})

describe('ids and addresses', () => {
  it('gives no id twice at one source', () => {
    const ids = rows.map(row => `${row.source} ${row.source_id}`)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('has no address of another site: a lot leads to its own page, and has no picture', () => {
    for (const row of rows) expect([row.source_url, row.image_url]).toEqual(['/', null])
  })
})
