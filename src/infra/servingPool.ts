import { createServingPlace, type ServingPlace } from './servingPlace.ts'
import { LOOK_FOR_CLIENT_MS, servingSession } from './servingSession.ts'
import { type RunStatement, type ServingSql, type Statement, servingSql } from './servingSql.ts'

/** The connections of a serving process to one server, for one purpose. */
export interface ServingPool {
  sql: ServingSql
  /** Statements go to new connections from now on; the old ones are closed, those that wait for an answer last. */
  renew(): void
  end(): Promise<void>
}

export interface ServingPoolSettings {
  url: string
  connections: number
  /** How long a statement may take. */
  timeoutMs: number
  /**
   * How long an answer is awaited on a connection that was replaced: what it says may have to be undone, as a call that was
   * counted for nobody.
   */
  lateAnswersMs: number
}

const LAST_ANSWERS_S = 5

/**
 * One pool of a serving process, on the primary or on a replica. Single autocommit statements only. Which connection runs which
 * statement must be known here, and a driver with many connections does not tell; its own `cancel` can hit the next statement.
 */
export function servingPool(settings: ServingPoolSettings): ServingPool {
  const { url, connections, timeoutMs, lateAnswersMs } = settings
  const session = servingSession(timeoutMs)
  const longestEndMs = timeoutMs + LOOK_FOR_CLIENT_MS
  const open = () => Array.from({ length: connections }, () => createServingPlace(url, session, longestEndMs))
  const line = createLine(open())
  const retired = new Set<ServingPlace>()

  function renew(): void {
    for (const place of line.replace(open())) {
      retired.add(place)
      place.close()
      setTimeout(() => {
        retired.delete(place)
        void place.end(0)
      }, lateAnswersMs).unref()
    }
  }

  async function end(): Promise<void> {
    const ending = [...retired].map(place => place.end(0))
    await Promise.all([...ending, ...line.replace([]).map(place => place.end(LAST_ANSWERS_S))])
  }

  return { sql: servingSql(url, session, line.run), renew, end }
}

interface Asked {
  statement: Statement
  signal: AbortSignal | null
}

/** Statements wait in line for a place. */
function createLine(first: ServingPlace[]) {
  const waiting = new Set<Asked>()
  let places = new Set(first)
  // The place that was used last is used first, so that no more connections are open than are needed.
  let free = [...first]

  const run: RunStatement = (statement, signal) => {
    const asked = { statement, signal }
    if (signal?.aborted) statement.reject(signal.reason)
    else if (places.size === 0) statement.reject(ended())
    else {
      if (signal) abandonWhenAborted(asked, signal)
      waiting.add(asked)
      serve()
    }
  }

  function abandonWhenAborted(asked: Asked, signal: AbortSignal): void {
    const abandon = () => {
      waiting.delete(asked)
      asked.statement.reject(signal.reason)
    }
    const forget = () => signal.removeEventListener('abort', abandon)
    signal.addEventListener('abort', abandon)
    asked.statement.then(forget, forget)
  }

  function serve(): void {
    while (free.length > 0 && waiting.size > 0) {
      const place = free.pop()!
      const [next] = waiting
      waiting.delete(next!)
      void place.run(next!.statement, next!.signal).then(() => {
        if (!places.has(place)) return
        free.push(place)
        serve()
      })
    }
  }

  /** What waits goes to the new places; without any, it fails. Returns the old ones. */
  function replace(others: ServingPlace[]): ServingPlace[] {
    const old = [...places]
    places = new Set(others)
    free = [...others]
    serve()
    if (others.length > 0) return old
    for (const { statement } of waiting) statement.reject(ended())
    waiting.clear()
    return old
  }

  return { run, replace }
}

function ended(): Error {
  return Object.assign(new Error('The connections of this process were ended.'), { code: 'CONNECTION_ENDED' })
}
