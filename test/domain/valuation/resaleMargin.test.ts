import { describe, expect, it } from 'vitest'
import { resaleMargin } from '../../../src/domain/price.ts'

describe('resaleMargin', () => {
  it('is the value less the cost and less 12 % for reselling', () => {
    expect(resaleMargin(602_000, 412_500)).toEqual({
      estimated_value_cents: 602_000,
      all_in_cost_cents: 412_500,
      margin_cents: 117_260,
      margin_percent: 28.4,
    })
  })

  it('is negative for an expected loss', () => {
    expect(resaleMargin(10_000, 20_000)).toMatchObject({ margin_cents: -11_200, margin_percent: -56 })
  })

  it('takes another share of reselling costs', () =>
    expect(resaleMargin(10_000, 5_000, 0)?.margin_cents).toBe(5_000))

  it('is unknown without a value or a cost', () => {
    expect(resaleMargin(null, 100)).toBeNull()
    expect(resaleMargin(100, null)).toBeNull()
    expect(resaleMargin(100, 0)).toBeNull()
  })
})
