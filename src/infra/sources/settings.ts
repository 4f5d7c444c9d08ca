import type { SweepPlan } from '../../domain/sweeps/nextSweepAt.ts'
import { address, integer } from '../settings/environment.ts'
import type { SourceAddress } from './officialSource.ts'
import { DEMO_KEY, DEMO_KEY_LEAST_GAP_SECONDS, type OfficialKey, SOURCE_DEFAULTS } from './registry.ts'

/** A week. */
const LONGEST_INTERVAL = 604_800

/** The address of a source, with its key. */
export function sourceAddress(
  env: NodeJS.ProcessEnv,
  key: OfficialKey,
  apiKey: string | null = null,
): SourceAddress {
  const { variable, address: fallback, redirectHosts } = SOURCE_DEFAULTS[key]
  return {
    address: address(env, variable, ['https:', 'http:']) ?? fallback,
    key: apiKey,
    redirectHosts: (env[`${key.toUpperCase()}_REDIRECT_HOSTS`] ?? redirectHosts)
      .split(/[\s,]+/)
      .filter(host => host !== ''),
  }
}

/** How often a source is fetched. */
export function sweepPlan(env: NodeJS.ProcessEnv, key: OfficialKey): SweepPlan {
  const { intervalSeconds, leastGapSeconds } = SOURCE_DEFAULTS[key]
  const seconds = integer(env, `${key.toUpperCase()}_INTERVAL_SECONDS`, intervalSeconds, 1, LONGEST_INTERVAL)
  return { intervalMs: seconds * 1000, closing: null, leastGapMs: leastGapSeconds * 1000 }
}

/** The plan of GSA, the one source with bids that permits frequent fetches. */
export function gsaPlan(env: NodeJS.ProcessEnv): SweepPlan {
  const plan = sweepPlan(env, 'gsa')
  const seconds = integer(env, 'GSA_CLOSING_INTERVAL_SECONDS', 600, 1, LONGEST_INTERVAL)
  const windowMs = integer(env, 'GSA_CLOSING_HOURS', 14, 0, 168) * 3_600_000
  const hasDemoKey = (env.GSA_API_KEY || DEMO_KEY) === DEMO_KEY
  return {
    ...plan,
    closing: windowMs > 0 ? { intervalMs: seconds * 1000, windowMs } : null,
    leastGapMs: hasDemoKey ? DEMO_KEY_LEAST_GAP_SECONDS * 1000 : plan.leastGapMs,
  }
}
