import { describe, expect, it } from 'vitest'
import { CATEGORIES, classifyCategory, isCategory, pricedAs } from '../../../src/domain/titles/categories.ts'

describe('classifyCategory', () => {
  it.each([
    ['2015 FORD F150 XL', 'vehicles'],
    ['(4) Michelin tires', 'vehicles'],
    ['Gooseneck trailer, 20 ft', 'vehicles'],
    ['Yale forklift 5000 lb', 'heavy-equipment'],
    ['John Deere backhoe', 'heavy-equipment'],
    ['Dell Latitude laptops (12 EA)', 'electronics'],
    ['HP LaserJet printer', 'electronics'],
    ['Lateral file cabinets', 'office-furniture'],
    ['Conference table, 12 ft', 'office-furniture'],
    ['Table saw', 'tools-industrial'],
    ['Rotary air compressor', 'tools-industrial'],
    ['Hospital beds', 'medical-scientific'],
    ['Benchtop centrifuge', 'medical-scientific'],
    ['UH-60 Black Hawk helicopter', 'military-surplus'],
    ['Vacant land, 2.3 acres', 'real-estate'],
    ['Stamp collection', 'other'],
  ])('files "%s" under %s', (title, category) => expect(classifyCategory(title)).toBe(category))

  it.each([
    ['3 bed / 2 bath house with 2-car garage', 'real-estate'],
    ['DeLorme Explorer', 'electronics'],
    ['Fetal monitor', 'medical-scientific'],
    ['24 inch monitor', 'electronics'],
    ['Warehouse Fan', 'tools-industrial'],
    ['Wheelchairs', 'medical-scientific'],
    ['Exam table', 'medical-scientific'],
    ['Engine hoist', 'tools-industrial'],
    ['Oscilloscope', 'electronics'],
    ['Carpet', 'other'],
  ])('is not misled by "%s"', (title, category) => expect(classifyCategory(title)).toBe(category))

  it('asks the description when the title says nothing', () => {
    expect(classifyCategory('Item 9', 'Four office desks and chairs, used.')).toBe('office-furniture')
    expect(classifyCategory('Item 9', null)).toBe('other')
  })

  it('does not read a description to its end, where trucks come to pick things up', () => {
    expect(classifyCategory('Item 9', `${'Nothing to tell here. '.repeat(20)}Bring a truck.`)).toBe('other')
  })

  it('prefers what the title says to what the description says', () => {
    expect(classifyCategory('Dental chair', 'Buyer must bring a truck.')).toBe('medical-scientific')
  })
})

it('knows the ten categories and no other', () => {
  expect(new Set(CATEGORIES).size).toBe(10)
  expect(CATEGORIES.every(isCategory)).toBe(true)
  expect(isCategory('miscellaneous')).toBe(false)
})

describe('the category whose prices apply', () => {
  it.each([
    ['electronics', '2015 Ford F-150', 'vehicles'],
    ['other', '2015 Ford F-150', 'vehicles'],
    ['military-surplus', 'Patient monitor', 'medical-scientific'],
  ] as const)('is read again under "%s": "%s" is %s', (category, title, priced) =>
    expect(pricedAs(category, title)).toBe(priced),
  )

  it('is the label where the title has no known word, or says only that a thing is military', () => {
    expect(pricedAs('tools-industrial', 'Item 9')).toBe('tools-industrial')
    expect(pricedAs('vehicles', '1990 M923A2 tactical truck')).toBe('vehicles')
  })

  it('of a part is never that of whole vehicles', () => {
    expect(pricedAs('vehicles', '2012 Ford F-150 wheels')).toBe('other')
    expect(pricedAs('vehicles', 'Exhaust for Chevrolet Tahoe')).toBe('other')
  })
})
