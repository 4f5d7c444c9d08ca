import { grouped } from '../../domain/grouped.ts'
import { createBatches, type Waiting } from '../overload/batches.ts'
import { type CircuitBreaker, tookTooLong } from '../overload/circuitBreaker.ts'
import type { SqlContext } from '../postgres/sql.ts'
import {
  type BatchItem,
  type BatchResult,
  type Charge,
  chargeIpBlocks,
  chargeKeys,
  chargeOf,
  giveBack,
  type KeyCharge,
  keyChargeOf,
} from './counters.ts'

/** Charges calls: those with a key, or those without one. */
export interface Meter<C extends Charge = KeyCharge> {
  /**
   * Charges one call to a key or IP block, by its hash.
   * @param operation the operation that a key's call is counted for; '': for
   * none.
   * @param startedAt when the call arrived, by `performance.now()`; absent:
   * now. Its deadline counts from there.
   * @returns the outcome, which may be a refusal; null when no live key has
   * that hash.
   * @throws ApiError 503 when the database is away or has not answered by the
   * deadline.
   */
  charge(
    hash: Buffer,
    operation?: string,
    startedAt?: number,
  ): Promise<C | null>
  /**
   * Gives a charged call back in the background: to its month, and where
   * `minute` is true to its minute too.
   */
  giveBack(charge: Charge, to: { minute: boolean }): void
  /**
   * Whether the last charge was stored. It fails when the database is away or
   * its disk is full.
   */
  isUp(): boolean
}

interface MeterSettings {
  /** The connections may be replaced. */
  context(): SqlContext
  /** Stands around each counting statement. */
  breaker: CircuitBreaker
  /** How long after its arrival a call is refused. */
  deadlineMs: number
}

type Call = Record<'hash' | 'operation', string>

/** Counts the calls that are made with a key. */
export function createMeter(settings: MeterSettings): Meter<KeyCharge> {
  return createBatchingMeter(settings, chargeKeys, keyChargeOf)
}

/**
 * Counts the calls that are made without one, by IP block.
 * @param times how many allowances a block has.
 */
export function createIpBlockMeter(
  settings: MeterSettings,
  times = 1,
): Meter<Charge> {
  return createBatchingMeter(
    settings,
    (context, items) => chargeIpBlocks(context, items, times),
    chargeOf,
  )
}

/**
 * Charges in batches: while one statement runs, the calls that arrive wait for
 * the next. PostgreSQL grants, so any number of processes may count at once.
 * What is granted to a call that has passed its deadline is given back to the
 * month.
 */
function createBatchingMeter<Row extends BatchResult, C extends Charge>(
  { context, breaker, deadlineMs }: MeterSettings,
  chargeBatch: (context: SqlContext, items: BatchItem[]) => Promise<Row[]>,
  outcome: (row: Row, index: number, operation: string) => C,
): Meter<C> {
  let isUp = true
  const join = createBatches<Call, C | null>(countOrRefuse)

  /** Never throws: the calls get the error. */
  async function countOrRefuse(batch: Waiting<Call, C | null>[]) {
    try {
      await breaker.run(() => count(batch), batch.length)
      isUp = true
    } catch (error) {
      isUp = false
      for (const { settle } of batch) settle(error as Error)
    }
  }

  /**
   * It may end after the deadline of the circuit breaker, when no call of the
   * batch waits any more.
   */
  async function count(batch: Waiting<Call, C | null>[]) {
    const callers = [...grouped(batch, ({ hash }) => hash)]
    const items = callers.map(([hash, calls], position) => {
      const operations = calls.map(({ operation }) => operation).join(',')
      return { position, hash, calls: calls.length, operations }
    })
    const rows = await chargeBatch(context(), items)
    const unclaimed = []
    for (const row of rows) {
      for (const [index, call] of callers[row.position]![1].entries()) {
        const charge = outcome(row, index, call.operation)
        if (!call.isOver) call.settle(charge)
        else if (charge.granted) unclaimed.push(charge)
      }
    }
    // No row: no live key has that hash.
    for (const { settle } of batch) settle(null)
    if (unclaimed.length > 0)
      void giveBack(context, unclaimed, { minute: false })
  }

  return {
    charge: async (hash, operation = '', startedAt = performance.now()) => {
      const refusal = breaker.refusal()
      if (refusal) throw refusal
      const waitMs = startedAt + deadlineMs - performance.now()
      // That a call gives up says nothing about the database when most of its
      // time was over before.
      const late = () =>
        waitMs < deadlineMs / 2 ? tookTooLong() : breaker.gaveUp()
      return join({ hash: hash.toString('hex'), operation }, waitMs, late)
    },
    giveBack: (charge, to) => void giveBack(context, [charge], to),
    isUp: () => isUp,
  }
}
