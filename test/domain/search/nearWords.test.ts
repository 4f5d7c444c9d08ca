import { describe, expect, it } from 'vitest'
import { nearWords } from '../../../src/domain/search/nearWords.ts'
import { readings } from '../titles/listed.ts'

const KNOWN = ['truck', 'forklift', 'ford', 'chair', 'chain', 'generator', 'toyota', 'desk']

describe('nearWords', () => {
  // More are in test/ingestion/searchCases.test.ts.
  it.each(
    readings(`Genrator toyota = generator toyota | "toyoda forklift" -truk = "toyota forklift" -truk | chiar = chair
      | frod = ford | forrd 150 = ford 150 | dekk = desk | forklift = null | FORKLIFT = null | desks = null
      | planer desk = null | large desk = desk | "desk zzzzzzzz" = null | zzzzzzzz or desk = null | genratr = null
      | gentratr = generator | -forklfit = null | f-150 = null`),
  )('%j is near %j', (typed, near) => expect(String(nearWords(typed, KNOWN))).toBe(near))

  it('is near nothing where nothing was typed', () => expect(nearWords('', KNOWN)).toBeNull())

  it('takes the more frequent of two equally near words, and replaces no more than five', () => {
    expect(nearWords('chait', ['chair', 'chain'])).toBe('chair')
    expect(nearWords('chait', ['chain', 'chair'])).toBe('chain')
    expect(nearWords('dessk '.repeat(7).trim(), KNOWN)).toBe('desk desk desk desk desk dessk dessk')
  })
})
