import { describe, expect, it } from 'vitest'
import { titleModelYear, titleWords } from '../../../src/domain/titles/titleWords.ts'
import {
  buildSaleColumns,
  type Sale,
  saleColumnsBuilder,
} from '../../../src/domain/valuation/comparables/saleColumns.ts'
import {
  buildModel,
  estimator,
  packModel,
  unpackModel,
} from '../../../src/domain/valuation/model.ts'
import { pastSales, sellThroughOf } from '../../../src/domain/valuation/pastSales.ts'
import { listed } from '../titles/listed.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 10, 21)

function sale(id: string, title: string, change: Partial<Sale> & { daysAgo?: number } = {}): Sale {
  const { daysAgo = 1, ...rest } = change
  const sold_at_ms = NOW - daysAgo * DAY_MS
  return { id, title, category: 'vehicles', final_bid_cents: 100_000, sold_at_ms, ...rest }
}

const searchable = (sales: readonly Sale[]) => pastSales(buildSaleColumns(sales, NOW))

function nearestIds(
  sales: Sale[],
  title: string,
  category: Sale['category'] = 'vehicles',
  id = 'lot',
) {
  return searchable(sales)
    .nearest({ id, title, category })
    .map(comparable => comparable.id)
}

/** Unrelated sales, so that words differ in rarity. */
const OTHERS = listed(
  'Oak desk | Steel cabinet | Diesel generator | Dental chair | Laser printer | Band saw',
).map((title, n) => sale(`other ${n}`, title, { category: 'other' }))

