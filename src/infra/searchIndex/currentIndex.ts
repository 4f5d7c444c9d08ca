import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Logger } from '../log.ts'
import type { Clock } from '../postgres/sql.ts'
import type { BuiltTable } from './readTable.ts'

export interface CurrentIndexSettings {
  databaseUrl: string
  /** Whether there are enough open lots for an index. */
  isWorthwhile(): Promise<boolean>
  /** A fixed clock for tests; null is the clock of the database. */
  now(): Clock
  log: Logger
}

/** After a build, at least this long or as long as the build took: building takes at most half of a core. */
const LEAST_PAUSE_MS = 200
/** After a failure, and while there are few lots. */
const LONG_PAUSE_MS = 10_000
const MOST_BUILD_MS = 300_000

/**
 * Keeps a table of the open lots in memory, and builds another one when the lots have changed.
 * Why: callers of searches that nobody has made before, and of all others while a thread reads the lots: `make bench`, unique searches.
 */
export function createCurrentIndex(settings: CurrentIndexSettings) {
  const { log } = settings
  let current: BuiltTable | null = null
  let building: Promise<void> | null = null
  let notBefore = 0
  const ending = new AbortController()

  /** Starts to build a table, unless one is being built or the pause since the last one has not passed. */
  function build() {
    if (building || ending.signal.aborted || performance.now() < notBefore) return
    building = replace().then(pauseMs => {
      notBefore = performance.now() + pauseMs
      building = null
    })
  }

  /** @returns the pause until the next build, in milliseconds. */
  async function replace() {
    const startedAt = performance.now()
    try {
      if (!(await settings.isWorthwhile())) return LONG_PAUSE_MS
      const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(MOST_BUILD_MS)])
      current = await buildInThread(settings.databaseUrl, settings.now(), signal)
      const tookMs = Math.round(performance.now() - startedAt)
      log.debug({ lots: current.table.lots, tookMs }, 'the open lots are indexed')
      return Math.max(LEAST_PAUSE_MS, tookMs)
    } catch (error) {
      if (!ending.signal.aborted)
        log.warn({ err: error }, 'the open lots could not be indexed; the next attempt is in 10 seconds')
      return LONG_PAUSE_MS
    }
  }

  return {
    /** The table that was built last; null while there is none, or the lots have changed since. */
    built: () => current,
    drop: (built: BuiltTable) => {
      if (current === built) current = null
    },
    build,
    end: async () => {
      ending.abort()
      await building
    },
  }
}

/** @throws Error when the thread fails or the signal ends it. */
async function buildInThread(databaseUrl: string, now: Clock, signal: AbortSignal) {
  const worker = startThread({ databaseUrl, now })
  try {
    const [built] = (await once(worker, 'message', { signal })) as [BuiltTable]
    return built
  } finally {
    void worker.terminate()
  }
}

/** Where the sources run without a build (tests), tsx translates them; in a thread, `--import tsx` does nothing (Node 20.20). */
function startThread(workerData: { databaseUrl: string; now: Clock }) {
  const program = new URL('./buildWorker', import.meta.url).href
  if (import.meta.url.endsWith('.js')) return new Worker(new URL(`${program}.js`), { workerData })
  const translated = `import('tsx/esm/api').then(tsx => { tsx.register(); return import('${program}.ts') })`
  return new Worker(translated, { eval: true, workerData })
}
