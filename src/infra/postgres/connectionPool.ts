import type { Audience } from '../../domain/audience.ts'
import { ClientLeft } from '../../domain/errors.ts'
import { createServingPlace, type ServingPlace } from './connection.ts'
import { LOOK_FOR_CLIENT_MS, servingSession } from './sessionOptions.ts'
import { type RunStatement, type ServingSql, type Statement, servingSql } from './statements.ts'

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
  audience: Audience | null
  /** Once it is settled, nobody need tell of the audience any more. */
  forget: () => void
}

/** Statements wait in line for a place. */
function createLine(first: ServingPlace[]) {
  const waiting = new Set<Asked>()
  let places = new Set(first)
  // The place that was used last is used first, so that no more connections are open than are needed.
  let free = [...first]

  const run: RunStatement = (statement, audience) => {
    if (audience?.isGone) return void statement.reject(new ClientLeft())
    if (places.size === 0) return void statement.reject(ended())
    const asked: Asked = { statement, audience, forget: () => {} }
    if (audience) asked.forget = audience.whenGone(() => abandon(asked))
    waiting.add(asked)
    serve()
  }

  function abandon(asked: Asked): void {
    waiting.delete(asked)
    asked.statement.reject(new ClientLeft())
  }

  function serve(): void {
    while (free.length > 0 && waiting.size > 0) {
      const place = free.pop()!
      const [next] = waiting
      waiting.delete(next!)
      void runOn(place, next!)
    }
  }

  async function runOn(place: ServingPlace, { statement, audience, forget }: Asked): Promise<void> {
    await place.run(statement, audience)
    forget()
    if (!places.has(place)) return
    free.push(place)
    serve()
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
