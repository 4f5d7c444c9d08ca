import plans from '../../data/plans.json' with { type: 'json' }

/**
 * The four plans: names, prices and limits (`alerts`: saved searches, webhook
 * endpoints, and whether a match is sent at once instead of once a day). Limits
 * are those of the specification; what it leaves open (the burst of Pro, the
 * defaults of Enterprise) is decided in docs/decisions/.
 */
export const PLANS = plans

/**
 * The limits of an address without a key, which may only use the agent endpoint
 * (docs/decisions/0014-mcp.md).
 */
export const KEYLESS = { calls_per_month: 100, calls_per_minute: 10 } as const

export type Plan = keyof typeof PLANS

export const PLAN_IDS = Object.keys(PLANS) as Plan[]

/** Whether plan `held` includes everything of plan `needed`. */
export function includes(held: Plan, needed: Plan): boolean {
  return PLANS[held].rank >= PLANS[needed].rank
}

/** Whether there is a larger plan. */
export function canUpgrade(held: Plan): boolean {
  return held !== 'enterprise'
}
