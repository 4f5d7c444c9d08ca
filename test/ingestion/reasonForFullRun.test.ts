import { describe, expect, it } from 'vitest'
import { reasonForFullRun } from '../../src/domain/valuation/reasonForFullRun.ts'
import type { ModelState } from '../../src/infra/valuation/models.ts'

const AS_OF = new Date('2026-11-21T09:30:00Z')
const hoursLater = (hours: number) => new Date(AS_OF.getTime() + hours * 3_600_000)

function reason(change: Partial<ModelState>, hours = 1): string | null {
  const index = { as_of: AS_OF, score_version: '1', sales: 1_000_000, sales_changed: 0, ...change }
  return reasonForFullRun(index, '1', hoursLater(hours))
}

describe('all lots are estimated again', () => {
  it('when there is no index', () =>
    expect(reasonForFullRun(null, '1', AS_OF)).toMatch(/not been indexed/))
  it('when the formula is another', () =>
    expect(reason({ score_version: '0' })).toMatch(/version 0/))
  it('after 24 hours, and not before', () => {
    expect(reason({}, 23.99)).toBeNull()
    expect(reason({}, 24)).toMatch(/24 hours old/)
  })
  it('when a clock was set back', () => expect(reason({}, -0.001)).toMatch(/clock/))
  it('when more than 1 % of the sales have changed, and not before', () => {
    expect(reason({ sales_changed: 10_000 })).toBeNull()
    expect(reason({ sales_changed: 10_001 })).toMatch(/^10001 sales/)
  })
  it('by the same share where there are few sales', () => {
    expect(reason({ sales: 20_000, sales_changed: 200 })).toBeNull()
    expect(reason({ sales: 20_000, sales_changed: 201 })).not.toBeNull()
    expect(reason({ sales: 0, sales_changed: 1 })).not.toBeNull()
  })
})