describe('nearest', () => {
  it('compares parts and material by weight with their like only', () => {
    const sales = [
      ...OTHERS,
      sale('truck', '2012 Ford F-150'),
      sale('wheels', '2004 Ford F-150 wheels'),
      sale('lamp', 'Brass lamp'),
      sale('brass', 'Scrap brass'),
    ]
    expect(nearestIds(sales, '2012 Ford F-150')).toEqual(['truck'])
    expect(nearestIds(sales, '2012 Ford F-150 wheels')).toEqual(['wheels'])
    expect(nearestIds(sales, 'Scrap brass, 2,000 lbs')).toEqual(['brass'])
    expect(nearestIds(sales, 'Brass lamps')).toEqual(['lamp'])
  })

  it('does not take a word of two trades for likeness', () => {
    const sales = [...OTHERS, sale('office', 'Monitor'), sale('hospital', 'Patient monitor')]
    expect(nearestIds(sales, 'Fetal monitor')).toEqual(['hospital'])
  })

  it('finds the same thing however it is spelled, most similar first', () => {
    const fords = [
      sale('van', 'Ford van'),
      sale('same', 'FORD F 150 XL'),
      sale('trim', '2014 Ford F150 XLT pickup'),
    ]
    expect(nearestIds([...OTHERS, ...fords], 'Ford F-150 XL')).toEqual(['same', 'trim', 'van'])
  })

  it('gives similarities above 0.2 and up to 1, with id and position of the sale', () => {
    const index = searchable([...OTHERS, sale('same', 'Desk, oak'), sale('half', 'Oak table')])
    const found = index.nearest({ id: 'lot', title: 'OAK DESKS', category: 'office-furniture' })
    expect(found[0]!.similarity).toBeCloseTo(1, 12)
    for (const { id, position, similarity } of found) {
      expect(index.columns.idOf(position)).toBe(id)
      expect(similarity).toBeGreaterThan(0.2)
      expect(similarity).toBeLessThanOrEqual(1)
    }
  })

  it('never returns the lot itself, nor one fewer because of it', () => {
    const sales = Array.from({ length: 30 }, (_, n) => sale(`s${n}`, 'Ford F-150'))
    const found = nearestIds(sales, 'Ford F-150', 'vehicles', 's7')
    expect(found).toHaveLength(25)
    expect(found).not.toContain('s7')
  })

  it('returns 25 at most, the newest of equally similar ones', () => {
    const sales = Array.from({ length: 40 }, (_, n) => sale(`s${n}`, 'Ford F-150', { daysAgo: n }))
    expect(nearestIds(sales, 'Ford F-150')).toEqual(Array.from({ length: 25 }, (_, n) => `s${n}`))
  })

  it('prefers an old sale of the same thing to fresh ones of something else', () => {
    const fresh = Array.from({ length: 60 }, (_, n) => sale(`fresh${n}`, `Blue widget ${100 + n}`))
    expect(
      nearestIds([...fresh, sale('old', 'Blue crane', { daysAgo: 360 })], 'Blue crane')[0],
    ).toBe('old')
  })

  it('looks at the last 365 days, and not beyond its moment', () => {
    const sales = [365, 364, 0, -1].map(daysAgo => sale(`${daysAgo}`, 'Ford F-150', { daysAgo }))
    expect(nearestIds(sales, 'Ford F-150')).toEqual(['0', '364'])
  })

  it('leaves out what has no price', () => {
    expect(
      nearestIds([sale('unsold', 'Ford F-150', { final_bid_cents: 0 })], 'Ford F-150'),
    ).toEqual([])
  })

  it('compares model years up to four apart, nearer ones first', () => {
    const sales = ['2009', '2010', '2013', '2014', '2018', '2019'].map(year =>
      sale(year, `${year} Ford F-150`),
    )
    expect(nearestIds(sales, '2014 Ford F-150').sort()).toEqual(['2010', '2013', '2014', '2018'])
    expect(nearestIds(sales, '2014 Ford F-150').slice(0, 2)).toEqual(['2014', '2013'])
  })

  it('is half as similar for every doubling of the number of pieces', () => {
    const past = ['Oak desk', '(2) Oak desks', '(8) Oak desks'].map(title => sale(title, title))
    const found = searchable([...OTHERS, ...past])
      .nearest({ id: 'lot', title: 'Desks, oak, qty 4', category: 'office-furniture' })
      .filter(({ id }) => past.some(sale => sale.id === id))
    expect(found.map(({ id }) => id)).toEqual(['(2) Oak desks', '(8) Oak desks', 'Oak desk'])
    const [two, eight, one] = found.map(({ similarity }) => similarity)
    expect([two! / one!, eight! / one!]).toEqual([expect.closeTo(2, 9), expect.closeTo(2, 9)])
  })

  it('compares a vehicle with no other make, but things of other kinds across makers', () => {
    const pickups = ['Ford ', 'Ram ', ''].map(make => sale(make, `${make}pickup 4x4`))
    expect(nearestIds([...OTHERS, ...pickups], 'Dodge pickup 4x4').sort()).toEqual(['', 'Ram '])
    const kawasaki = sale('kawasaki', 'Kawasaki portable inverter', {
      category: 'tools-industrial',
    })
    expect(
      nearestIds([...OTHERS, kawasaki], 'Honda portable inverter', 'tools-industrial'),
    ).toEqual(['kawasaki'])
  })

  it.each(['', '---', 'of the', 'Zzyzx'])('finds nothing for the title "%s"', title => {
    expect(nearestIds(OTHERS, title)).toEqual([])
  })

  it('reads a title of any length', () => {
    const letters = (n: number) => String(n).replace(/\d/g, digit => 'abcdefghij'[Number(digit)]!)
    const long = Array.from({ length: 500 }, (_, n) => `word${letters(n)}`)
    const found = nearestIds([sale('long', long.join(' ')), ...OTHERS], long.toReversed().join(' '))
    expect(found).toEqual(['long'])
  })

  it('gives the same result for any order of the sales, and at every call', () => {
    const sales = manySales(500)
    const forward = searchable(sales)
    const backward = searchable(sales.toReversed())
    for (const { title } of sales.slice(0, 50)) {
      const first = forward.nearest({ id: 'lot', title, category: 'vehicles' })
      expect(forward.nearest({ id: 'lot', title, category: 'vehicles' })).toEqual(first)
      expect(backward.nearest({ id: 'lot', title, category: 'vehicles' })).toEqual(first)
    }
  })

  it('gives the same answer when it was packed into columns and unpacked again', () => {
    const sales = manySales(500)
    const index = buildModel(sales, NOW)
    const copy = unpackModel(structuredClone(packModel(index)))
    for (const { title } of sales.slice(0, 50)) {
      const lot = { id: 'lot', title: `${title} neverseen`, category: 'vehicles' as const }
      expect(copy.nearest(lot)).toEqual(index.nearest(lot))
      expect(estimator(copy)(lot)).toEqual(estimator(index)(lot))
    }
  })

  it('is as similar as a search of every sale would be', () => {
    const sales = manySales(1_500)
    const index = searchable(sales)
    for (const { id, title } of sales.slice(0, 100)) {
      const found = index.nearest({ id, title, category: 'tools-industrial' })
      const together = found.reduce((sum, { similarity }) => sum + similarity, 0)
      expect(together).toBeCloseTo(similarityOfEverySale(sales, id, title), 9)
    }
  })
})

