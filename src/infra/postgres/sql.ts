import postgres from 'postgres'

/** int8 and numeric arrive as text by default; every count and amount here is exact as a double (below 2^53). */
const numberType = { to: 20, from: [20, 1700], parse: Number, serialize: String }

export type Sql = postgres.Sql<{ number: number }>

export interface ServingOptions {
  url: string
  connections: number
  /** How long a statement may take. */
  timeoutMs: number
  /** False: each call is planned with its values. The plan for any limit made an export of 5,000 lots four times as long. */
  prepare?: false
}

/**
 * Opens the connections of a serving process to one server. Only single autocommit statements may run on them. PostgreSQL plans them as it
 * does by default: look-ups once (planning took 0.5 ms of 0.7), searches with their values, because a plan for any values of
 * `(parameter is null or …)` costs more than one in which the filters that are not sent fold away.
 */
export function openServing({ url, connections, timeoutMs, prepare }: ServingOptions): Sql {
  return open(url, {
    // Absent unless it is false: it would hide `?prepare=false` in the address of a pooler.
    ...(prepare === false && { prepare }),
    max: connections,
    // A backend that dies while the driver asks for the array types ends the process: nothing catches the rejection
    // (postgres.js 3.4.9, ReadyForQuery). So no arrays in these statements; sets go in as JSON.
    fetch_types: false,
    // One statement a connection at a time: behind a slow one, fast ones waited 1,998 ms instead of 6 ms.
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

/**
 * Opens one connection for work outside the serving process (migrations, loads, scoring). Transactions and temporary tables are fine.
 * @param session more settings of its session.
 */
export function openAdminConnection(url: string, session: Record<string, string | number> = {}): Sql {
  return open(url, {
    max: 1,
    max_lifetime: null,
    idle_timeout: 0,
    connect_timeout: 10,
    connection: {
      application_name: 'surplus work',
      statement_timeout: 0,
      // A load grows the table that its own statements read: a plan made for the empty one took five times as long.
      plan_cache_mode: 'force_custom_plan',
      ...session,
    },
  })
}

/** The types of the driver lack `max_pipeline`, which it takes (postgres.js 3.4.9, src/index.js). */
function open(
  url: string,
  options: postgres.Options<Record<string, never>> & { max_pipeline?: number },
): Sql {
  return postgres(url, {
    types: { number: numberType },
    onnotice: () => {},
    ...options,
  } as never) as unknown as Sql
}
