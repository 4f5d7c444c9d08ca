import postgres from 'postgres'
import type { Audience } from '../../domain/audience.ts'
import type { Sql } from './database.ts'
import type { SessionOptions } from './sessionOptions.ts'

/** Writes single autocommit statements, which run when somebody waits for them. */
export interface ServingSql extends Sql {
  /**
   * The same for those who may leave: when all are gone, a statement fails with `ClientLeft`. One that waits for a connection
   * is not begun, and one that runs is ended with its connection, on which nothing else runs.
   */
  until(audience: Audience): Sql
}

/** What the driver's types do not tell of a statement (postgres.js 3.4.9, src/query.js). */
export interface Statement extends Promise<unknown> {
  /** Is handed the statement when somebody begins to wait for it, and sees to it that it runs. */
  handler(statement: Statement): unknown
  /** Does nothing once the statement is settled. */
  reject(error: unknown): void
}

/** Runs a statement for those who wait for it; null: whoever waits stays. */
export type RunStatement = (statement: Statement, audience: Audience | null) => void

/** What only makes sense on a connection that one keeps. */
const NOT_SINGLE = ['begin', 'reserve', 'listen', 'notify', 'subscribe', 'file', 'largeObject']

/** A driver without connections writes the statements; where they run is up to `run`. */
export function servingSql(url: string, session: SessionOptions, run: RunStatement): ServingSql {
  const writer = postgres(url, { ...session, max: 0 })
  const until = (audience: Audience | null): ServingSql => {
    const handler = (statement: Statement) => run(statement, audience)
    const directed = (written: unknown) =>
      written instanceof Promise ? Object.assign(written, { handler }) : written
    return new Proxy(writer as ServingSql, {
      apply: (_target, _this, args) => directed(Reflect.apply(writer, undefined, args)),
      get: (_target, name) => {
        if (name === 'until') return until
        if (name === 'unsafe') return (...args: [string]) => directed(writer.unsafe(...args))
        if (!NOT_SINGLE.includes(String(name))) return Reflect.get(writer, name)
        throw new Error(`"${String(name)}" is not for the connections of a serving process.`)
      },
    })
  }
  return until(null)
}
