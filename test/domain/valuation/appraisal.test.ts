import { describe, expect, it } from 'vitest'
import { bookCents } from '../../../src/domain/titles/priceBook.ts'
import { baselineOf } from '../../../src/domain/valuation/baseline/baseline.ts'
import { confidenceOf } from '../../../src/domain/valuation/calibration.ts'
import type { Comparable } from '../../../src/domain/valuation/comparables/nearest.ts'
import type { Sale, UnsoldLot } from '../../../src/domain/valuation/comparables/saleColumns.ts'
import { evidenceOf } from '../../../src/domain/valuation/logEstimate.ts'
import type { LotToValue } from '../../../src/domain/valuation/lotToValue.ts'
import { buildModel, estimator } from '../../../src/domain/valuation/model.ts'
import { percentilesOf } from '../../../src/domain/valuation/percentiles.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 10, 21)

function sales(title: string, dollars: readonly number[], change: Partial<Sale> = {}): Sale[] {
  return dollars.map((price, n) => ({
    id: `${title} ${n}`,
    title,
    category: 'electronics',
    final_bid_cents: price * 100,
    sold_at_ms: NOW - (n + 1) * DAY_MS,
    ...change,
  }))
}

function appraise(
  past: readonly Sale[],
  lot: Partial<LotToValue> = {},
  lots: readonly UnsoldLot[] = [],
) {
  const appraise = estimator(buildModel(past, NOW, lots))
  return appraise({ id: 'lot', title: 'Dell laptop', category: 'electronics', ...lot })
}

/** Lots that ended without a bid, one a day. */
function unsoldLots(...titles: string[]): UnsoldLot[] {
  return titles.map((title, n) => ({
    title,
    category: 'electronics',
    ended_at_ms: NOW - n * DAY_MS,
  }))
}

const LAPTOPS = sales('Dell laptop', [95, 100, 100, 105, 110, 100, 90, 100])
const PRINTERS = sales('HP printer', [20, 22, 18, 20, 25, 20, 21, 19])

const BOTH = [...LAPTOPS, ...PRINTERS]

const centsOf = (...asked: Parameters<typeof appraise>) => appraise(...asked)!.value_cents