/** Made-up titles of six words from a small vocabulary; seeded. */
function manySales(count: number): Sale[] {
  let state = 7
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  return Array.from({ length: count }, (_, n) => {
    const words = Array.from(
      { length: 2 + next(4) },
      () => `thing${'abcdefghijklmnopqrstuvwxyz'[next(next(26) + 1)]}`,
    )
    const year = next(3) === 0 ? `${2000 + next(20)} ` : ''
    return sale(`s${n}`, year + words.join(' '), {
      daysAgo: next(364),
      category: 'tools-industrial',
    })
  })
}

function similarityOfEverySale(sales: Sale[], id: string, title: string): number {
  const read = (text: string) => {
    const year = titleModelYear(text)
    return { year, words: titleWords(text).filter(word => word !== String(year)) }
  }
  const all = sales.map(other => ({ ...other, ...read(other.title) }))
  const rarity = (word: string) =>
    Math.log(1 + all.length / (all.filter(other => other.words.includes(word)).length + 0.5)) ** 2
  const rarities = new Map(
    [...new Set(all.flatMap(other => other.words))].map(word => [word, rarity(word)]),
  )
  const sum = (words: string[]) => words.reduce((total, word) => total + rarities.get(word)!, 0)
  const lot = read(title)
  const similarities = all.map(other => {
    if (other.id === id) return 0
    const apart = lot.year && other.year ? Math.abs(lot.year - other.year) : null
    const likeness =
      apart === null ? (lot.year === other.year ? 1 : 0.8) : apart > 4 ? 0 : 1 - apart / 10
    const shared = sum(other.words.filter(word => lot.words.includes(word)))
    const ofNoun = other.words.includes(title.split(' ').at(-1)!) ? 1 : 0.7
    const similarity = (ofNoun * likeness * shared) / Math.sqrt(sum(lot.words) * sum(other.words))
    return similarity > 0.2 ? similarity : 0
  })
  return similarities
    .sort((a, b) => b - a)
    .slice(0, 25)
    .reduce((total, similarity) => total + similarity, 0)
}

it('columns refuse sales that do not come newest first: what they hold would depend on the order', () => {
  const builder = saleColumnsBuilder(NOW)
  builder.add(sale('b', 'Van', { daysAgo: 2 }))
  expect(() => builder.add(sale('a', 'Van', { daysAgo: 2 }))).toThrow(RangeError)
  expect(() => builder.add(sale('c', 'Van', { daysAgo: 1 }))).toThrow(RangeError)
})

it('the sell-through of a category is the share of closed lots that sold, once 20 have closed', () => {
  const { columns } = searchable(Array.from({ length: 4 }, (_, n) => sale(`s${n}`, 'Van')))
  expect(sellThroughOf(columns, { vehicles: 16 })).toEqual({ vehicles: 0.2 })
  expect(sellThroughOf(columns, { vehicles: 15 })).toEqual({})
  expect(sellThroughOf(columns, { vehicles: 16, other: 20 })).toEqual({ vehicles: 0.2, other: 0 })
})
