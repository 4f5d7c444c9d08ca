import { describe, expect, it } from 'vitest'
import ITEMS from '../../../data/items.json' with { type: 'json' }
import { itemTagger } from '../../../src/domain/titles/items.ts'

const tagItem = itemTagger(ITEMS)

describe('tagItem', () => {
  it.each([
    ['2014 Ford F-150 XL', 'ford-f-150'],
    ['FORD F 250 SUPER DUTY', 'ford-f-250'],
    ['2019 Tahoe 4x4', 'chevrolet-tahoe'],
    ['Dodge Ram 1500', 'ram-1500'],
    ['School bus, 72 passengers', 'bus'],
    ['Laptop computers (20 EA)', 'laptop'],
    ['Dell OptiPlex 7040', 'desktop-computer'],
    ['(3) 24 inch monitors', 'computer-monitor'],
    ['Conference table', 'conference-table'],
    ['Stryker stretcher', 'hospital-bed'],
    ['40 ft conex', 'shipping-container'],
  ])('tags "%s" as %s', (title, slug) => expect(tagItem(title)).toBe(slug))

  it('puts the exact model before the kind of thing', () => {
    expect(tagItem('2009 Ford E-350 shuttle bus')).toBe('ford-e-series-van')
    expect(tagItem('2009 shuttle bus')).toBe('bus')
  })

  it.each([
    'Fusion splicer',
    'Sierra wireless modem',
    'Transit level with tripod',
    'DeLorme Explorer',
    'Journey headphones',
  ])('sees no vehicle in "%s"', title => expect(tagItem(title)).toBeNull())

  it('does not take another make for a model', () =>
    expect(tagItem('2012 Hino Fusion')).not.toBe('ford-fusion'))

  it('does not look for vehicles among tools', () => {
    expect(tagItem('1998 Transit', 'vehicles')).toBe('ford-transit')
    expect(tagItem('1998 Transit', 'tools-industrial')).toBeNull()
  })

  it.each([
    ['Ford F-150 tires', 'tires-wheels'],
    ['2016 Ford F-150 engine', 'auto-parts'],
  ])('tells the parts "%s" from the vehicle', (title, slug) => expect(tagItem(title)).toBe(slug))

  it('does not take a remark on the state of a vehicle for a part of it', () => {
    expect(tagItem('2017 Chevrolet Tahoe - engine warning light on')).toBe('chevrolet-tahoe')
    expect(tagItem('2016 Dodge Durango (needs transmission and tires)')).toBe('dodge-durango')
  })

  it.each([
    ['Patient monitor', 'patient-monitor'],
    ['Vital signs monitors', 'patient-monitor'],
    ['Exam table', 'exam-table'],
  ])('keeps the medical "%s" apart', (title, slug) => expect(tagItem(title)).toBe(slug))

  it('tags nothing but real estate in real estate', () => {
    expect(tagItem('Log cabin with boat dock', 'real-estate')).toBe('manufactured-home')
    expect(tagItem('Lot with boat dock', 'real-estate')).toBeNull()
  })

  it('has no item for what is not tracked', () => expect(tagItem('Assorted stamps')).toBeNull())
})

describe('data/items.json', () => {
  it('holds each slug once, in the way the tagger needs', () => {
    expect(ITEMS.length).toBeGreaterThan(100)
    for (const item of ITEMS)
      expect(Object.keys(item)).toEqual(['slug', 'name', 'category', 'include', 'exclude'])
  })
})

describe('itemTagger', () => {
  const item = { slug: 'a', name: 'A', category: 'other', include: 'a', exclude: '' }

  it('refuses a slug that comes twice', () => expect(() => itemTagger([item, item])).toThrow('same slug'))

  it('refuses a category that does not exist', () => {
    expect(() => itemTagger([{ ...item, category: 'things' }])).toThrow('unknown category "things"')
  })
})