describe('the value of a lot', () => {
  it('is near what the same thing sold for, not near the category median, and moves with it', () => {
    const tripled = LAPTOPS.map(sale => ({ ...sale, final_bid_cents: sale.final_bid_cents * 3 }))
    expect(Math.abs(centsOf(BOTH) / 100 - 92)).toBeLessThan(18)
    expect(Math.abs(centsOf([...tripled, ...PRINTERS]) / centsOf(BOTH) - 2.6)).toBeLessThan(0.6)
  })

  it('is a whole number of cents, at least one', () => {
    expect(Number.isInteger(centsOf(BOTH))).toBe(true)
    expect(centsOf(sales('Dell laptop', [0.01, 0.01]))).toBe(1)
  })

  it('learns from sales that are too old to be compared with', () => {
    const old = sales('Stapler', Array(30).fill(2_000), { sold_at_ms: NOW - 500 * DAY_MS })
    const appraisal = appraise([...BOTH, ...old], { title: 'Stapler' })!
    expect(appraisal.comparables).toEqual([])
    expect(appraisal.value_cents).toBeGreaterThan(
      2 * centsOf([...BOTH, ...sales('Stapler', Array(30).fill(2))], { title: 'Stapler' }),
    )
  })

  it('is not thrown off by one absurd price', () => {
    const absurd = sales('Dell laptop', [1_000_000], { id: 'absurd' })
    expect(centsOf([...BOTH, ...absurd]) / centsOf(BOTH)).toBeLessThan(4)
  })

  const years = [2006, 2008, 2010, 2012, 2014, 2016, 2018, 2020]

  it('grows with the model year', () => {
    const past = years.flatMap(year =>
      sales(`${year} Ford F-150`, [(year - 2000) * 1_000], { category: 'vehicles' }),
    )
    const values = [2007, 2011, 2015, 2019].map(year =>
      centsOf(past, { title: `${year} Ford F-150`, category: 'vehicles' }),
    )
    expect(values).toEqual(values.toSorted((a, b) => a - b))
    expect(values[3]! / values[0]!).toBeGreaterThan(1.5)
  })

  it('knows the plural of a word that a sale has', () => {
    const past = [...sales('Thinkpad', Array(12).fill(200)), ...sales('Stapler', Array(12).fill(5))]
    const value = (title: string) => centsOf(past, { title })
    expect(value('Thinkpads')).toBeGreaterThan(1.5 * value('Staplers'))
  })

  it('differs by place where prices do', () => {
    const texan = sales('Dell laptop', Array(12).fill(200), { zip: '78045' })
    const past = [
      ...texan.map(sale => ({ ...sale, id: `tx ${sale.id}` })),
      ...sales('Dell laptop', Array(12).fill(50), { zip: '99501' }),
    ]
    const [there, elsewhere] = ['78045', '60601'].map(zip => centsOf(past, { zip }))
    expect(there).toBeGreaterThan(elsewhere! * 1.1)
  })

  it('is lower where such lots found no bidder, and not for other things', () => {
    const unsold = unsoldLots(...Array(30).fill('Binder'))
    const past = [...BOTH, ...sales('Binder', [20])]
    const value = (title: string, lots: UnsoldLot[]) => centsOf(past, { title }, lots)
    expect(value('Binder', unsold)).toBeLessThan(0.95 * value('Binder', []))
    expect(value('Dell laptop', unsold) / value('Dell laptop', [])).toBeGreaterThan(0.95)
  })

  it('falls with age as things of its make do', () => {
    const past = years.flatMap(year => [
      ...sales(`${year} Toyota Camry`, [9_000], { category: 'vehicles' }),
      ...sales(`${year} Ford Taurus`, [9_000 / 2 ** ((2020 - year) / 4)], { category: 'vehicles' }),
    ])
    const { columns, fit } = buildModel(past, NOW)
    const { ofLot } = baselineOf(columns, fit)
    const risePerDecade = (model: string) =>
      ofLot({ title: `2018 ${model}`, category: 'vehicles' }) -
      ofLot({ title: `2008 ${model}`, category: 'vehicles' })
    expect(risePerDecade('Ford Escape')).toBeGreaterThan(risePerDecade('Toyota Prius') + 0.2)
  })

  it('comes from the tracked item when the words are new', () => {
    const sold = [...BOTH, ...BOTH].map((sale, n) => ({ ...sale, id: `${n}` }))
    const tagged = sold.map(sale => ({
      ...sale,
      item: sale.title === 'Dell laptop' ? 'laptop' : 'printer',
    }))
    const ofItem = (item: string) => centsOf(tagged, { title: 'Zenbook tablet', item })
    expect(ofItem('laptop')).toBeGreaterThan(ofItem('printer'))
  })
})

