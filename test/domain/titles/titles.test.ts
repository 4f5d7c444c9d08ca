import { describe, expect, it } from 'vitest'
import { singular, surfaceWords, titleModelYear, titleWords } from '../../../src/domain/titles/titleWords.ts'
import { listed } from './listed.ts'

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
    expect(titleWords('Lot of (2) Evo drones and a drone, SN: HV5920-1234567')).toEqual(['evo', 'drone'])
  })

  it('writes one thing one way', () => {
    expect(titleWords('Chevy trucks 4WD')).toEqual(titleWords('CHEVROLET TRUCK 4X4'))
    expect(titleWords('X-Ray machine')).toEqual(titleWords('xray machines'))
  })

  it('has no word for an empty or wordless title', () => {
    expect(titleWords('')).toEqual([])
    expect(titleWords('--- #1 ---')).toEqual([])
  })

  it('keeps plurals and packing words in the words as written', () => {
    expect(surfaceWords('LOT OF LAPTOPS')).toEqual(['lot', 'laptops'])
  })
})

describe('singular', () => {
  it.each([
    ['batteries', 'battery'],
    ['boxes', 'box'],
    ['switches', 'switch'],
    ['glasses', 'glass'],
    ['laptops', 'laptop'],
    ['bus', 'bus'],
    ['chassis', 'chassis'],
    ['press', 'press'],
  ])('of %s is %s', (plural, expected) => expect(singular(plural)).toBe(expected))
})

describe('titleModelYear', () => {
  it.each([
    ['2014 Ford F-150', 2014],
    ['FORD F150, 1999', 1999],
    ['2027 Ram 1500', 2027],
  ])('of "%s" is %i', (title, year) => expect(titleModelYear(title, 2027)).toBe(year))

  it.each(
    listed(`Ram 2500 | Generator 2000 watt | Generator, 2000W | Scale 2000 lb | Serial 12014 | Part #2014
    | 1949 Ford | 2028 Ford | Trucks 2014-2016`),
  )('of "%s" is unknown', title => expect(titleModelYear(title, 2027)).toBeNull())
})
