import postgres from 'postgres'
import type { Audience } from '../../domain/audience.ts'
import type { SessionOptions } from './sessionOptions.ts'
import type { Statement } from './statements.ts'

/** Room for one connection. It runs one statement at a time, so whoever ends the connection ends that statement and no other. */
export interface ServingPlace {
  /**
   * Runs a statement, and connects before where that is needed. One whose audience is gone is not
   * begun, or its connection is ended; whoever knows of the leaving has rejected it.
   * @returns when the place is free again; the statement is settled by then. Never throws.
   */
  run(statement: Statement, audience: Audience | null): Promise<void>
  /** Closes the connection when what it runs has been answered. */
  close(): void
  /** Ends the connection after so many seconds at the latest. */
  end(timeoutSeconds: number): Promise<void>
}

/**
 * A driver of its own, told to keep one connection, stands in the place: ending it is what the driver offers for ending one
 * connection. The server notices the closed socket within `client_connection_check_interval`, ends the statement and closes its
 * side; only then is the place free, so that there are never more backends than places.
 * @param longestEndMs when the place is free at the latest, though the server has said nothing.
 */
export function createServingPlace(url: string, session: SessionOptions, longestEndMs: number): ServingPlace {
  let connection = openConnection(url, session)

  async function abandon(): Promise<void> {
    const abandoned = connection
    connection = openConnection(url, session)
    await abandoned.abandon(longestEndMs)
  }

  return {
    run: async (statement, audience) => {
      try {
        await connection.ready()
      } catch (error) {
        return statement.reject(error)
      }
      // It was rejected meanwhile; the connection is there for the next one.
      if (audience?.isGone) return
      connection.start(statement)
      await statement.then(
        () => {},
        () => {},
      )
      if (audience?.isGone) await abandon()
    },
    close: () => connection.close(),
    end: timeoutSeconds => connection.end(timeoutSeconds),
  }
}

function openConnection(url: string, session: SessionOptions) {
  let isOpen = false
  let onClose = () => {}
  const driver = postgres(url, {
    ...session,
    max: 1,
    onclose: () => {
      isOpen = false
      onClose()
    },
  })
  // One that is never begun: it knows the way into this driver.
  const { handler } = driver`` as unknown as Statement
  // The driver's types do not know it (postgres.js 3.4.9, src/index.js); `end` would keep the process alive to wait.
  const close = () => void (driver as typeof driver & { close(): Promise<void> }).close()
  return {
    /**
     * Connects with a statement of our own: the driver cannot be ended cleanly while it connects, so nobody's statement is with
     * it then.
     */
    ready: async () => {
      if (isOpen) return
      await driver`select 1`
      isOpen = true
    },
    start: (statement: Statement) => void handler(statement),
    close,
    end: (timeoutSeconds: number) => driver.end({ timeout: timeoutSeconds }),
    abandon: async (longestMs: number) => {
      const closed = new Promise<void>(resolve => {
        onClose = resolve
        setTimeout(resolve, longestMs).unref()
      })
      void driver.end({ timeout: 0 })
      await closed
      // Should it have connected again meanwhile.
      close()
    },
  }
}
