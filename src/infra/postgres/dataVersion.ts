import { WINDOW_DAYS } from '../../domain/durations.ts'
import {
  type Clock,
  type Fragment,
  firstValue,
  fragment,
  onlyRow,
  type Sql,
  type SqlContext,
} from './sql.ts'

/** A moment of the data: what was read at the same version holds, until time itself changes it. */
export interface DataState {
  /** Changes with every change of the lots or the sources (migrations/0006_data_version.sql). */
  version: number
  /** The database clock at the read, in milliseconds since 1970. */
  now_ms: number
}

/**
 * What the lots and sales of the database are, as `X-Data` says: read from the sources, or
 * generated.
 */
export type DataKind = 'live' | 'demo'

export interface Holdings
  extends Record<'creditsOpenData' | 'hasRealLots' | 'hasOpenLots' | 'hasSales', boolean> {
  kind: DataKind
}

/** What a person or an agent must know about demo data. */
export const DEMO_NOTICE = 'Demo: these lots are made up and can’t be bid on.'

/** Reads the state of the data, after the call was made. */
export type ReadDataState = () => Promise<DataState>

/**
 * Reads the state once for many calls: while one statement is in flight, the calls that arrive wait
 * for the next. So the state is never older than the call, and many calls pay for one statement.
 */
export function createDataState(
  run: (work: (context: SqlContext) => Promise<DataState>) => Promise<DataState>,
): ReadDataState {
  let latest = Promise.resolve<unknown>(null)
  let next: Promise<DataState> | null = null

  return () => {
    next ??= latest
      .catch(() => {})
      .then(() => {
        next = null
        return run(readState)
      })
    latest = next
    return next
  }
}

/**
 * The moment a query is read at, as SQL: the given one (tests), or the clock of the database, which
 * all processes share.
 */
export function clock(now: Clock): Fragment {
  return fragment`coalesce(${now?.toISOString() ?? null}::timestamptz, now())`
}

/** The moment that the database has. */
export const DATABASE_NOW = clock(null)

/** The columns of `DataState`, as of the statement that they stand in. */
export function stateColumns(now: Fragment): Fragment {
  return fragment`
    (select version from data_version) as version,
    to_ms(${now}) as now_ms`
}

export async function readDataKind(sql: Sql): Promise<DataKind> {
  return (await firstValue<DataKind>(sql`select kind from data_version`))!
}

/**
 * What the data hold beside their kind; `creditsOpenData`: prices of the open dataset, whose
 * license asks pages to credit it.
 */
export async function readHoldings({ sql }: SqlContext): Promise<Holdings> {
  return onlyRow(sql`
    select
      kind,
      exists (select from loads where feed = 'open-data' and state = 'done') as "creditsOpenData",
      exists (select from loads where feed not like 'demo%' and rows_taken > 0) as "hasRealLots",
      exists (select from lots where is_open) as "hasOpenLots",
      exists (select from lots where sold_at is not null) as "hasSales"
    from data_version`)
}

/**
 * Marks the data as generated, for good: there is no command that removes demo lots and their sales
 * again.
 */
export async function markAsDemo(sql: Sql): Promise<void> {
  await sql`update data_version set kind = 'demo' where kind <> 'demo'`
}

async function readState({ sql, now }: SqlContext) {
  return onlyRow(sql<DataState[]>`select ${stateColumns(now)}`)
}

/**
 * Window of sales used for statistics, as an interval in hours: a day of PostgreSQL is a calendar
 * day, which has 23 or 25 of them when the session's clocks change.
 */
export const SALES_WINDOW = `${WINDOW_DAYS * 24} hours`

/**
 * Whether a lot, called `l`, takes bids: by its two dates. `is_open` only lets PostgreSQL use the
 * indexes of open lots. A subselect hides that most lots have ended: multiplied with the share of
 * open ones, it would make PostgreSQL expect a twelfth of the lots, and sort them all.
 */
export function liveAt(now: Fragment): Fragment {
  return fragment`l.is_open and l.ends_at > (select ${now}) and l.starts_at <= ${now}`
}

/**
 * The next end and the next beginning of any open lot, called `l` in here, as arguments of `least`;
 * null where there is none.
 */
export function nextEndAndStart(now: Fragment): Fragment {
  return fragment`
    (select l.ends_at from lots l where l.is_open and l.ends_at > ${now} order by l.ends_at limit 1),
    (select l.starts_at from lots l where l.is_open and l.starts_at > ${now} order by l.starts_at limit 1)`
}
