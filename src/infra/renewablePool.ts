import type { Sql } from './database.ts'

/** A pool whose connections can all be replaced at once, under everyone who holds `sql`. */
export interface RenewablePool {
  sql: Sql
  /** Statements go to new connections from now on; the old ones are closed, those that wait for an answer last. */
  renew(): void
  end(): Promise<void>
}

/**
 * @param open makes the pool, and makes it again.
 * @param lateAnswersMs how long an answer is awaited on a connection that was replaced: what it says may have to be undone,
 * as a call that was counted for nobody.
 */
export function renewablePool(open: () => Sql, lateAnswersMs: number): RenewablePool {
  let current = open()
  const retired = new Set<Sql>()
  const sql = new Proxy((() => {}) as unknown as Sql, {
    apply: (_target, _this, args) => Reflect.apply(current, undefined, args),
    get: (_target, name) => Reflect.get(current, name),
  })
  const retire = (pool: Sql) => {
    retired.add(pool)
    // Closes what is idle, and the rest when it has been answered; `end` would keep the process alive to wait for that. The
    // driver's types do not know it (postgres.js 3.4.9, src/index.js).
    void (pool as Sql & { close(): Promise<void> }).close()
    setTimeout(() => {
      retired.delete(pool)
      void pool.end({ timeout: 0 })
    }, lateAnswersMs).unref()
  }
  return {
    sql,
    renew: () => {
      retire(current)
      current = open()
    },
    end: async () => {
      await Promise.all([current.end({ timeout: 5 }), ...[...retired].map(pool => pool.end({ timeout: 0 }))])
    },
  }
}
