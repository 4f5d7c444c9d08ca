import official from '../../../data/official-sources.json' with { type: 'json' }
import { DAY_MS, HOUR_MS } from '../../domain/durations.ts'
import type { SweepPlan } from '../../domain/sweeps/nextSweepAt.ts'
import { headerText, integer, list, url } from '../settings/environment.ts'
import { PORTAL_FEEDS, sourceOf } from './feeds.ts'
import { gsa } from './gsa.ts'
import { irs } from './irs.ts'
import type { OfficialSource, SourceAddress } from './officialSource.ts'
import { sam } from './sam.ts'

/**
 * Every source that a program may fetch, by its key, in the order of a sweep.
 */
export const OFFICIAL_SOURCES: Readonly<Record<string, OfficialSource>> =
  Object.fromEntries(
    [gsa, irs, sam, ...PORTAL_FEEDS.map(sourceOf)].map(source => [
      source.source,
      source,
    ]),
  )
export const OFFICIAL_KEYS = Object.keys(OFFICIAL_SOURCES)

/** How a source is fetched, before any setting. */
type Defaults = (typeof official.sources)['gsa']

const DEFAULTS: Record<string, Defaults> = { ...official.sources }
for (const { key, address, redirect_hosts = [], every_hours } of PORTAL_FEEDS) {
  const where = {
    variable: `${prefixOf(key)}_URL`,
    address,
    redirect_hosts: redirect_hosts.join(),
  }
  DEFAULTS[key] = {
    ...where,
    interval_seconds: every_hours * 3600,
    least_gap_seconds: 1,
  }
}

/** The public key of api.data.gov: 50 calls a day for each IP address. */
export const DEMO_KEY = 'DEMO_KEY'
const DEMO_KEY_CALLS = 50
const OWN_KEY_CALLS = 5000
/** Of the calls that a key permits, at most this share is used. */
const USED_SHARE = 0.2
/**
 * How often GSA is fetched in the last hours before a lot ends. GSA publishes
 * the day on which a lot ends; most end between 10:00 and 20:00 Central, and
 * are live here until midnight: 14 hours before that is 10:00.
 */
const GSA_CLOSING = { intervalMs: 120_000, windowMs: 14 * HOUR_MS }
/** A week. */
const LONGEST_INTERVAL = 604_800

/**
 * The address of every source, with its key.
 * @throws UserError for a setting that cannot be used.
 */
export function sourceAddresses(
  env: NodeJS.ProcessEnv,
): Record<string, SourceAddress> {
  const keys: Record<string, string> = {
    gsa: headerText(env, 'GSA_API_KEY', DEMO_KEY),
    ...(env.SAM_API_KEY ? { sam: headerText(env, 'SAM_API_KEY', '') } : {}),
  }
  return byKey((key, { variable, address: fallback, redirect_hosts }) => ({
    address: url(env, variable, ['https:', 'http:']) ?? fallback,
    key: keys[key] || null,
    redirectHosts: list(env, `${prefixOf(key)}_REDIRECT_HOSTS`, redirect_hosts),
  }))
}

/**
 * How often every source is fetched.
 * @throws UserError for a setting that cannot be used.
 */
export function sweepPlans(env: NodeJS.ProcessEnv): Record<string, SweepPlan> {
  const plans = byKey((key, { interval_seconds, least_gap_seconds }) => {
    const name = `${prefixOf(key)}_INTERVAL_SECONDS`
    const seconds = integer(env, name, interval_seconds, 1, LONGEST_INTERVAL)
    return {
      intervalMs: seconds * 1000,
      closing: null,
      leastGapMs: least_gap_seconds * 1000,
    }
  })
  return { ...plans, gsa: gsaPlan(env, plans.gsa!) }
}

/**
 * GSA is the one source with bids that permits frequent fetches: the calls of a
 * day, at the least gap, are a fifth of what its key permits.
 */
function gsaPlan(env: NodeJS.ProcessEnv, plan: SweepPlan): SweepPlan {
  const ofKey =
    (env.GSA_API_KEY || DEMO_KEY) === DEMO_KEY ? DEMO_KEY_CALLS : OWN_KEY_CALLS
  const calls = integer(env, 'GSA_DAILY_CALLS', ofKey, 1, 10_000_000)
  return {
    ...plan,
    closing: GSA_CLOSING,
    leastGapMs: Math.max(
      plan.leastGapMs,
      Math.ceil(DAY_MS / (calls * USED_SHARE)),
    ),
  }
}

/**
 * How the names of a source's settings begin: `GSA`, `FEED_SEATTLE`,
 * `FEED_KANSAS_CITY_LAND_BANK`.
 */
function prefixOf(key: string) {
  const name = key.toUpperCase().replaceAll('-', '_')
  return key in official.sources ? name : `FEED_${name}`
}

function byKey<Value>(
  settingOf: (key: string, defaults: Defaults) => Value,
): Record<string, Value> {
  return Object.fromEntries(
    OFFICIAL_KEYS.map(key => [key, settingOf(key, DEFAULTS[key]!)]),
  )
}
