import { describe, expect, it } from 'vitest'
import { type IndexAge, whyAnew } from '../../../src/domain/valuation/indexAge.ts'

const AS_OF = new Date('2026-11-21T09:30:00Z')
const hoursLater = (hours: number) => new Date(AS_OF.getTime() + hours * 3_600_000)

function why(change: Partial<IndexAge>, hours = 1): string | null {
  return whyAnew(
    { as_of: AS_OF, score_version: '1', sales: 1_000_000, sales_changed: 0, ...change },
    '1',
    hoursLater(hours),
  )
}

describe('all lots are estimated anew', () => {
  it('when there is no index', () => expect(whyAnew(null, '1', AS_OF)).toMatch(/not been indexed/))
  it('when the formula is another', () => expect(why({ score_version: '0' })).toMatch(/version 0/))
  it('after 24 hours, and not before', () => {
    expect(why({}, 23.99)).toBeNull()
    expect(why({}, 24)).toMatch(/24 hours old/)
  })
  it('when a clock was set back', () => expect(why({}, -0.001)).toMatch(/clock/))
  it('when more than 1 % of the sales have changed, and not before', () => {
    expect(why({ sales_changed: 10_000 })).toBeNull()
    expect(why({ sales_changed: 10_001 })).toMatch(/^10001 sales/)
  })
  it('when any sale has changed, where there are 20,000 at most', () => {
    expect(why({ sales: 20_000, sales_changed: 0 })).toBeNull()
    expect(why({ sales: 20_000, sales_changed: 1 })).not.toBeNull()
    expect(why({ sales: 20_001, sales_changed: 1 })).toBeNull()
  })
})
