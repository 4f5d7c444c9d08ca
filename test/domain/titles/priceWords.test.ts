import { describe, expect, it } from 'vitest'
import { isByWeight, priceWords } from '../../../src/domain/titles/priceWords.ts'
import {
  comparableWord,
  modelYearLikeness,
  singular,
  surfaceWords,
  titleWords,
} from '../../../src/domain/titles/titleWords.ts'
import { listed } from './listed.ts'

/** Titles are invented. */
describe('the words that a title is priced by', () => {
  it('name the trade of a word that another trade uses too', () => {
    expect(priceWords('Computer monitors')).toContain('monitors')
    expect(priceWords('Patient monitors')).toContain('monitor~medical-scientific')
    expect(priceWords('Diesel generator')).toContain('generator')
    expect(priceWords('Signal generator')).toContain('generator~electronics')
  })

  it.each([
    'MRI scanner',
    'Hematology analyzer',
    'Lab centrifuge, benchtop',
    'Operating table, hospital',
  ])('mark "%s" as capital equipment', title => expect(priceWords(title)).toContain('~capital'))

  it.each([
    'Ultrasound probe',
    'Centrifuge tubes',
    'X-ray film',
    'Spectrum analyzer cable',
    'Exam gloves',
  ])('do not mark "%s" as capital equipment', title =>
    expect(priceWords(title)).not.toContain('~capital'),
  )

  it('mark a sale by weight, and its size', () => {
    expect(priceWords('Scrap brass, approx. 2,000 lbs')).toEqual(
      expect.arrayContaining(['~weight', '~weight3']),
    )
    expect(priceWords('Lead acid batteries, 10 tons')).toContain('~weight4')
  })

  it('mark the number of pieces in powers of two', () => {
    expect(priceWords('Desk lamps (3)')).toContain('~pieces1')
    expect(priceWords('Desk lamps, qty 40')).toContain('~pieces5')
    expect(priceWords('Desk lamp')).toEqual(['desk', 'lamp'])
  })

  it('have marks that are no likeness', () => expect(comparableWord('~pieces3')).toBeNull())
})

describe('material by weight', () => {
  it.each(
    listed(
      `Scrap metal | Mixed metals, 3 tons | Brass casings | Lead acid batteries, 4,000 lbs | Steel turnings
      | Approx. 2,000 lbs scrap metal | Copper wire by the pound | Metal, scrap | Pallet of batteries (900 lbs)`,
    ),
  )('is sold as "%s"', title => expect(isByWeight(title)).toBe(true))
  it.each(
    listed(
      `Metal cabinet | 2015 Kia Rio (scrap title) | Utility cart (scrap) | Battery charger | 5 ton truck | Steel cart, 500 lbs
      | Electric forklift, battery, 10,000 lb | Steel hoist, 2 ton | Battery pallet jack, 5,000 lb capacity | Scrap computers`,
    ),
  )('is not sold as "%s"', title => expect(isByWeight(title)).toBe(false))
})

it('packing words are no likeness', () => {
  expect(titleWords('One lot of multiple assorted desks')).toEqual(['desk'])
  expect(titleWords('Mixed lot of approx 20 desks')).toEqual(titleWords('Est. total: 20 desks'))
})

describe('titleWords', () => {
  it.each(['2014 Ford F-150 XL', 'FORD F150 XL 2014', 'ford f 150 xl, 2014'])(
    'reads the model of "%s" however it is spaced',
    title => expect(titleWords(title).sort()).toEqual(['2014', 'f150', 'ford', 'xl']),
  )

  it('ends a word where letters become digits', () => {
    expect(titleWords('RAM1500')).toEqual(titleWords('Ram 1500'))
    expect(titleWords('MP50 monitor')).toEqual(titleWords('MP-50 Monitors'))
  })

  it('leaves out fillers, packing words, serial numbers and repeated words', () => {
    expect(titleWords('Lot of (2) Evo drones and a drone, SN: HV5920-1234567')).toEqual([
      'evo',
      'drone',
    ])
  })

  it('writes one thing one way', () => {
    expect(titleWords('Chevy trucks 4WD')).toEqual(titleWords('CHEVROLET TRUCK 4X4'))
    expect(titleWords('X-Ray machine')).toEqual(titleWords('xray machines'))
  })

  it.each(
    listed(`2017 Ford Explorer, odometer 98,765 | 2017 Ford Explorer, mileage: 143,220 | 2017 Ford Explorer 3.5L
      | 2017 Ford Explorer hours: 2,104`),
  )('leaves out the reading in "%s"', title =>
    expect(titleWords(title)).toEqual(['2017', 'ford', 'explorer']),
  )

  it('reads a year before a word with a k, and a number across its comma', () => {
    expect(titleWords('2019 K-9 Ford')).toContain('2019')
    expect(titleWords('Safe, 3,500 lbs')).toEqual(['safe', '3500', 'lbs'])
    expect(titleWords('Ford F-250,350')).toContain('f250')
  })

  it('has no word for an empty or wordless title', () => {
    expect(titleWords('')).toEqual([])
    expect(titleWords('--- #1 ---')).toEqual([])
  })

  it('keeps plurals and packing words in the words as written', () => {
    expect(surfaceWords('LOT OF LAPTOPS')).toEqual(['lot', 'laptops'])
  })
})

it('plurals become singular, and words that only look like one stay', () => {
  const plurals = [
    'batteries',
    'boxes',
    'switches',
    'glasses',
    'laptops',
    'bus',
    'chassis',
    'press',
  ]
  const singulars = ['battery', 'box', 'switch', 'glass', 'laptop', 'bus', 'chassis', 'press']
  expect(plurals.map(singular)).toEqual(singulars)
})

it('the likeness of model years falls by a tenth a year, ends after four, and by a fifth where only one is known', () => {
  expect(
    [2014, 2015, 2013, 2010, 2018, 2019, null].map(year => modelYearLikeness(2014, year)),
  ).toEqual([1, 0.9, 0.9, 0.6, 0.6, 0, 0.8])
  expect([2014, null].map(year => modelYearLikeness(null, year))).toEqual([0.8, 1])
})