describe('a lot like no other', () => {
  const past = sales('HP printer', Array(10).fill([100, 200, 300]).flat())

  it.each(['Quasar', '2015 Quasar', 'Printing quasar', '(4) 12 EA'])(
    'has no appraisal as "%s": what it names is in no sale and not in the price book',
    title => expect(appraise([...past, ...LAPTOPS], { title, item: 'printer' })).toBeNull(),
  )

  it.each(['Scrap brass', 'Approx. 2,000 lbs scrap metal', 'Lead acid batteries by the pound'])(
    'has none as "%s", which is sold by weight, whatever was sold',
    title => expect(appraise(sales(title, [100, 200, 300]), { title })).toBeNull(),
  )

  it('has one of a vehicle whose make was sold, and of a thing in the price book', () => {
    const vans = sales('2014 Kia van', Array(30).fill(3_000), { category: 'vehicles' })
    expect(appraise(vans, { title: '2015 Kia Quasar', category: 'vehicles' })).not.toBeNull()
  })

  it('has none in a category with fewer than 30 sales', () => {
    const lot: Partial<LotToValue> = { title: '2015 Kia Quasar', category: 'vehicles' }
    const vans = sales('2014 Kia van', Array(29).fill(3_000), { category: 'vehicles' })
    expect(appraise([...BOTH, ...vans], lot)).toBeNull()
  })

  it.each(['real-estate', 'seized-property'] as const)(
    'has none of %s, however much of it was sold',
    category => {
      const sold = sales('Lakeside plot', Array(40).fill(9_000), { category })
      expect(appraise([...BOTH, ...sold], { title: 'Printer lathe', category })).toBeNull()
      expect(appraise([...BOTH, ...sold], { title: 'Lakeside plot', category })).not.toBeNull()
    },
  )

  it('has none of a house from sales of other things, whatever their words', () => {
    const trailers = sales('House trailer frame', Array(40).fill(500), { category: 'other' })
    expect(appraise(trailers, { title: 'House trailer frame', category: 'real-estate' })).toBeNull()
  })

  it('is worth what its category and the price book say, with little confidence and no percentiles', () => {
    const appraisal = appraise(past, { title: 'Quasar lathe' })!
    expect(appraisal).toMatchObject({ percentiles: null, comparables: [] })
    expect(appraisal.confidence).toBeLessThan(0.25)
    expect(appraisal.confidence).toBeLessThan(appraise(past, { title: 'HP printer' })!.confidence)
    expect(appraisal.value_cents).toBeCloseTo(20_000 ** 0.75 * bookCents('Lathe')! ** 0.25, -4)
  })

  it('has no appraisal in a category without a sale', () => {
    expect(appraise(PRINTERS, { title: 'Quasar', category: 'real-estate' })).toBeNull()
    expect(appraise([])).toBeNull()
  })

  it('has one in a category without a sale when something is comparable', () => {
    expect(appraise(LAPTOPS, { category: 'seized-property' })!.comparables).toHaveLength(8)
  })
})

describe('the bands', () => {
  it('lie around the value, the range around the likely band', () => {
    const { value_cents, band } = appraise(BOTH)!
    const { range_low_cents, likely_low_cents, likely_high_cents, range_high_cents } = band
    const ascending = [
      range_low_cents,
      likely_low_cents,
      value_cents,
      likely_high_cents,
      range_high_cents,
    ]
    expect(ascending).toEqual(ascending.toSorted((a, b) => a - b))
    expect(new Set(ascending).size).toBe(5)
  })

  it('are narrower with more similar sales', () => {
    const printers = sales('HP printer', Array(40).fill(100))
    const others = printers.map((sale, n) => ({ ...sale, title: `HP printer p${n}` }))
    const width = (past: Sale[]) => {
      const { band } = appraise([...others, ...past], { title: 'Dell laptop' })!
      return band.range_high_cents / band.range_low_cents
    }
    expect(width(sales('Dell laptop', Array(6).fill(100)))).toBeLessThan(
      width(sales('Dell laptop', [100])) * 0.8,
    )
  })

  it('hold a value that five like sales hold within the middle half of their prices', () => {
    const others = sales('HP printer', Array(300).fill(10))
    const words = 'Dell laptop, dock, bag, mouse, keyboard, cable, stand, lamp, fan, hub, pen'
    const past = sales(words, [9_000, 9_000, 9_500, 9_500, 9_900, 9_900])
    const { value_cents, percentiles } = appraise([...others, ...past], { title: 'Dell laptop' })!
    expect(value_cents).toBe(percentiles!.p25_cents)
  })
})

