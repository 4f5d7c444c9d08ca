import postgres from 'postgres'
import { renewablePool } from './renewablePool.ts'

/** int8 and numeric come as text by default; every count and amount here fits a double exactly (below 2^53). */
const types = {
  number: { to: 20, from: [20, 1700], parse: Number, serialize: String },
}

export type Sql = postgres.Sql<{ number: number }>

export interface Database {
  /** The reads of the service. */
  read: Sql
  /** The counters: apart, so that no slow read delays an admission. */
  count: Sql
  /** The exports: few, and allowed to take longer. */
  export: Sql
  /**
   * Replaces all connections: for when they are open and silent, which the driver cannot know of (a network that swallows
   * packets). At most once in 5 s. @returns whether it did.
   */
  renew(): boolean
  end(): Promise<void>
}

export interface DatabaseSettings {
  url: string
  readConnections: number
  countConnections: number
  exportConnections: number
  readTimeoutMs: number
  exportTimeoutMs: number
  /** How long an answer is awaited on a silent connection after it was replaced: a minute, unless a test cannot wait. */
  lateAnswersMs?: number | undefined
}

const RENEWAL_INTERVAL_MS = 5_000
const LATE_ANSWERS_MS = 60_000

/**
 * The pools of a serving process. Only single autocommit statements may run on them: the driver lets a statement of a
 * dead transaction run inside another caller's (postgres.js 3.4.9, upstream pull request 1155), so no `begin` here.
 */
export function openDatabase(settings: DatabaseSettings): Database {
  const pool = (connections: number, timeoutMs: number) =>
    renewablePool(
      () => servingPool(settings.url, connections, timeoutMs),
      settings.lateAnswersMs ?? LATE_ANSWERS_MS,
    )
  const read = pool(settings.readConnections, settings.readTimeoutMs)
  const count = pool(settings.countConnections, settings.readTimeoutMs)
  const exports = pool(settings.exportConnections, settings.exportTimeoutMs)
  let renewedAt = Number.NEGATIVE_INFINITY
  return {
    read: read.sql,
    count: count.sql,
    export: exports.sql,
    renew: () => {
      if (performance.now() - renewedAt < RENEWAL_INTERVAL_MS) return false
      renewedAt = performance.now()
      // One network leads to them all.
      for (const each of [read, count, exports]) each.renew()
      return true
    },
    end: async () => {
      await Promise.all([read, count, exports].map(each => each.end()))
    },
  }
}

/** One pool of a serving process, on the primary or on a replica. Single autocommit statements only. */
export function servingPool(url: string, connections: number, timeoutMs: number): Sql {
  const options = {
    types,
    max: connections,
    // A backend that dies while the driver asks for the array types ends the process: the rejection is nobody's
    // (postgres.js 3.4.9, ReadyForQuery). So no arrays in the statements of these pools; sets go in as JSON.
    fetch_types: false,
    // One query a connection at a time: behind a slow one, fast ones waited 1,998 ms instead of 6 ms.
    max_pipeline: 0,
    connect_timeout: 2,
    backoff: () => 0.1 + Math.random() * 0.2,
    onnotice: () => {},
    connection: {
      application_name: 'surplus serve',
      statement_timeout: timeoutMs,
      client_connection_check_interval: 500,
      // Optional filters are written as `(parameter is null or …)`: planned with the values, they fold away.
      plan_cache_mode: 'force_custom_plan',
    },
  }
  // The driver's types do not know `max_pipeline`, which its options do (postgres.js 3.4.9, src/index.js).
  return postgres(url, options) as unknown as Sql
}

/**
 * One connection for work outside the serving process (migrations, loads, rescoring): transactions and temporary tables are fine.
 * @param session further settings of its session.
 */
export function openWorkbench(url: string, session: Record<string, string | number> = {}): Sql {
  return postgres(url, {
    types,
    max: 1,
    max_lifetime: null,
    idle_timeout: 0,
    connect_timeout: 10,
    onnotice: () => {},
    connection: {
      application_name: 'surplus work',
      statement_timeout: 0,
      // A load grows the table that its own statements read: a plan made for the empty one took five times as long.
      plan_cache_mode: 'force_custom_plan',
      ...session,
    },
  }) as unknown as Sql
}
