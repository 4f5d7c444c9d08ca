import type postgres from 'postgres'
import { numberType } from '../numberType.ts'

/** What the driver takes; its types do not know `max_pipeline`, which it does (postgres.js 3.4.9, src/index.js). */
export type SessionOptions = postgres.Options<{ number: typeof numberType }> & { max_pipeline: number }

/** How often PostgreSQL looks whether the client of a statement that runs is still there. */
export const LOOK_FOR_CLIENT_MS = 500

/** The sessions of a serving process. @param timeoutMs how long a statement may take. */
export function servingSession(timeoutMs: number): SessionOptions {
  return {
    types: { number: numberType },
    // A backend that dies while the driver asks for the array types ends the process: the rejection is nobody's
    // (postgres.js 3.4.9, ReadyForQuery). So no arrays in the statements of these pools; sets go in as JSON.
    fetch_types: false,
    // One statement a connection at a time: behind a slow one, fast ones waited 1,998 ms instead of 6 ms.
    max_pipeline: 0,
    connect_timeout: 2,
    backoff: () => 0.1 + Math.random() * 0.2,
    onnotice: () => {},
    connection: {
      application_name: 'surplus serve',
      statement_timeout: timeoutMs,
      client_connection_check_interval: LOOK_FOR_CLIENT_MS,
      // Optional filters are written as `(parameter is null or …)`: planned with the values, they fold away.
      plan_cache_mode: 'force_custom_plan',
    },
  }
}
