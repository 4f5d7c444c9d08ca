import { describe, expect, it } from 'vitest'
import { gradeOf, gradeWords } from '../../../src/domain/valuation/grade.ts'

describe('the grade of an estimate', () => {
  it.each([
    ['comparables', 'from five like sales and a confidence of .4 on', [0.3, 0.4, 0.5, 0.6, 0.7], 0.4],
    ['few', 'with less confidence', [0.3, 0.4, 0.5, 0.6, 0.7], 0.39],
    ['few', 'with four like sales', [0.29, 0.4, 0.5, 0.6, 0.7], 0.9],
    ['words', 'without a like sale', [0.29, 0.1], 0.9],
  ])('is %s %s', (grade, _, similarities, confidence) => {
    expect(gradeOf('2012 Ford F-150', similarities, confidence)).toBe(grade)
  })

  it('is words where the title says scrap or salvage, unless it denies it', () => {
    const graded = (title: string) => gradeOf(title, [0.3, 0.4, 0.5, 0.6, 0.7], 0.4)
    const poor = [
      'Salvage trailer',
      'Trailer for scrap',
      '2012 Ford F-150 for parts only',
      '2012 Ford F-150, wrecked',
      '2012 Ford F-150 - totaled',
      '2012 Ford F-150, burned',
    ]
    expect(new Set(poor.map(graded))).toEqual(new Set(['words']))
    const sound = ['Utility trailer', 'Trailer, no salvage title', '2012 Ford F-150, non-salvage title']
    expect(new Set(sound.map(graded))).toEqual(new Set(['comparables']))
  })

  it.each([
    ['few', '(1) Generator'],
    ['few', 'Office chairs'],
    ['few', '12 Desks'],
    ['comparables', 'Honda EU2200i'],
    ['comparables', 'Portable diesel generator'],
    ['comparables', 'Ford Explorer'],
  ])('is %s at best for "%s": a kind of thing alone is no comparison, outside vehicles', (grade, title) => {
    expect(gradeOf(title, [0.9, 0.9, 0.9, 0.9, 0.9], 0.9)).toBe(grade)
  })

  it.each([
    ['comparables', 25, 'from 25 similar sales'],
    ['comparables', null, 'from similar sales'],
    ['few', 1, 'rough: from 1 similar sale'],
    ['few', null, 'rough: from similar sales'],
    ['words', 0, 'rough guess, can be off 3×'],
  ])('in words, of %s with %s like sales: %s', (grade, like, words) => {
    expect(gradeWords(grade, like)).toBe(words)
  })
})
