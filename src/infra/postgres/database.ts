import postgres from 'postgres'
import { numberType } from '../numberType.ts'
import { servingPool } from './connectionPool.ts'
import type { ServingSql } from './statements.ts'

export type Sql = postgres.Sql<{ number: number }>

export interface Database {
  /** The reads of the service. */
  read: ServingSql
  /** The counters: apart, so that no slow read delays an admission. */
  count: ServingSql
  /** The exports: few, and allowed to take longer. */
  export: ServingSql
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
  const { url, lateAnswersMs = LATE_ANSWERS_MS } = settings
  const pool = (connections: number, timeoutMs: number) =>
    servingPool({ url, connections, timeoutMs, lateAnswersMs })
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

/**
 * One connection for work outside the serving process (migrations, loads, rescoring): transactions and temporary tables are fine.
 * @param session further settings of its session.
 */
export function openWorkbench(url: string, session: Record<string, string | number> = {}): Sql {
  return postgres(url, {
    types: { number: numberType },
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

/** A second connection like that of a workbench. */
export function anotherWorkbench(sql: Sql): Sql {
  return postgres(sql.options as never) as unknown as Sql
}
