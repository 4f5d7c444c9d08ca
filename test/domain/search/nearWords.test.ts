import { describe, expect, it } from 'vitest'
import { nearWords } from '../../../src/domain/search/nearWords.ts'

const KNOWN = ['truck', 'forklift', 'ford', 'chair', 'chain', 'generator', 'toyota', 'desk']

describe('nearWords', () => {
  it.each([
    ['forklfit', 'forklift'],
    ['Genrator toyota', 'generator toyota'],
    ['"toyoda forklift" -truk', '"toyota forklift" -truk'],
    ['chiar', 'chair'],
    ['frod', 'ford'],
    ['forrd 150', 'ford 150'],
    ['dekk', 'desk'],
    ['forklift', null],
    ['FORKLIFT', null],
    ['desks', null],
    ['planer', null],
    ['zzzzzzzz', null],
    ['zzzzzzzz desk', 'desk'],
    ['planer desk', 'desk'],
    ['"desk zzzzzzzz"', null],
    ['zzzzzzzz or desk', null],
    ['chairdesk', 'chair desk'],
    ['genratr', null],
    ['gentratr', 'generator'],
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
