import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { deadlinePassed, unavailable } from '../../contract/errors.ts'
import { type Caller, serviceCaller } from '../../domain/caller.ts'
import type { Category } from '../../domain/titles/categories.ts'
import type { CalibratedValue } from '../../domain/valuation/calibratedValue.ts'
import type { Comparable } from '../../domain/valuation/comparables/nearest.ts'
import type { Estimate } from '../../domain/valuation/model.ts'
import type { Logger } from '../log.ts'
import { createSlots } from '../overload/slots.ts'

/**
 * What is sent to the estimating process: a title, and the model of sales to
 * estimate it with.
 */
export interface TitleQuestion {
  title: string
  modelId: number
}

/**
 * What it answers. `appraisal` is null when nothing that was sold says what the
 * title is worth.
 */
export type TitleAnswer =
  | { kind: 'no model' }
  | { kind: 'failed'; reason: string }
  | {
      kind: 'estimated'
      category: Category
      asOf: string
      appraisal: TitleEstimate | null
    }

/** With the sales it rests on, most similar first. */
interface TitleEstimate extends CalibratedValue, Pick<Estimate, 'seenFactor'> {
  comparables: Pick<Comparable, 'id' | 'similarity'>[]
}

export interface TitleEstimator {
  estimate: (
    question: TitleQuestion,
    caller: Caller,
  ) => Promise<
    | { kind: 'no model' }
    | {
        kind: 'estimated'
        category: Category
        asOf: string
        appraisal: TitleEstimate | null
      }
  >
  prepare: (modelId: number) => void
  end: () => void
}

interface TitleEstimatorSettings {
  databaseUrl: string
  /** How long after its beginning a call is refused. */
  deadlineMs: number
  log: Logger
}

/**
 * Reading a model of 1,000,000 sales takes some seconds; a process that takes
 * longer than this does not answer any more.
 */
const MOST_ANSWER_MS = 60_000

/**
 * Appraises titles by the stored model of past sales, in a process that holds
 * the model. Titles are appraised one at a time, in the order in which they
 * came.
 */
export function createTitleEstimator(
  settings: TitleEstimatorSettings,
): TitleEstimator {
  const { databaseUrl, deadlineMs, log } = settings
  const inTurn = createSlots(1, deadlineMs, () =>
    deadlinePassed(
      'The sales to estimate from are being read. Try again in some seconds.',
    ),
  )
  let child: ChildProcess | null = null

  /** The process ends when the channel to it closes, however this one ends. */
  function end() {
    if (child?.connected) child.disconnect()
    child = null
  }

  function started() {
    if (child) return child
    const own = startProcess(databaseUrl)
    own.on('error', error =>
      log.error({ err: error }, 'the estimating process failed'),
    )
    own.once('exit', () => {
      if (child === own) child = null
    })
    child = own
    return own
  }

  async function ask(question: TitleQuestion) {
    const asked = started()
    const ended = new AbortController()
    const onExit = () => ended.abort(new Error('The estimating process ended.'))
    asked.once('exit', onExit)
    try {
      asked.send(question)
      const signal = AbortSignal.any([
        ended.signal,
        AbortSignal.timeout(MOST_ANSWER_MS),
      ])
      const [answer] = (await once(asked, 'message', { signal })) as [
        TitleAnswer,
      ]
      if (answer.kind === 'failed') throw new Error(answer.reason)
      return answer
    } catch (error) {
      log.error({ err: error }, 'a title could not be estimated')
      asked.kill('SIGKILL')
      if (child === asked) child = null
      throw unavailable(
        'Titles cannot be estimated for a moment. Try again shortly.',
        {
          cause: error,
        },
      )
    } finally {
      asked.off('exit', onExit)
    }
  }

  /**
   * @throws ApiError 503 at the deadline or when the process fails; ClientLeft.
   */
  const estimate = (question: TitleQuestion, caller: Caller) =>
    inTurn(caller, () => ask(question))

  /**
   * Starts the process and lets it read the model before the first title. Why:
   * the first caller of /comps?q=, who got 503; npx vitest run
   * test/commands/firstStart.test.ts
   */
  function prepare(modelId: number) {
    estimate({ title: '', modelId }, serviceCaller()).catch(() => {})
  }

  return { estimate, prepare, end }
}

/** Where the sources run without a build (tests), tsx translates them. */
function startProcess(databaseUrl: string) {
  const isBuilt = import.meta.url.endsWith('.js')
  const program = new URL('./estimatingProcess', import.meta.url).href
  return fork(new URL(`${program}.${isBuilt ? 'js' : 'ts'}`), {
    execArgv: isBuilt ? [] : ['--import', import.meta.resolve('tsx')],
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}
