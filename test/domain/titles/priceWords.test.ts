import { describe, expect, it } from 'vitest'
import { isByWeight, priceWords } from '../../../src/domain/titles/priceWords.ts'
import { comparableWord, titleWords } from '../../../src/domain/titles/titleWords.ts'

/** Titles are invented. */
describe('the words that a title is priced by', () => {
  it('name the trade of a word that another trade uses too', () => {
    expect(priceWords('Computer monitors')).toContain('monitors')
    expect(priceWords('Patient monitors')).toContain('monitor~medical-scientific')
    expect(priceWords('Diesel generator')).toContain('generator')
    expect(priceWords('Signal generator')).toContain('generator~electronics')
  })

  it.each(['MRI scanner', 'Hematology analyzer', 'Lab centrifuge, benchtop', 'Operating table, hospital'])(
    'mark "%s" as capital equipment',
    title => expect(priceWords(title)).toContain('~capital'),
  )

  it.each(['Ultrasound probe', 'Centrifuge tubes', 'X-ray film', 'Spectrum analyzer cable', 'Exam gloves'])(
    'do not mark "%s" as capital equipment',
    title => expect(priceWords(title)).not.toContain('~capital'),
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
  it.each([
    'Scrap metal',
    'Mixed metals, 3 tons',
    'Brass casings',
    'Lead acid batteries, 4,000 lbs',
    'Steel turnings',
  ])('is sold as "%s"', title => expect(isByWeight(title)).toBe(true))
  it.each([
    'Metal cabinet',
    '2015 Kia Rio (scrap title)',
    'Utility cart (scrap)',
    'Battery charger',
    '5 ton truck',
  ])('is not sold as "%s"', title => expect(isByWeight(title)).toBe(false))
})

it('packing words are no likeness', () => {
  expect(titleWords('One lot of multiple assorted desks')).toEqual(['desk'])
  expect(titleWords('Mixed lot of approx 20 desks')).toEqual(titleWords('Est. total: 20 desks'))
})
