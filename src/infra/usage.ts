import { once } from 'node:events'
import {
  type Asked,
  admit,
  admitAddresses,
  type Charge,
  type Counted,
  chargeOf,
  giveBack,
  type KeyCharge,
  keyChargeOf,
} from './counters.ts'
import type { Sql } from './database.ts'
import type { Guard } from './guard.ts'

/** The counters of one process: of the callers with a key, or of those without. */
export interface Meter<C extends Charge = KeyCharge> {
  /** Charges one call to a caller, by the hash of its key or address; null when no live key has that hash. */
  charge(hash: Buffer): Promise<C | null>
  /** Gives a charged call back; tries again in the background while the database is away. */
  giveBack(charge: Charge): void
}

/** How one kind of caller is counted. */
interface Counting<Row extends Counted, C extends Charge> {
  count(sql: Sql, asked: Asked[], now: Date | null): Promise<Row[]>
  chargeOf(row: Row, index: number): C
}

interface Caller<C> {
  resolve(charge: C | null): void
  reject(error: unknown): void
  /** Aborted once the caller has been told that it took too long. */
  signal: AbortSignal
}

/** The callers of one statement, by their hash. */
type Batch<C> = Map<string, { hash: Buffer; callers: Caller<C>[] }>

/** Counts the calls that are made with a key. @param now a fixed clock for tests; null means the clock of the database. */
export function createMeter(sql: Sql, guard: Guard, now: () => Date | null): Meter {
  return batched(sql, guard, now, { count: admit, chargeOf: keyChargeOf })
}

/** Counts the calls that are made without one, by address. */
export function createAddressMeter(sql: Sql, guard: Guard, now: () => Date | null): Meter<Charge> {
  return batched(sql, guard, now, { count: admitAddresses, chargeOf })
}

/**
 * Counts exactly, in batches: while one counting statement is in flight, everyone who arrives joins the next. The
 * database grants (function `admit`), so any number of processes may count at once. Each caller has a deadline of its
 * own (the guard's); what a statement charges that nobody waits for any more is given back.
 */
function batched<Row extends Counted, C extends Charge>(
  sql: Sql,
  guard: Guard,
  now: () => Date | null,
  counting: Counting<Row, C>,
): Meter<C> {
  let waiting: Batch<C> = new Map()
  let latest: AbortSignal | null = null
  let isCounting = false

  async function count(): Promise<void> {
    isCounting = true
    while (waiting.size > 0 && latest) {
      const batch = waiting
      waiting = new Map()
      // All callers wait equally long, so when the latest has left, everyone has.
      await Promise.race([charge(sql, batch, now(), counting), aborted(latest)])
    }
    isCounting = false
  }

  function join(hash: Buffer, signal: AbortSignal): Promise<C | null> {
    return new Promise((resolve, reject) => {
      const name = hash.toString('base64')
      const entry = waiting.get(name) ?? { hash, callers: [] }
      entry.callers.push({ resolve, reject, signal })
      waiting.set(name, entry)
      latest = signal
      if (!isCounting) void count()
    })
  }

  return {
    charge: hash => guard(signal => join(hash, signal)),
    giveBack: charge => void giveBack(sql, [charge]),
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/** One statement for those who still wait. Never throws: the callers are told. */
async function charge<Row extends Counted, C extends Charge>(
  sql: Sql,
  batch: Batch<C>,
  now: Date | null,
  counting: Counting<Row, C>,
): Promise<void> {
  for (const [name, entry] of batch) {
    entry.callers = entry.callers.filter(caller => !caller.signal.aborted)
    if (entry.callers.length === 0) batch.delete(name)
  }
  if (batch.size === 0) return
  try {
    const asked = [...batch.values()].map(({ hash, callers }) => ({ hash, calls: callers.length }))
    const unclaimed = settle(batch, await counting.count(sql, asked, now), counting.chargeOf)
    if (unclaimed.length > 0) void giveBack(sql, unclaimed)
  } catch (error) {
    for (const { callers } of batch.values()) for (const caller of callers) caller.reject(error)
  }
}

/**
 * Hands each caller its answer: the first so many are granted, in the order in which they came, those who still wait
 * before those who left.
 * @returns the granted charges of those who left.
 */
function settle<Row extends Counted, C extends Charge>(
  batch: Batch<C>,
  rows: Row[],
  chargeOf: Counting<Row, C>['chargeOf'],
): C[] {
  const unclaimed: C[] = []
  for (const row of rows) {
    const name = row.hash.toString('base64')
    const callers = batch.get(name)?.callers ?? []
    const left = callers.filter(caller => caller.signal.aborted)
    const present = callers.filter(caller => !caller.signal.aborted)
    present.forEach((caller, index) => void caller.resolve(chargeOf(row, index)))
    unclaimed.push(...left.map((_caller, index) => chargeOf(row, present.length + index)))
    batch.delete(name)
  }
  for (const { callers } of batch.values()) for (const caller of callers) caller.resolve(null)
  return unclaimed.filter(({ granted }) => granted)
}
