import { describe, expect, it } from 'vitest'
import { withoutPeople } from '../../src/domain/feeds/people.ts'

describe('a description keeps the lot and loses the people', () => {
  const cases: [string, string, (string | null)[]?][] = [
    ['Runs well. Contact Jane Doe at 555-123-4567. Sold as is.', 'Runs well. Sold as is.'],
    ['Point of Contact: Jane Doe\n(4) desks', '\n(4) desks'],
    ['Contact\nJane Doe\n(4) desks', 'Contact\n(4) desks'],
    [
      'Ask Jane Q Doe for keys; Doe, Jane Q has them. JANE Q DOE',
      'Ask  for keys;  has them. ',
      ['Jane Q Doe'],
    ],
    ['Call 8175550100 first.', 'Call  first.', ['8175550100']],
    ['This lot is in used condition. E-mail a.b@c.gov.', 'This lot is in used condition.'],
    ['Contact cleaner, 12 EA. VIN 1FTFW1EF5EFA12345.', 'Contact cleaner, 12 EA. VIN 1FTFW1EF5EFA12345.'],
    ['Part 5551234567, stock 817-555.', 'Part 5551234567, stock 817-555.', [null, '', 'N']],
  ]
  it.each(cases)('%j', (text, kept, details = []) => {
    expect(withoutPeople(text, details)).toBe(kept)
  })

  it('takes no more than linear time, whatever the text', () => {
    for (const piece of ['Contact ', 'a.', 'Contact A ', '(1', 'poc:\n', 'A b ']) {
      const started = performance.now()
      withoutPeople(piece.repeat(20_000), ['Jane Doe'])
      expect(performance.now() - started).toBeLessThan(500)
    }
  })
})
