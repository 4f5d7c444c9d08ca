import { describe, expect, it } from 'vitest'
import { modelYearLikeness, surfaceWords } from '../../../src/domain/titles/titleWords.ts'
import { vehicleMake } from '../../../src/domain/titles/vehicle.ts'

const makeOf = (title: string) => vehicleMake(surfaceWords(title))

describe('vehicleMake', () => {
  it.each([
    ['2015 Chevy Tahoe', 'chevrolet'],
    ['CHEVROLET TAHOE', 'chevrolet'],
    ['Dodge Ram 1500', 'dodge'],
    ['2019 Ram 1500', 'dodge'],
    ['Mercedes-Benz Sprinter', 'mercedes'],
  ])('of "%s" is %s', (title, make) => expect(makeOf(title)).toBe(make))

  it('is unknown when no make is named', () => expect(makeOf('Explorer GPS')).toBeNull())
})

describe('modelYearLikeness', () => {
  it('falls by a tenth a year and ends after four', () => {
    expect([2014, 2015, 2010, 2019].map(year => modelYearLikeness(2014, year))).toEqual([1, 0.9, 0.6, 0])
  })

  it('does not care who is older', () =>
    expect(modelYearLikeness(2010, 2013)).toBe(modelYearLikeness(2013, 2010)))

  it('is a fifth less when only one year is known, and whole when none is', () => {
    expect([
      modelYearLikeness(2014, null),
      modelYearLikeness(null, 2014),
      modelYearLikeness(null, null),
    ]).toEqual([0.8, 0.8, 1])
  })
})
