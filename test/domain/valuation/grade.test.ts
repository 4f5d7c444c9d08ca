import { describe, expect, it } from 'vitest'
import { gradeOf, gradeWords } from '../../../src/domain/valuation/grade.ts'
import { isPoor } from '../../../src/domain/valuation/lotFacts.ts'

describe('the grade of an estimate', () => {
  it.each([
    [
      'comparables',
      'from five like sales and a confidence of .4 on',
      [0.3, 0.4, 0.5, 0.6, 0.7],
      0.4,
    ],
    ['few', 'with less confidence', [0.3, 0.4, 0.5, 0.6, 0.7], 0.39],
    ['few', 'with four like sales', [0.29, 0.4, 0.5, 0.6, 0.7], 0.9],
    ['words', 'without a like sale', [0.29, 0.1], 0.9],
  ])('is %s %s', (grade, _, similarities, confidence) => {
    expect(
      gradeOf({ title: '2012 Ford F-150', category: 'vehicles' }, similarities, confidence),
    ).toBe(grade)
  })

  it('is words for a heavy machine with fewer than three like sales', () => {
    const excavator = {
      title: 'Caterpillar 305C CR Mini Excavator',
      category: 'heavy-equipment' as const,
    }
    expect(gradeOf(excavator, [0.9, 0.9], 0.9)).toBe('words')
    expect(gradeOf(excavator, [0.9, 0.9, 0.3], 0.9)).toBe('few')
  })

  it.each([
    ['few', '(1) Generator'],
    ['few', 'Office chairs'],
    ['few', '12 Desks'],
    ['comparables', 'Honda EU2200i'],
    ['comparables', 'Portable diesel generator'],
    ['comparables', 'Ford Explorer'],
  ])(
    'is %s at best for "%s": a kind of thing alone is no comparison, outside vehicles',
    (grade, title) => {
      expect(gradeOf({ title, category: 'other' }, [0.9, 0.9, 0.9, 0.9, 0.9], 0.9)).toBe(grade)
    },
  )

  it.each([
    ['comparables', 25, 'from 25 similar sales'],
    ['comparables', null, 'from similar sales'],
    ['few', 1, 'rough: from the words of the title, beside 1 similar sale'],
    ['few', null, 'rough: from the words of the title, beside similar sales'],
    ['words', 0, 'rough guess, can be off 3×'],
  ])('in words, of %s with %s like sales: %s', (grade, like, words) => {
    expect(gradeWords(grade, like)).toBe(words)
  })

  it('says of a machine with few sales that its value is general knowledge', () => {
    const words = 'general knowledge of such machines; too few sales here'
    expect(gradeWords('words', 2, 'heavy-equipment')).toBe(words)
    expect(gradeWords('comparables', 25, 'heavy-equipment')).toBe('from 25 similar sales')
  })
})

describe('what is sold for its parts or its metal', () => {
  it.each([
    [{ title: 'Salvage trailer' }],
    [{ title: 'Trailer for scrap' }],
    [{ title: '2012 Ford F-150 for parts only' }],
    [{ title: '2012 Ford F-150, wrecked' }],
    [{ title: '2012 Ford F-150', condition_grade: 'salvage' }],
    [{ title: '2012 Ford F-150', condition_grade: ' Scrap' }],
    [{ title: '2012 Ford F-150', runs: false }],
    [{ title: '2012 Ford F-150', road_title: false }],
  ])('is %o', lot => {
    expect(isPoor(lot)).toBe(true)
  })

  it.each([
    [{ title: 'Utility trailer' }],
    [{ title: 'Trailer, no salvage title' }],
    [{ title: '2012 Ford F-150', condition_grade: 'repairable' }],
    [{ title: '2012 Ford F-150', condition_grade: null, runs: null, road_title: true }],
  ])('is not %o', lot => {
    expect(isPoor(lot)).toBe(false)
  })
})
