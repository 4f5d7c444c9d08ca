import { describe, expect, it } from 'vitest'
import { canUpgrade, includes, PLAN_IDS, PLANS } from '../../../src/contract/plans.ts'

describe('the plans', () => {
  it('have the limits of the specification', () => {
    const limits = PLAN_IDS.map(id => [id, PLANS[id].calls_per_month, PLANS[id].calls_per_minute])
    expect(limits).toEqual([
      ['free', 1_000, 60],
      ['pro', 1_000, 120],
      ['pro_plus', 10_000, 300],
      ['enterprise', 100_000, 600],
    ])
  })

  it('include themselves and every lower one, and no higher one', () => {
    const held = PLAN_IDS.map(plan => PLAN_IDS.filter(needed => includes(plan, needed)))
    expect(held).toEqual([
      ['free'],
      ['free', 'pro'],
      ['free', 'pro', 'pro_plus'],
      ['free', 'pro', 'pro_plus', 'enterprise'],
    ])
  })

  it('have a higher one, but for enterprise', () => {
    expect(PLAN_IDS.filter(canUpgrade)).toEqual(['free', 'pro', 'pro_plus'])
  })
})
