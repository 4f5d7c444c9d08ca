import official from '../../../data/official-sources.json' with { type: 'json' }
import { DAY_MS, HOUR_MS } from '../../domain/durations.ts'
import type { SweepPlan } from '../../domain/sweeps/nextSweepAt.ts'
import { headerText, integer, list, url } from '../settings/environment.ts'
import { gsa } from './gsa.ts'
import { hud } from './hud.ts'
import { irs } from './irs.ts'
import type { OfficialSource, SourceAddress } from './officialSource.ts'
import { cincinnati, norfolk, seattle } from './sodaSales.ts'

/** Every source that is fetched, by its key, in the order of a sweep. docs/sources.md says which ones may be. */
export const OFFICIAL_SOURCES = { gsa, hud, irs, seattle, norfolk, cincinnati } satisfies Record<
  string,
  OfficialSource
>
export type OfficialKey = keyof typeof OFFICIAL_SOURCES
export const OFFICIAL_KEYS = Object.keys(OFFICIAL_SOURCES) as OfficialKey[]

/** The public key of api.data.gov: 50 calls a day for each IP address. */
const DEMO_KEY = 'DEMO_KEY'
const DEMO_KEY_CALLS = 50
const OWN_KEY_CALLS = 5000
/** Of the calls that a key permits, at most this share is used. */
const USED_SHARE = 0.2
/** A week. */
const LONGEST_INTERVAL = 604_800

/** The address of every source, with its key. @throws UserError for a setting that cannot be used. */
export function sourceAddresses(env: NodeJS.ProcessEnv): Record<OfficialKey, SourceAddress> {
  return byKey(key => {
    const { variable, address: fallback, redirect_hosts } = official.sources[key]
    const hosts = `${key.toUpperCase()}_REDIRECT_HOSTS`
    return {
      address: url(env, variable, ['https:', 'http:']) ?? fallback,
      key: key === 'gsa' ? headerText(env, 'GSA_API_KEY', DEMO_KEY) : null,
      redirectHosts: list({ [hosts]: redirect_hosts, ...env }, hosts),
    }
  })
}

/** How often every source is fetched. @throws UserError for a setting that cannot be used. */
export function sweepPlans(env: NodeJS.ProcessEnv): Record<OfficialKey, SweepPlan> {
  const plans = byKey(key => {
    const { interval_seconds, least_gap_seconds } = official.sources[key]
    const name = `${key.toUpperCase()}_INTERVAL_SECONDS`
    const seconds = integer(env, name, interval_seconds, 1, LONGEST_INTERVAL)
    return { intervalMs: seconds * 1000, closing: null, leastGapMs: least_gap_seconds * 1000 }
  })
  return { ...plans, gsa: gsaPlan(env, plans.gsa) }
}

/**
 * GSA is the one source with bids that permits frequent fetches: the calls of a day, at the least gap, are a fifth of what its key
 * permits.
 */
function gsaPlan(env: NodeJS.ProcessEnv, plan: SweepPlan): SweepPlan {
  const ofKey = (env.GSA_API_KEY || DEMO_KEY) === DEMO_KEY ? DEMO_KEY_CALLS : OWN_KEY_CALLS
  const calls = integer(env, 'GSA_DAILY_CALLS', ofKey, 1, 10_000_000)
  const seconds = integer(env, 'GSA_CLOSING_INTERVAL_SECONDS', 120, 1, LONGEST_INTERVAL)
  const windowMs = integer(env, 'GSA_CLOSING_HOURS', 14, 0, 168) * HOUR_MS
  return {
    ...plan,
    closing: windowMs > 0 ? { intervalMs: seconds * 1000, windowMs } : null,
    leastGapMs: Math.max(plan.leastGapMs, Math.ceil(DAY_MS / (calls * USED_SHARE))),
  }
}

function byKey<Value>(settingOf: (key: OfficialKey) => Value): Record<OfficialKey, Value> {
  return Object.fromEntries(OFFICIAL_KEYS.map(key => [key, settingOf(key)])) as Record<OfficialKey, Value>
}
