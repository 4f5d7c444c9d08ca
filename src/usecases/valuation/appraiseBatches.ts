import { availableParallelism } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { packIndex } from '../../domain/valuation/comparablesPacked.ts'
import type { AppraisalIndex } from '../../domain/valuation/trainedIndex.ts'
import type { OpenLot } from '../../infra/valuation/appraisals.ts'
import { type AppraisedBatch, batchAppraiser } from './appraisalBatch.ts'
import type { ScoringMoment } from './appraisalRow.ts'

/** Small enough that this thread sees often what has come back meanwhile: 250 lots take 50 ms. */
const BATCH_LOTS = 250
/** A thread of its own costs its start and memory of its own: under this the scoring is over in seconds without it. */
const LOTS_WORTH_A_THREAD = 20_000
/** So much of what is appraised may wait to be stored; about 2 kB a lot. */
const MOST_WAITING = 20

export interface Batches {
  lots: readonly OpenLot[]
  index: AppraisalIndex
  moment: ScoringMoment
  /** Stores a batch; one at a time. */
  store(batch: AppraisedBatch): Promise<void>
  /** Whether a second thread helps; by default where there are enough lots and a second core. */
  inTwoThreads?: boolean
}

/**
 * Appraises lots a batch at a time, in this thread and, where that pays, in a second one, which shares the columns of the
 * index. Which thread takes a batch is left to chance; what comes out of it is not. Batches are stored as they come.
 */
export async function appraiseBatches({ lots, index, moment, store, inTwoThreads }: Batches): Promise<void> {
  const helps = inTwoThreads ?? (lots.length >= LOTS_WORTH_A_THREAD && availableParallelism() > 1)
  const queue = new BatchQueue(lots)
  const storing = new StoringLine(store)
  const helper = helps ? startThread(index, moment) : null
  try {
    await Promise.all([
      helper ? appraiseBeside(helper, queue, storing) : null,
      appraiseHere(batchAppraiser(index, moment), queue, storing),
    ])
    await storing.end()
  } finally {
    await helper?.terminate()
  }
}

async function appraiseHere(
  appraise: (lots: readonly OpenLot[]) => AppraisedBatch,
  queue: BatchQueue,
  storing: StoringLine,
): Promise<void> {
  for (let lots = queue.next(); lots; lots = queue.next()) {
    await storing.take(appraise(lots))
    await nextTurn()
  }
}

/** Two batches are with the thread at any time, so that it never waits for the next one. */
async function appraiseBeside(thread: Worker, queue: BatchQueue, storing: StoringLine): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let away = 0
    const hand = () => {
      const lots = queue.next()
      if (lots) {
        away += 1
        thread.postMessage(lots)
      } else if (away === 0) resolve()
    }
    thread.on('message', (batch: AppraisedBatch) => {
      away -= 1
      storing.take(batch).then(hand, reject)
    })
    thread.once('error', reject)
    thread.once('exit', code => reject(new Error(`The second thread of the appraisal ended (${code}).`)))
    hand()
    hand()
  })
}

function startThread(index: AppraisalIndex, moment: ScoringMoment): Worker {
  const workerData = { packed: packIndex(index), moment }
  // Beside the built program lies JavaScript. Under tsx and vitest the sources are run, and a thread of Node 20 does not
  // take tsx over from `--import`: it is registered by the thread's first line.
  if (import.meta.url.endsWith('.js'))
    return new Worker(new URL('./appraisalThread.js', import.meta.url), { workerData })
  const source = JSON.stringify(new URL('./appraisalThread.ts', import.meta.url).href)
  const bootstrap = `import('tsx/esm/api').then(tsx => { tsx.register(); return import(${source}) })`
  return new Worker(bootstrap, { eval: true, workerData })
}

/** The lots that nobody has taken yet. */
class BatchQueue {
  readonly #lots: readonly OpenLot[]
  #taken = 0

  constructor(lots: readonly OpenLot[]) {
    this.#lots = lots
  }

  next(): readonly OpenLot[] | null {
    if (this.#taken >= this.#lots.length) return null
    this.#taken += BATCH_LOTS
    return this.#lots.slice(this.#taken - BATCH_LOTS, this.#taken)
  }
}

/** Batches on their way into the database, one after the other. */
class StoringLine {
  readonly #store: Batches['store']
  #last = Promise.resolve()
  #waiting = 0

  constructor(store: Batches['store']) {
    this.#store = store
  }

  /** Lines a batch up; when many wait, comes back only when they are stored. */
  async take(batch: AppraisedBatch): Promise<void> {
    this.#waiting += 1
    this.#last = this.#last.then(async () => {
      await this.#store(batch)
      this.#waiting -= 1
    })
    this.#last.catch(() => {})
    if (this.#waiting >= MOST_WAITING) await this.#last
  }

  end(): Promise<void> {
    return this.#last
  }
}