describe('a last bid that was seen', () => {
  const vans = (change: Partial<Sale> = {}) => [
    ...sales('2014 Kia van', Array(20).fill(3_000), { category: 'vehicles', ...change }),
    ...sales('Oak desk', Array(20).fill(100), { category: 'office-furniture', ...change }),
  ]
  const van: Partial<LotToValue> = { title: '2014 Kia van', category: 'vehicles' }
  const desk: Partial<LotToValue> = { title: 'Oak desk', category: 'office-furniture' }

  it('stands for a close that is 1.4 times as high, of vehicles and machines that the open dataset saw', () => {
    const [paid, seen] = [appraise(vans(), van)!, appraise(vans({ seen_by: 'open-data' }), van)!]
    expect(seen.value_cents / paid.value_cents).toBeCloseTo(1.4, 1)
    expect([paid.seenFactor, seen.seenFactor]).toEqual([1, expect.closeTo(1.4, 9)])
  })

  it('is a price like any other where nobody measured how much is bid unseen', () => {
    const seen = { seen_by: 'open-data' }
    expect(appraise(vans(seen), desk)!.value_cents).toBe(appraise(vans(), desk)!.value_cents)
    expect(appraise(vans({ seen_by: 'somebody' }), van)!.value_cents).toBe(
      appraise(vans(), van)!.value_cents,
    )
  })
})

describe('what the text of a vehicle says', () => {
  const past = sales('2014 Kia van', Array(20).fill(3_000), { category: 'vehicles' })
  const value = (facts: Partial<LotToValue>) =>
    centsOf(past, { title: '2014 Kia van', category: 'vehicles', ...facts })

  it('moves its value: the fewer miles the higher, and a repairable one lower', () => {
    const values = [15_000, 60_000, 120_000, 190_000].map(odometer_miles =>
      value({ odometer_miles }),
    )
    expect(values).toEqual(values.toSorted((a, b) => b - a))
    expect(values[0]! / values[3]!).toBeGreaterThan(2)
    expect(value({ condition_grade: 'repairable' })).toBeLessThan(
      value({ condition_grade: 'usable' }),
    )
    expect(value({ odometer_miles: null, condition_grade: null })).toBe(value({}))
  })

  it('is taken out of a sale before anything is learned from it', () => {
    const worn = past.map(sale => ({ ...sale, odometer_miles: 190_000 }))
    const of = (odometer_miles: number) =>
      centsOf(worn, { title: '2014 Kia van', category: 'vehicles', odometer_miles })
    expect(of(190_000)).toBeCloseTo(300_000, -4)
    expect(of(60_000)).toBeGreaterThan(400_000)
  })
})

describe('a lot in poor condition', () => {
  const sound = sales('2014 Kia van', Array(30).fill(3_000), { category: 'vehicles' })
  const wrecks = sales('2014 Kia van wreck', Array(20).fill(400), {
    category: 'vehicles',
    condition_grade: 'salvage',
  })
  const lot: Partial<LotToValue> = { title: '2014 Kia van', category: 'vehicles' }

  it.each([[{ condition_grade: 'salvage' }], [{ runs: false }], [{ road_title: false }]])(
    'is a guess from words where sound ones alone were sold: %o',
    facts => {
      const appraisal = appraise([...sound, ...LAPTOPS], { ...lot, ...facts })!
      expect(appraisal).toMatchObject({ grade: 'words', comparables: [] })
      expect(appraisal.value_cents).toBeLessThan(0.6 * centsOf([...sound, ...LAPTOPS], lot))
    },
  )

  it('is compared with lots in poor condition, and these are compared with no other', () => {
    const prices = (facts: Partial<LotToValue>) =>
      appraise([...sound, ...wrecks], { ...lot, ...facts })!.percentiles!.p50_cents
    expect(appraise([...sound, ...wrecks], { ...lot, runs: false })!.comparables).toHaveLength(20)
    expect(prices({})).toBe(300_000)
  })
})

