import { setTimeout as wait } from 'node:timers/promises'
import { count, shortReason, waitUntil } from '../../domain/format.ts'
import { nextSweepAt, type SweepPlan } from '../../domain/sweeps/nextSweepAt.ts'
import type { FetchManners } from '../../infra/fetching/politeFetch.ts'
import { makeNextMonthOfChanges } from '../../infra/ingestion/changes.ts'
import { isLeader, tryLock } from '../../infra/ingestion/locks.ts'
import { storeDueTimes } from '../../infra/ingestion/sweeps.ts'
import type { Logger } from '../../infra/log.ts'
import { answerWithin } from '../../infra/overload/circuitBreaker.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import type { SourceAddress } from '../../infra/sources/officialSource.ts'
import { checkPhotos } from './checkPhotos.ts'
import { type OpenDataAddress, openDataSweeper } from './sweepOpenData.ts'
import { ingestSourceUnlessBusy, type SweepResult } from './sweepSource.ts'
import { sourceName, sourcesOn } from './trackedSources.ts'

interface SweeperSettings {
  sources: Record<string, SourceAddress>
  manners: FetchManners
  plans: Record<string, SweepPlan>
  /** Null: the open dataset is not fetched. */
  openData?: OpenDataAddress | null
  log: Logger
  /** Called with the result of every sweep. */
  onSwept?(result: SweepResult): void
  /**
   * Called when this process begins to sweep, when a day (UTC) begins while it
   * does, and after sold prices were swept.
   */
  onDay?: (() => unknown) | undefined
  /** Ends the sweeper: a fetch is dropped, a load that has begun is awaited. */
  signal: AbortSignal
}

const TURN_MS = 500
const LONGEST_REST_MS = 5000
/**
 * A database that has not answered a query about a lock for so long is
 * unreachable.
 */
const ANSWER_DEADLINE_MS = 10_000
const NO_ANSWER = new Error(
  `The database has not answered for ${ANSWER_DEADLINE_MS / 1000} s.`,
)

/**
 * Sweeps every source when it is due, for as long as this session holds the
 * lock of the one sweeper; otherwise it waits for the lock. Lock, plan and
 * loads are of one session: a process that loses its connection has lost all of
 * them.
 * @param sql an admin connection.
 * @throws Error when the database stops answering.
 */
export async function runSweeper(
  sql: Sql,
  settings: SweeperSettings,
): Promise<void> {
  const { log, signal, openData } = settings
  const sweepOpenData = openData
    ? openDataSweeper({ ...settings, openData })
    : async () => false
  let wasLeader: boolean | null = null
  let restMs = 0
  let day = ''
  while (!signal.aborted) {
    try {
      const leads = await answerWithin(
        tryLock(sql, 'sweeper'),
        ANSWER_DEADLINE_MS,
        () => NO_ANSWER,
      )
      if (leads !== wasLeader)
        log.info(leads ? 'this process sweeps' : 'another process sweeps')
      if (leads && !wasLeader) {
        // At once, so that pages say what is fetched.
        await planSweeps(sql, settings)
        // One that has just lost the lock may still be dropping its fetch.
        await wait(2 * TURN_MS, undefined, { signal }).catch(() => {})
      }
      wasLeader = leads
      const today = new Date().toISOString().slice(0, 10)
      if (leads && day !== today) settings.onDay?.()
      day = leads ? today : ''
      const hasSweptPrices = leads && (await sweepOpenData(sql))
      // Their archives and what they say of the estimates do not wait for
      // tomorrow.
      if (hasSweptPrices) day = ''
      restMs =
        hasSweptPrices || (leads && (await sweepNext(sql, settings)))
          ? 0
          : TURN_MS
    } catch (error) {
      if (error === NO_ANSWER) throw error
      if (!signal.aborted)
        log.warn({ err: error }, 'the sweeper had an error and tries again')
      wasLeader = null
      restMs = Math.min(LONGEST_REST_MS, restMs + TURN_MS)
    }
    if (restMs > 0) await wait(restMs, undefined, { signal }).catch(() => {})
  }
}

async function sweepNext(sql: Sql, settings: SweeperSettings) {
  for (const { source } of (await planSweeps(sql, settings)).filter(
    ({ isDue }) => isDue,
  )) {
    const { sources, manners } = settings
    const sweep = { source, from: sources[source]!, manners, now: new Date() }
    const result = await whileLeading(sql, settings.signal, signal =>
      ingestSourceUnlessBusy(sql, { ...sweep, signal }),
    ).catch(error => logFailure(settings, source, error))
    if (result === null) continue
    if (result !== 'dropped') {
      settings.onSwept?.(result)
      await checkPhotos(sql, source, manners, settings.signal)
      logSweep(settings.log, result, await planSweeps(sql, settings))
    }
    await makeNextMonthOfChanges(sql)
    return true
  }
  return false
}

/**
 * Aborts work when its session loses the lock of the sweeper: another process
 * may sweep by now.
 */
async function whileLeading<Result>(
  sql: Sql,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
) {
  const lost = new AbortController()
  const timer = setInterval(() => {
    isLeader(sql).then(
      isStill =>
        isStill ||
        lost.abort(new Error('This process lost the lock of the sweeper.')),
      error => lost.abort(error),
    )
  }, TURN_MS)
  try {
    return await work(AbortSignal.any([stop, lost.signal]))
  } finally {
    clearInterval(timer)
  }
}

function logFailure(
  { log, signal }: SweeperSettings,
  source: string,
  error: Error,
): 'dropped' {
  if (signal.aborted)
    log.info(
      { source, state: 'dropped' },
      'a sweep was dropped because the sweeper is stopping',
    )
  else log.error({ source, state: 'failed', err: error }, 'a sweep failed')
  return 'dropped'
}

function logSweep(
  log: Logger,
  result: SweepResult,
  dues: Awaited<ReturnType<typeof planSweeps>>,
) {
  const {
    feed: source,
    state,
    reason,
    is_unchanged,
    rows_taken,
    rows_set_aside,
    seconds,
  } = result
  const figures = { is_unchanged, rows_taken, rows_set_aside, seconds }
  const dueAt = dues.find(due => due.source === source)?.dueAt
  const level = reason === null ? 'info' : 'warn'
  const brought = is_unchanged
    ? 'unchanged'
    : `${count(rows_taken, 'lot')} in ${Math.ceil(seconds)} s`
  const again = dueAt ? `, again in ${waitUntil(dueAt, new Date())}` : ''
  const says = `${sourceName(source)}: ${reason === null ? brought : `${shortReason(reason)}${again}`}`
  const next_due_at = dueAt?.toISOString()
  log[level](
    { source, state, reason, ...figures, next_due_at, says },
    'a source was swept',
  )
}

/**
 * Plans the next sweep of every source that is on, by the clock of the
 * database, and publishes what changed.
 * @returns the sources, the first one due first.
 */
async function planSweeps(sql: Sql, { plans, sources }: SweeperSettings) {
  const on = await sourcesOn(sql, sources)
  const dues = on.map(history => {
    const { source, now, publishedDueAt, publishedSeconds } = history
    const plan = plans[source]!
    const dueAt = nextSweepAt(plan, history, now)
    const seconds = Math.max(plan.intervalMs, plan.leastGapMs) / 1000
    const hasChanged =
      dueAt.getTime() !== publishedDueAt?.getTime() ||
      seconds !== publishedSeconds
    return { source, dueAt, isDue: dueAt <= now, seconds, hasChanged }
  })
  const changes = dues.filter(({ hasChanged }) => hasChanged)
  if (changes.length > 0) await storeDueTimes(sql, changes)
  return dues.sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime())
}
