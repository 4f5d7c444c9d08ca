import type { Sql } from '../postgres/database.ts'

/** Advisory locks, by numbers that no other program is likely to use. Every writer of lots holds the first one. */
export const LOAD_LOCK = 7_402_119
const SWEEPER_LOCK = 7_402_120
/** Together with a number of the source. */
const SOURCE_LOCK = 7_402_121

/** The process that sweeps now, as its connection to the database names it. */
export interface Sweeper {
  /** Machine and process id. */
  process: string
  connected_since: string | null
}

/** What a sweeper calls itself in `application_name`. */
const SWEEPER_NAME = 'surplus sweep'

/**
 * The settings of a sweeper's session: its name, and short deadlines after which the database drops a client that is
 * gone, so that its locks are free within seconds even when its machine has vanished.
 */
export function sweeperSession(processName: string): Record<string, string | number> {
  return {
    application_name: `${SWEEPER_NAME} ${processName}`.slice(0, 63),
    client_connection_check_interval: 1000,
    tcp_keepalives_idle: 5,
    tcp_keepalives_interval: 2,
    tcp_keepalives_count: 3,
    tcp_user_timeout: 15_000,
  }
}

/** Takes the lock of the one sweeper if it is free. @returns whether this session holds it. */
export async function takeOrKeepLead(sql: Sql): Promise<boolean> {
  const [found] = await sql<{ leads: boolean }[]>`
    select case when ${isHeld(sql, SWEEPER_LOCK)} then true else pg_try_advisory_lock(${SWEEPER_LOCK}) end as leads`
  return found!.leads
}

/** Whether this session still holds the lock of the sweeper: one that was cut off and reconnected does not. */
export async function keepsLead(sql: Sql): Promise<boolean> {
  const [found] = await sql<{ leads: boolean }[]>`select ${isHeld(sql, SWEEPER_LOCK)} as leads`
  return found!.leads
}

export async function currentSweeper(sql: Sql): Promise<Sweeper | null> {
  const [sweeper] = await sql<Sweeper[]>`
    select
      coalesce(nullif(replace(a.application_name, ${`${SWEEPER_NAME} `}::text, ''), ''), 'unknown') as process,
      rfc3339(a.backend_start) as connected_since
    from pg_locks l
    left join pg_stat_activity a using (pid)
    where ${isSweeperLock(sql, SWEEPER_LOCK)}`
  return sweeper ?? null
}

/** Runs work that fetches a source, one at a time in all processes; waits for another fetch, after calling `onWait`. */
export async function withSourceLock<Result>(
  sql: Sql,
  source: string,
  onWait: () => void,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!(await trySourceLock(sql, source))) {
    onWait()
    await sql`select pg_advisory_lock(${SOURCE_LOCK}, hashtext(${source}))`
  }
  return untilUnlocked(sql, source, work)
}

/** As `withSourceLock`, but returns null at once when the source is being fetched already. */
export async function unlessSourceLocked<Result>(
  sql: Sql,
  source: string,
  work: () => Promise<Result>,
): Promise<Result | null> {
  return (await trySourceLock(sql, source)) ? untilUnlocked(sql, source, work) : null
}

/** An SQL condition: whether a source is being fetched now. */
export function isBeingFetched(sql: Sql, source: ReturnType<Sql>) {
  return sql`exists (
    select
    from pg_locks l
    where l.locktype = 'advisory'
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid = ${SOURCE_LOCK}
    and l.objid::bigint = hashtext(${source}) & 4294967295
    and l.objsubid = 2
    and l.granted
  )`
}

async function trySourceLock(sql: Sql, source: string): Promise<boolean> {
  const [attempt] = await sql<{ is_free: boolean }[]>`
    select pg_try_advisory_lock(${SOURCE_LOCK}, hashtext(${source})) as is_free`
  return attempt!.is_free
}

/** A broken connection has lost its locks, and another session may hold them: the unlock is then only a warning. */
async function untilUnlocked<Result>(sql: Sql, source: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } finally {
    await sql`select pg_advisory_unlock(${SOURCE_LOCK}, hashtext(${source}))`.catch(() => {})
  }
}

function isHeld(sql: Sql, lock: number) {
  return sql`exists (select from pg_locks l where ${isSweeperLock(sql, lock)} and l.pid = pg_backend_pid())`
}

/** How `pg_locks` shows an advisory lock of one number: its halves, and 1. */
function isSweeperLock(sql: Sql, lock: number) {
  return sql`
    l.locktype = 'advisory'
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid = 0
    and l.objid = ${lock}
    and l.objsubid = 1
    and l.granted`
}

/**
 * Runs work that changes lots, one at a time in all processes; waits for a load that is running, after calling `onWait`. The lock
 * belongs to the session, so it ends with the process. Taking it twice in one session is fine.
 */
export async function withLoadLock<Result>(
  sql: Sql,
  onWait: () => void,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!(await tryLoadLock(sql))) {
    onWait()
    await sql`select pg_advisory_lock(${LOAD_LOCK})`
  }
  return untilLoadUnlocked(sql, work)
}

/** Runs work that changes lots, or does nothing while a load is running. */
export async function unlessLoading(sql: Sql, work: () => Promise<void>): Promise<void> {
  if (await tryLoadLock(sql)) await untilLoadUnlocked(sql, work)
}

/** Takes the load lock until the end of the transaction: an SQL condition, false while another session loads. */
export function takesLoadLock(sql: Sql) {
  return sql`pg_try_advisory_xact_lock(${LOAD_LOCK})`
}

async function tryLoadLock(sql: Sql): Promise<boolean> {
  const [attempt] = await sql<{ is_free: boolean }[]>`select pg_try_advisory_lock(${LOAD_LOCK}) as is_free`
  return attempt!.is_free
}

async function untilLoadUnlocked<Result>(sql: Sql, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } finally {
    await sql`select pg_advisory_unlock(${LOAD_LOCK})`
  }
}