describe('a lot of another market', () => {
  const minis = sales('Dell mini desktop', Array(20).fill(60))
  const forklifts = sales('Forklift', Array(30).fill(2_000), { category: 'heavy-equipment' })
  const excavator = {
    title: 'Caterpillar 305 mini excavator',
    category: 'heavy-equipment' as const,
  }

  it('is compared only with what is nearly the same', () => {
    expect(appraise([...forklifts, ...minis], excavator)).toMatchObject({
      comparables: [],
      grade: 'words',
    })
    expect(
      appraise(minis, { title: 'Dell mini desktop', category: 'other' })!.comparables,
    ).toHaveLength(20)
  })

  it('is worth what the price book says where fewer than three machines like it were sold', () => {
    const two = sales(excavator.title, [300, 300], { category: 'heavy-equipment' })
    const found = appraise([...forklifts, ...two], excavator)!
    expect(found.grade).toBe('words')
    expect(found.value_cents).toBe(Math.round(bookCents(excavator.title)!))
  })
})

it('the percentiles are those of the comparables', () => {
  const cents = [10, 20, 30, 40, 50].map(dollars => dollars * 100)
  expect(appraise(sales('Dell laptop', [10, 20, 30, 40, 50]))!.percentiles).toEqual(
    percentilesOf(cents),
  )
})

it('the same sales give the same appraisal, in whatever order they come', () => {
  const first = appraise(BOTH)
  expect(appraise(BOTH)).toEqual(first)
  expect(appraise(BOTH.toReversed())).toEqual(first)
  const unsold = unsoldLots('Binder', 'Stapler')
  const [there, back] = [unsold, unsold.toReversed()].map(lots =>
    appraise(BOTH, { title: 'Binder' }, lots),
  )
  expect(back).toEqual(there)
})

describe('the evidence of comparables', () => {
  const alike = (count: number, similarity = 1): Comparable[] =>
    Array.from({ length: count }, (_, position) => ({ position, id: '', similarity }))
  const OTHERS = { p10_cents: 1, p50_cents: 1, p90_cents: 1 }
  const prices = (p25_cents: number, p75_cents: number) => ({ ...OTHERS, p25_cents, p75_cents })

  it('is full for six identical sales at one price', () => {
    expect(evidenceOf(alike(6), prices(100, 100))).toBe(1)
    expect(evidenceOf(alike(25), prices(100, 100))).toBe(1)
  })

  it('never grows when a comparable goes', () => {
    for (let count = 25; count > 0; count--) {
      const fewer = evidenceOf(alike(count - 1), prices(100, 150))
      expect(fewer).toBeLessThanOrEqual(evidenceOf(alike(count), prices(100, 150)))
    }
  })

  it('falls as prices disagree, to 0.15 of itself', () => {
    expect(evidenceOf(alike(6), prices(100, 100_000))).toBeCloseTo(0.15, 12)
    expect(evidenceOf(alike(6), prices(100, 300))).toBeLessThan(
      evidenceOf(alike(6), prices(100, 200)),
    )
  })
})

describe('confidence', () => {
  it('is one through the factor by which estimates missed, half of it without evidence', () => {
    expect(confidenceOf(Math.log(2), 1)).toBeCloseTo(0.5, 12)
    expect(confidenceOf(Math.log(2), 0)).toBeCloseTo(0.25, 12)
    expect(confidenceOf(0, 1)).toBe(1)
  })

  it('is higher where past prices were predictable than where they were not', () => {
    const steady = sales('Oak desk', Array(60).fill(100), { category: 'office-furniture' })
    const prices = Array.from({ length: 60 }, (_, n) => (n % 2 ? 20_000 : 1_000))
    const wild = sales('Pump', prices, { category: 'other' })
    const sure = appraise([...steady, ...wild], {
      title: 'Oak desk',
      category: 'office-furniture',
    })!
    const unsure = appraise([...steady, ...wild], { title: 'Pump', category: 'other' })!
    expect(sure.confidence).toBeGreaterThan(2 * unsure.confidence)
    const width = ({ band }: typeof sure) => band.likely_high_cents / band.likely_low_cents
    expect(width(sure)).toBeLessThan(1.5)
    expect(width(unsure)).toBeGreaterThan(2 * width(sure))
  })
})
