import type { SharedCircuitBreaker } from '../postgres/circuitBreaker.ts'
import type { Sql } from '../postgres/database.ts'
import { spanned } from '../traces.ts'
import { createChargeBatch } from './chargeBatch.ts'
import {
  type Asked,
  addressChargeOf,
  type Charge,
  type Counted,
  chargeAddresses,
  chargeKeys,
  giveBack,
  type KeyCharge,
  keyChargeOf,
} from './counters.ts'

/** The counters of one process: of the callers with a key, or of those without. */
export interface Meter<C extends Charge = KeyCharge> {
  /** Charges one call to a caller, by the hash of its key or address; null when no live key has that hash. */
  charge(hash: Buffer): Promise<C | null>
  /** Gives a charged call back; tries again in the background while the database is away. */
  giveBack(charge: Charge): void
}

interface MeterSettings {
  sql(): Sql
  /** Around each counting statement. */
  breaker: SharedCircuitBreaker
  /** How long a caller waits. */
  deadlineMs: number
  /** A fixed clock for tests; null is the clock of the database. */
  now(): Date | null
}

/** How one kind of caller is counted. */
interface Counting<Row extends Counted, C extends Charge> {
  count(sql: Sql, asked: Asked[], now: Date | null): Promise<Row[]>
  chargeOf(row: Row, index: number): C
}

/** Counts the calls that are made with a key. */
export function createMeter(settings: MeterSettings): Meter {
  return batched(settings, { count: chargeKeys, chargeOf: keyChargeOf })
}

/** Counts the calls that are made without one, by address. */
export function createAddressMeter(settings: MeterSettings): Meter<Charge> {
  return batched(settings, { count: chargeAddresses, chargeOf: addressChargeOf })
}

/**
 * From so many calls on, those who wait are divided between the next two batches. While all came and went together, the process waited
 * for the database, and the database then waited for the process.
 */
const LEAST_CALLS = 32

/**
 * Counts exactly, in batches: while one counting statement is in flight, everyone who arrives joins the next. The
 * database grants, so any number of processes may count at once. What a statement charges that nobody waits for any more
 * is given back.
 */
function batched<Row extends Counted, C extends Charge>(
  { sql, breaker, deadlineMs, now }: MeterSettings,
  { count, chargeOf }: Counting<Row, C>,
): Meter<C> {
  const newBatch = () => createChargeBatch<Row, C>(deadlineMs, chargeOf, breaker.gaveUp)
  type Batch = ReturnType<typeof newBatch>
  let next = newBatch()
  let afterNext = newBatch()
  let isCounting = false

  async function serveAll(): Promise<void> {
    isCounting = true
    while (next.waiting() + afterNext.waiting() > 0) {
      const batch = next
      next = afterNext
      afterNext = newBatch()
      if (batch.waiting() === 0) continue
      void serve(batch)
      await batch.over
    }
    isCounting = false
  }

  /** Never throws: the callers are told. Whom a statement could not answer beside the others is asked for again. */
  async function serve(batch: Batch): Promise<void> {
    try {
      while (batch.waiting() > 0) await breaker(() => ask(batch), batch.waiting())
    } catch (error) {
      batch.refuse(error)
    }
  }

  async function ask(batch: Batch): Promise<void> {
    const unclaimed = batch.settle(await count(sql(), batch.asked(), now()))
    if (unclaimed.length > 0) void giveBack(sql(), unclaimed)
  }

  return {
    charge: hash =>
      spanned('count', async () => {
        const refusal = breaker.refusal()
        if (refusal) throw refusal
        const isNextFull = next.waiting() >= LEAST_CALLS && next.waiting() > afterNext.waiting()
        const charging = (isNextFull ? afterNext : next).join(hash)
        if (!isCounting) void serveAll()
        return charging
      }),
    giveBack: charge => void giveBack(sql(), [charge]),
  }
}
