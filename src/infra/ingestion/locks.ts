import {
  type Fragment,
  firstRow,
  firstValue,
  fragment,
  type Sql,
} from '../postgres/sql.ts'

/**
 * The first half of every advisory lock: a number that no other program is
 * likely to use.
 */
const LOCKS = 7_402_119

/**
 * `loads` is held by whatever changes lots, `archives` by what writes their
 * files, a source by the process that fetches it.
 */
type Lock = 'loads' | 'archives' | 'sweeper' | { source: string }

const SWEEPER_NAME = 'surplus sweep'

/**
 * Settings of PostgreSQL, in its own units: keepalives in seconds, the other
 * durations in ms.
 */
export type SweeperSession = {
  application_name: string
  client_connection_check_interval: number
  tcp_keepalives_idle: number
  tcp_keepalives_interval: number
  tcp_keepalives_count: number
  tcp_user_timeout: number
}

/**
 * The settings of a sweeper's session: its name, and short deadlines after
 * which the database drops a client that is gone, so that its locks are free
 * within seconds even when its machine has vanished.
 */
export function sweeperSession(processName: string): SweeperSession {
  return {
    application_name: `${SWEEPER_NAME} ${processName}`.slice(0, 63),
    client_connection_check_interval: 1000,
    tcp_keepalives_idle: 5,
    tcp_keepalives_interval: 2,
    tcp_keepalives_count: 3,
    tcp_user_timeout: 15_000,
  }
}

/**
 * Whether this session still holds the lock of the sweeper: one that was cut
 * off and reconnected does not.
 */
export async function isLeader(sql: Sql): Promise<boolean> {
  const held =
    await sql`select from pg_locks l where ${IS_SWEEPER_LOCK} and l.pid = pg_backend_pid()`
  return held.length > 0
}

/** The process that sweeps. */
export interface CurrentSweeper {
  process: string
  /** RFC 3339; null where it is not known. */
  connected_since: string | null
}

/**
 * The process that sweeps now, by machine and process id, as its connection to
 * the database names it.
 */
export async function currentSweeper(sql: Sql): Promise<CurrentSweeper | null> {
  return firstRow(sql<CurrentSweeper[]>`
    select
      coalesce(nullif(replace(a.application_name, ${`${SWEEPER_NAME} `}::text, ''), ''), 'unknown') as process,
      rfc3339(a.backend_start) as connected_since
    from pg_locks l
    left join pg_stat_activity a using (pid)
    where ${IS_SWEEPER_LOCK}`)
}

/**
 * Runs work under a lock, one at a time in all processes. Where another session
 * holds it, says so and waits. Taking a lock twice in one session is fine.
 */
export async function withLock<Result>(
  sql: Sql,
  lock: 'loads' | { source: string },
  onProgress: ((message: string) => void) | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!(await tryLock(sql, lock))) {
    const holder =
      lock === 'loads'
        ? 'Another load is running'
        : `Another process is fetching ${lock.source}`
    onProgress?.(`${holder}: waiting for it to end.`)
    await sql`select pg_advisory_lock(${lockKey(lock)})`
  }
  return untilUnlocked(sql, lock, work)
}

/**
 * As `withLock`, but returns null at once when another session holds the lock.
 */
export async function unlessLocked<Result>(
  sql: Sql,
  lock: Lock,
  work: () => Promise<Result>,
): Promise<Result | null> {
  return (await tryLock(sql, lock)) ? untilUnlocked(sql, lock, work) : null
}

/**
 * Takes the lock of the loads until the end of the transaction: an SQL
 * condition, false while another session loads.
 */
export function takesLoadLock(): Fragment {
  return fragment`pg_try_advisory_xact_lock(${lockKey('loads')})`
}

/**
 * The two numbers of an advisory lock in SQL. A lock belongs to its session, so
 * it ends with the process.
 */
export function lockKey(lock: Lock) {
  return fragment`${LOCKS}, hashtext(${typeof lock === 'string' ? lock : lock.source})`
}

/** Takes a lock if it is free. @returns whether this session holds it. */
export async function tryLock(sql: Sql, lock: Lock): Promise<boolean | null> {
  return firstValue<boolean>(sql`select pg_try_advisory_lock(${lockKey(lock)})`)
}

/**
 * A broken connection has lost its locks: the unlock is then only a warning.
 */
async function untilUnlocked<Result>(
  sql: Sql,
  lock: Lock,
  work: () => Promise<Result>,
) {
  try {
    return await work()
  } finally {
    await sql`select pg_advisory_unlock(${lockKey(lock)})`.catch(() => {})
  }
}

const IS_SWEEPER_LOCK = fragment`
    l.locktype = 'advisory'
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid = ${LOCKS}
    and l.objid::bigint = hashtext('sweeper') & 4294967295
    and l.granted`
