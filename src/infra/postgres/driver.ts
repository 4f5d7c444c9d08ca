import postgres from 'postgres'
import { type DriverOptions, databaseAddress } from './address.ts'

/** A statement inside the driver (postgres/src/query.js of 3.4.9). */
interface Statement {
  executed: boolean
  resolve(result: unknown): void
  reject(error: unknown): void
  /** Takes the rows of a cursor, one result for each fetch. */
  cursorFn?(result: unknown): unknown
  /**
   * Every way to run a statement leads here: `await`, `forEach`, `cursor`, in a
   * transaction and on a reserved connection.
   */
  handle(): unknown
}

let isGuarded = false

/**
 * Opens the connections of a driver that gives each statement its own rows, and
 * no others. Nothing else may import the driver.
 */
export function openDriver(text: string, options: DriverOptions): postgres.Sql {
  // The default of libpq, by a name that the driver refuses.
  if (process.env.PGTARGETSESSIONATTRS === 'any')
    delete process.env.PGTARGETSESSIONATTRS
  const address = databaseAddress(text)
  const sql = postgres(address.url, { ...options, ...address.options })
  if (!isGuarded) guard(Object.getPrototypeOf(sql`select 1`))
  isGuarded = true
  return sql
}

// Why: a caller whose connection ran a statement that failed among its rows; npx vitest run test/infra/wholeResults.test.ts
/**
 * The driver places the rows of a statement by a counter, and sets it back only
 * when a statement succeeds (upstream issues 1119 and 1181). After one that
 * fails among its rows, the next result on the connection has as many empty
 * places before its rows, whoever sent the statement.
 */
function guard(statements: Statement) {
  const { handle } = statements
  statements.handle = function () {
    if (!this.executed) {
      const { resolve, cursorFn } = this
      this.resolve = result => {
        try {
          resolve(whole(result))
        } catch (error) {
          this.reject(error)
        }
      }
      // Later fetches begin at 0: the driver sets its counter back after each.
      if (cursorFn) this.cursorFn = result => cursorFn(whole(result))
    }
    return handle.call(this)
  }
}

/**
 * Removes the empty places before the rows of a result, or of the results of
 * several statements.
 * @throws an error that counts as a lost connection when the rows are not as
 * many as PostgreSQL says that it sent.
 */
function whole(result: unknown) {
  if (!Array.isArray(result)) return result
  for (const rows of 'count' in result ? [result] : result) {
    let empty = 0
    while (empty < rows.length && !(empty in rows)) empty++
    if (empty > 0) rows.splice(0, empty)
    // No count: SHOW, EXPLAIN, CALL. No rows: a statement without RETURNING.
    if (rows.count !== null && rows.length > 0 && rows.length !== rows.count) {
      const error = new Error(
        `The driver returned ${rows.length} of ${rows.count} rows.`,
      )
      throw Object.assign(error, { code: 'ROWS_LOST' })
    }
  }
  return result
}
