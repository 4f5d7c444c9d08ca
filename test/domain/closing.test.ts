import { describe, expect, it } from 'vitest'
import type { Listing } from '../../src/contract/types.ts'
import { closesIn, closesSentence, closingDayOf, opensAt } from '../../src/words/closing.ts'

const DAY = {
  source: 'gsa',
  source_name: 'GSA Auctions',
  zip: null,
  state: 'NY',
  end_date: '2026-11-25T05:59:59Z',
  end_precision: 'day',
} as Listing

describe('an end that is a day', () => {
  it('closes within the hours of its source, in the zone of the source', () => {
    const { earliest_ms, latest_ms } = closingDayOf(DAY)!
    expect([earliest_ms, latest_ms].map(ms => new Date(ms).toISOString())).toEqual([
      '2026-11-24T16:00:00.000Z',
      '2026-11-25T02:00:00.000Z',
    ])
    expect(closesSentence(DAY, 'UTC')).toBe(
      'Closes Tue, Nov 24, between 10 AM and 8 PM Central. GSA Auctions does not publish the hour.',
    )
    const city = {
      ...DAY,
      source: 'seattle',
      source_name: 'Seattle',
      end_date: '2026-11-25T07:59:59Z',
    }
    expect(closesSentence(city, 'UTC')).toMatch(
      /^Closes Tue, Nov 24, between 10 AM and midnight Pacific\./,
    )
  })

  it.each([
    ['2026-11-22T18:00:00Z', 'closes Tue, Nov 24'],
    ['2026-11-23T18:00:00Z', 'closes tomorrow'],
    ['2026-11-24T06:00:00Z', 'closes today'],
    ['2026-11-25T01:59:59Z', 'closes today'],
    ['2026-11-25T02:00:00Z', 'Bidding has likely closed'],
  ])('is said as a day: at %s it %s', (now, words) =>
    expect(closesIn(DAY, new Date(now))).toBe(words),
  )

  it('goes by the place of the lot where the zone of its source is that of each vendor', () => {
    const fleet = { ...DAY, source: 'gsa-fleet', zip: '10001' }
    expect(opensAt(fleet, '2026-11-10T15:30:00Z')).toBe('Tue, Nov 10, 2026, 10:30 AM EST')
  })

  it('says only the day of a start that is one', () => {
    expect(opensAt(DAY, '2026-11-10T06:00:00Z')).toBe('Tue, Nov 10')
    expect(opensAt(DAY, '2026-11-10T15:30:00Z')).toBe('Tue, Nov 10, 2026, 10:30 AM EST')
  })
})
