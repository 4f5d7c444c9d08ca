import tracked from '../../../data/sources.json' with { type: 'json' }
import {
  type CurrentSweeper,
  currentSweeper,
} from '../../infra/ingestion/locks.ts'
import {
  readSourceStates,
  type SourceDescription,
  type SourceState,
  storeSources,
} from '../../infra/ingestion/sources.ts'
import {
  type PlannedFrom,
  readSweepHistories,
} from '../../infra/ingestion/sweeps.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import type { SqlContext } from '../../infra/postgres/sql.ts'
import type { SourceAddress } from '../../infra/sources/officialSource.ts'
import {
  OFFICIAL_KEYS,
  OFFICIAL_SOURCES,
} from '../../infra/sources/registry.ts'

type Addresses = Record<string, SourceAddress>

/**
 * Without a sweeper, a source is stale when its last good fetch is older than
 * this.
 */
const STALE_AFTER_HOURS = 24
/** With one, after two of its intervals without a good fetch. */
const STALE_AFTER_INTERVALS = 2

/**
 * Why an official source is not fetched, as a phrase for its operator; null
 * when it is.
 * @param isTried by `npx surplus try-source`.
 */
function whyOff(source: string, { key }: SourceAddress, isTried: boolean) {
  const { needsKey, needsTrial } = OFFICIAL_SOURCES[source]!
  if (needsKey && key === null) return `off: ${needsKey} is not set`
  return needsTrial && !isTried
    ? `off: not tried yet; run npx surplus try-source ${source}`
    : null
}

/**
 * The official sources that are fetched, in the order of a sweep, with what the
 * next one of each is planned from.
 */
export async function sourcesOn(
  sql: Sql,
  addresses: Addresses,
): Promise<PlannedFrom[]> {
  const histories = await readSweepHistories(sql, OFFICIAL_KEYS)
  return histories.filter(
    ({ source, isTried }) => !whyOff(source, addresses[source]!, isTried),
  )
}

/** A source as its operator sees it. */
export interface ReportedSource extends SourceState {
  /**
   * Whether a program fetches it here; the others are loaded from files of an
   * operator.
   */
  is_fetched: boolean
  /** Why it is off; null while it is fetched. */
  why_off: string | null
  is_stale: boolean
  /** The age from which its data is called stale. */
  stale_after_hours: number
}

/** What `npx surplus sources` prints. */
interface SourceStates {
  /** Null while nothing sweeps. */
  sweeper: CurrentSweeper | null
  sources: ReportedSource[]
}

/**
 * How every source stands, and the one process that sweeps now; for an
 * operator, so without a cache and in full.
 * @param isSwept whether a sweeper should be running, so that sources are
 * compared with their own interval even while it is down.
 */
export async function listSourceStates(
  sql: Sql,
  addresses: Addresses,
  isSwept: boolean,
  now?: Date,
): Promise<SourceStates> {
  const sweeper = await currentSweeper(sql)
  const runs = isSwept || sweeper !== null
  const states = await readSourceStates(sql, now ?? null)
  const sources = states.map(state => {
    const address = addresses[state.source]
    const why_off = address
      ? whyOff(state.source, address, state.sweep?.is_tried === true)
      : 'no feed for programs: files of an operator'
    const is_fetched = why_off === null
    const interval = runs ? state.sweep?.interval_seconds : null
    const stale_after_hours = interval
      ? (STALE_AFTER_INTERVALS * interval) / 3600
      : STALE_AFTER_HOURS
    const isOld =
      state.age_hours === null || state.age_hours > stale_after_hours
    return {
      ...state,
      is_fetched,
      why_off,
      is_stale:
        isOld &&
        (state.live_lots > 0 ||
          (is_fetched && (runs || state.age_hours !== null))),
      stale_after_hours,
    }
  })
  return { sweeper, sources }
}

/** When a program fetches a source next; null before that was planned. */
export interface SweepTimes {
  next_due_at: string | null
  /** Why the last attempt failed; null where it did not. */
  fault: string | null
}

/**
 * When each official source that is fetched here is: its next fetch, null where
 * no sweeper plans them; and why it could not be fetched the last time.
 */
export async function readSweepTimes({
  sql,
}: SqlContext): Promise<Map<string, SweepTimes>> {
  const histories = await readSweepHistories(sql, OFFICIAL_KEYS)
  const on = histories.filter(
    ({ publishedDueAt, lastAttemptAt }) => publishedDueAt ?? lastAttemptAt,
  )
  return new Map(
    on.map(({ source, publishedDueAt, fault }) => [
      source,
      { next_due_at: publishedDueAt?.toISOString() ?? null, fault },
    ]),
  )
}

/**
 * The tracked sources: those of `data/sources.json`, and the official ones that
 * are fetched beyond them.
 */
const TRACKED: SourceDescription[] = [
  ...tracked,
  ...Object.values(OFFICIAL_SOURCES).flatMap(({ source, description }) =>
    description && !tracked.some(({ key }) => key === source)
      ? description
      : [],
  ),
]

/**
 * How many sources are tracked, and how many of them are fetched before an
 * operator tries a feed or gives a key.
 */
export const SOURCE_COUNTS = {
  tracked: TRACKED.length,
  fetched: Object.values(OFFICIAL_SOURCES).filter(
    source => !source.needsTrial && !source.needsKey,
  ).length,
}

/** The name of a source that is fetched. */
export function sourceName(source: string) {
  return TRACKED.find(({ key }) => key === source)?.name ?? source
}

/** Brings the tracked sources into the database. */
export async function seedSources(sql: Sql): Promise<void> {
  await storeSources(sql, TRACKED)
}
