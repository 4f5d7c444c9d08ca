import { once } from 'node:events'
import { type Admitted, admit, type Charge, chargeOf, giveBack } from './counters.ts'
import type { Sql } from './database.ts'
import type { Guard } from './guard.ts'

/** The counters of one process. */
export interface Meter {
  /** Charges one call to a key, by its hash; null when no live key has that hash. */
  charge(hash: Buffer): Promise<Charge | null>
  /** Gives a charged call back; tries again in the background while the database is away. */
  giveBack(charge: Charge): void
}

interface Caller {
  resolve(charge: Charge | null): void
  reject(error: unknown): void
  /** Aborted once the caller has been told that it took too long. */
  signal: AbortSignal
}

/** The callers of one statement, by the hash of their key. */
type Batch = Map<string, { hash: Buffer; callers: Caller[] }>

/**
 * Counts exactly, in batches: while one counting statement is in flight, everyone who arrives joins the next. The
 * database grants (function `admit`), so any number of processes may count at once. Each caller has a deadline of its
 * own (the guard's); what a statement charges that nobody waits for any more is given back.
 * @param now a fixed clock for tests; null means the clock of the database.
 */
export function createMeter(sql: Sql, guard: Guard, now: () => Date | null): Meter {
  let waiting: Batch = new Map()
  let latest: AbortSignal | null = null
  let counting = false

  async function count(): Promise<void> {
    counting = true
    while (waiting.size > 0 && latest) {
      const batch = waiting
      waiting = new Map()
      // All callers wait equally long, so when the latest has left, everyone has.
      await Promise.race([charge(sql, batch, now()), aborted(latest)])
    }
    counting = false
  }

  function join(hash: Buffer, signal: AbortSignal): Promise<Charge | null> {
    return new Promise((resolve, reject) => {
      const name = hash.toString('base64')
      const entry = waiting.get(name) ?? { hash, callers: [] }
      entry.callers.push({ resolve, reject, signal })
      waiting.set(name, entry)
      latest = signal
      if (!counting) void count()
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
async function charge(sql: Sql, batch: Batch, now: Date | null): Promise<void> {
  for (const [name, entry] of batch) {
    entry.callers = entry.callers.filter(caller => !caller.signal.aborted)
    if (entry.callers.length === 0) batch.delete(name)
  }
  if (batch.size === 0) return
  try {
    const asked = [...batch.values()].map(({ hash, callers }) => ({ hash, calls: callers.length }))
    const unclaimed = settle(batch, await admit(sql, asked, now))
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
function settle(batch: Batch, rows: Admitted[]): Charge[] {
  const unclaimed: Charge[] = []
  for (const row of rows) {
    const name = row.secret_hash.toString('base64')
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
