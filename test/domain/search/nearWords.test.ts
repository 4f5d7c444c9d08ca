import { describe, expect, it } from 'vitest'
import { nearWords } from '../../../src/domain/search/searchWords.ts'

const KNOWN = ['truck', 'forklift', 'ford', 'chair', 'chain', 'generator', 'toyota', 'desk']

describe('nearWords', () => {
  it.each([
    ['forklfit', 'forklift'],
    ['Genrator toyota', 'generator toyota'],
    ['"toyoda forklift" -truk', '"toyota forklift" -truk'],
    ['chiar', 'chair'],
    ['frod', null],
    ['forrd 150', 'ford 150'],
    ['dekk', 'desk'],
    ['forklift', null],
    ['FORKLIFT', null],
    ['zzzzzzzz', null],
    ['-forklfit', null],
    ['f-150', null],
    ['', null],
  ])('%j is near %j', (typed, near) => {
    expect(nearWords(typed, KNOWN)).toBe(near)
  })

  it('takes the more frequent of two equally near words, and replaces no more than five', () => {
    expect(nearWords('chait', ['chair', 'chain'])).toBe('chair')
    expect(nearWords('chait', ['chain', 'chair'])).toBe('chain')
    expect(nearWords('dessk '.repeat(7).trim(), KNOWN)).toBe('desk desk desk desk desk dessk dessk')
  })
})
