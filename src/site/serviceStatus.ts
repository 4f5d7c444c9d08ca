import type { Schemas } from '../contract/types.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/durations.ts'
import type { SweepHistory } from '../domain/sweeps/nextSweepAt.ts'
import { listSources } from '../handlers/listSources.ts'
import { readAlertActivity } from '../infra/alerts/alertState.ts'
import { readProgress } from '../infra/alerts/matches.ts'
import { readPricesHistory } from '../infra/ingestion/loads.ts'
import type { SqlContext } from '../infra/postgres/sql.ts'
import { readCoverage, type SourceCoverage } from '../infra/site/sources.ts'
import { OFFICIAL_SOURCES } from '../infra/sources/registry.ts'
import type { Deps } from '../usecases/deps.ts'
import {
  readSweepTimes,
  type SweepTimes,
} from '../usecases/ingestion/trackedSources.ts'

export interface ServiceStatus {
  /** When this process started. */
  upSince: Date
  /**
   * Those that were read, or whose last fetch failed; `isOld`: longer ago than
   * planned.
   */
  sources: (SourceShown & { isOld: boolean })[] | null
  alerts: AlertsState | null
  prices: (SweepHistory & { goodAt: Date | null; now: Date }) | null
}

/** Lots of a day may have ended since. */
const OLD_MS = DAY_MS
/** For a source with a plan: some are fetched once a day. */
const OLD_AS_PLANNED_MS = 2 * DAY_MS
/** A process that matches changes notes the time every 15 seconds. */
const ALERTS_STOPPED_MS = 5 * MINUTE_MS
const MOST_WAITING_MS = 15 * MINUTE_MS

/**
 * How the service stands now. Sources, alerts and sold prices are null where
 * the database does not answer.
 */
export async function readStatus(deps: Deps): Promise<ServiceStatus> {
  const now = deps.now()
  const [sources, alerts, prices] = await Promise.all([
    showSources(deps).catch(() => null),
    deps.primary(readAlerts).catch(() => null),
    deps.primary(({ sql }) => readPricesHistory(sql)).catch(() => null),
  ])
  return {
    upSince: new Date(performance.timeOrigin),
    sources:
      sources
        ?.filter(
          ({ last_success_at, sweep }) =>
            last_success_at !== null || sweep?.fault,
        )
        .map(source => ({ ...source, isOld: isOld(source, now) })) ?? null,
    alerts,
    prices,
  }
}

/**
 * Why no lot is live: sources are not fetched, are fetched for the first time,
 * or failed; or the lots that were read have ended.
 */
export async function whyNoLots(
  deps: Deps,
): Promise<'off' | 'fetching' | 'failing' | 'ended'> {
  const sources = await showSources(deps)
  if (
    sources.some(
      ({ last_success_at, sweep }) => sweep && !sweep.fault && !last_success_at,
    )
  )
    return 'fetching'
  if (sources.some(({ sweep }) => sweep?.fault)) return 'failing'
  if (sources.some(({ last_success_at }) => last_success_at)) return 'ended'
  return deps.ingest ? 'fetching' : 'off'
}

function isOld({ last_success_at, live_count, sweep }: SourceShown, now: Date) {
  const ageMs =
    last_success_at === null ? 0 : now.getTime() - Date.parse(last_success_at)
  const due = sweep?.next_due_at
  if (due)
    return (
      ageMs > OLD_AS_PLANNED_MS || now.getTime() - Date.parse(due) > HOUR_MS
    )
  return ageMs > OLD_MS && (live_count > 0 || sweep !== null)
}

/** How matching and sending alerts goes. */
interface AlertsState {
  /** When changes were last matched; null where they never were. */
  matchedAt: Date | null
  hasStopped: boolean
  /** How long the oldest alert waits. */
  waitsMs: number
  isLate: boolean
  deliveredInHour: number
}

async function readAlerts(context: SqlContext): Promise<AlertsState> {
  const [progress, activity] = await Promise.all([
    readProgress(context),
    readAlertActivity(context, 3600),
  ])
  const { clock } = progress.streams
  return {
    matchedAt: clock === 0 ? null : new Date(clock * 1000),
    hasStopped: clock > 0 && progress.now_ms - clock * 1000 > ALERTS_STOPPED_MS,
    waitsMs: activity.oldest_seconds * 1000,
    isLate: activity.oldest_seconds * 1000 > MOST_WAITING_MS,
    deliveredInHour: activity.attempts.delivered,
  }
}

/**
 * A source with its terms. `sweep` is null for one that no program fetches;
 * `isOff` is whether one could.
 */
export type SourceShown = Schemas['Source'] &
  Omit<SourceCoverage, 'source'> & { sweep: SweepTimes | null; isOff: boolean }

/** The sources of `listSources` as a page shows them. */
export async function showSources(deps: Deps): Promise<SourceShown[]> {
  const [{ data: sources }, coverage, sweeps] = await Promise.all([
    listSources(deps, {}),
    deps.counts('coverage', readCoverage),
    deps.primary(readSweepTimes),
  ])
  const covered = new Map(coverage.map(each => [each.source, each]))
  // Sources are never removed, so the second statement knows all of the first.
  return sources.flatMap(source => {
    const facts = covered.get(source.source)
    const sweep = sweeps.get(source.source) ?? null
    const isOff = sweep === null && source.source in OFFICIAL_SOURCES
    return facts ? { ...source, ...facts, sweep, isOff } : []
  })
}
