import type postgres from 'postgres'
import { UserError } from '../../contract/errors.ts'
import type { DriverOptions } from './address.ts'
import { openDriver } from './driver.ts'

/**
 * int8 and numeric arrive as text by default; every count and amount here is
 * exact as a double (below 2^53).
 */
const numberType = {
  to: 20,
  from: [20, 1700],
  parse: Number,
  serialize: String,
}

export type Sql = postgres.Sql<{ number: number }>

/**
 * A fixed moment, for tests; null: that of the database, whose clock all
 * processes share.
 */
export type Clock = Date | null

/** A part of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

/**
 * What a statement needs: its connections, and its moment (`clock` in
 * clock.ts).
 */
export interface SqlContext {
  sql: Sql
  now: Fragment
}

/**
 * Writes a part of a statement of any connection; this driver itself has none.
 * Its attribute keeps the driver from reading PGTARGETSESSIONATTRS, whose `any`
 * it refuses.
 */
export const fragment = open(
  'postgres://nobody@localhost/nothing?target_session_attrs=primary',
  {},
)

/**
 * A value as one parameter. As text first, because the driver would write JSON
 * as JSON again.
 */
export function asJson(value: unknown): Fragment {
  return fragment`${JSON.stringify(value)}::text::json`
}

/**
 * The rows of a query, in their order, as one JSON array; empty where there are
 * none.
 */
export function jsonList(rows: Fragment): Fragment {
  return fragment`(select coalesce(json_agg(found), '[]') from (${rows}) as found)`
}

/** The row of a statement that always answers with one. */
export async function onlyRow<Row>(
  rows: PromiseLike<readonly Row[]>,
): Promise<Row> {
  const [row] = await rows
  return row!
}

/** The first row of a statement; null where it answers with none. */
export async function firstRow<Row>(
  rows: PromiseLike<readonly Row[]>,
): Promise<Row | null> {
  const [row] = await rows
  return row ?? null
}

/** The only column of the first row; null where there is none. */
export async function firstValue<Value>(
  rows: PromiseLike<readonly object[]>,
): Promise<Value | null> {
  const [row] = await rows
  return row ? Object.values(row)[0] : null
}

export interface ServingOptions {
  url: string
  connections: number
  /** How long a statement may take. */
  timeoutMs: number
  /**
   * False: each call is planned with its values. The plan for any limit made an
   * export of 5,000 lots four times as long.
   */
  prepare?: false
}

/**
 * Opens the connections of a serving process to one server. Only single
 * autocommit statements may run on them. PostgreSQL plans them as it does by
 * default: look-ups once (planning took 0.5 ms of 0.7), searches with their
 * values, because a plan for any values of `(parameter is null or …)` costs
 * more than one in which the filters that are not sent fold away.
 */
export function openServing({
  url,
  connections,
  timeoutMs,
  prepare,
}: ServingOptions) {
  return open(url, {
    // Absent unless it is false: it would hide `?prepare=false` in the address
    // of a pooler.
    ...(prepare === false && { prepare }),
    max: connections,
    // A backend that dies while the driver asks for the array types ends the
    // process: nothing catches the rejection (postgres.js 3.4.9,
    // ReadyForQuery). So no arrays in these statements; sets go in as JSON.
    fetch_types: false,
    // One statement a connection at a time: behind a slow one, fast ones waited
    // 1,998 ms instead of 6 ms.
    max_pipeline: 0,
    connect_timeout: 2,
    // The default backs off up to 20 s, long after the server is back.
    backoff: () => 0.1 + Math.random() * 0.2,
    connection: {
      application_name: 'surplus serve',
      statement_timeout: timeoutMs,
      // Ends the statements of a process that was killed.
      client_connection_check_interval: 500,
    },
  })
}

const PROBE_MS = 3_000

/**
 * Runs a named statement again while another connection keeps the server
 * connection that it was prepared on. A pooler in transaction mode then takes
 * one that does not know it, and the driver prepares it again under another
 * name: once, which fails many calls under load.
 * @throws UserError for such a pooler. One that cannot be reached, or gives
 * only one connection, is not refused.
 */
export async function refuseLostStatements(url: string): Promise<void> {
  const connect = () =>
    open(url, { max: 1, fetch_types: false, connect_timeout: 2 })
  const [one, other] = [connect(), connect()]
  const nameOfProbe = async () =>
    (await one`select ${1}::integer as probe`).statement.name
  const isLost = async () => {
    const name = await nameOfProbe()
    return other.begin(async held => {
      await held`select 1`
      return (await nameOfProbe()) !== name
    })
  }
  const gaveUp = setTimeout(() => void one.end({ timeout: 0 }), PROBE_MS)
  const lost = await isLost().catch(() => false)
  clearTimeout(gaveUp)
  await Promise.all([one, other].map(each => each.end({ timeout: 0 })))
  if (lost)
    throw new UserError(
      'The address of the database leads to a pooler in transaction mode, which loses prepared statements. Add ?prepare=false to it (docs/scaling.md).',
    )
}

/**
 * Opens one connection for work outside the serving process (migrations, loads,
 * scoring). Transactions and temporary tables are fine.
 * @param session more settings of its session.
 */
export function openAdminConnection(
  url: string,
  session: Record<string, string | number> = {},
) {
  return open(url, {
    max: 1,
    max_lifetime: null,
    idle_timeout: 0,
    connect_timeout: 10,
    connection: {
      application_name: 'surplus work',
      statement_timeout: 0,
      // A load grows the table that its own statements read: a plan made for
      // the empty one took five times as long.
      plan_cache_mode: 'force_custom_plan',
      ...session,
    },
  })
}

function open(url: string, options: DriverOptions) {
  const own = { types: { number: numberType }, onnotice: () => {} }
  return openDriver(url, { ...own, ...options } as never) as unknown as Sql
}
