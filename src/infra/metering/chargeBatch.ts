import type { Asked, Charge, Counted } from './counters.ts'

/** Calls that are charged together, by the hash of their key or address. Each caller has a deadline of its own. */
export interface ChargeBatch<Row extends Counted, C extends Charge> {
  /** Waits until the call is charged; null when no live key has that hash. */
  join(hash: Buffer): Promise<C | null>
  /** How many still wait. */
  waiting(): number
  /** What is to be asked for those who still wait. */
  asked(): Asked[]
  /** Hands out what was answered to `asked`. @returns the granted charges of those who have left. */
  settle(rows: Row[]): C[]
  /** Tells those who still wait that it failed. */
  refuse(error: unknown): void
  /** Resolves when nobody waits any more. */
  over: Promise<void>
}

interface Caller<C> {
  resolve(charge: C | null): void
  reject(error: unknown): void
  leavesAt: number
  isWaiting: boolean
}

/** Those with one key. */
interface Party<C> extends Asked {
  callers: Caller<C>[]
}

/** Timers run up to a millisecond early. */
const TIMER_MS = 1

/** @param gaveUp what a caller is told that has waited to its deadline. */
export function createChargeBatch<Row extends Counted, C extends Charge>(
  deadlineMs: number,
  chargeOf: (row: Row, index: number) => C,
  gaveUp: () => Error,
): ChargeBatch<Row, C> {
  const parties = new Map<string, Party<C>>()
  /** In the order in which they came, which is that of their deadlines. */
  const callers: Caller<C>[] = []
  let present: Party<C>[] = []
  let waiting = 0
  let timer: NodeJS.Timeout | undefined
  let end = () => {}
  const over = new Promise<void>(resolve => {
    end = resolve
  })

  /** @returns whether the caller still waited, and is told now. */
  function release(caller: Caller<C>): boolean {
    if (!caller.isWaiting) return false
    caller.isWaiting = false
    if (--waiting === 0) {
      clearTimeout(timer)
      end()
    }
    return true
  }

  /** One timer for them all, set to the first deadline. */
  function dismissLate(): void {
    const now = performance.now()
    const late = callers.filter(({ leavesAt }) => leavesAt <= now + TIMER_MS)
    for (const caller of late) if (release(caller)) caller.reject(gaveUp())
    const next = callers.find(({ isWaiting }) => isWaiting)
    if (next) timer = setTimeout(dismissLate, next.leavesAt - now)
  }

  function join(hash: Buffer): Promise<C | null> {
    return new Promise((resolve, reject) => {
      const caller = { resolve, reject, leavesAt: performance.now() + deadlineMs, isWaiting: true }
      const name = hash.toString('latin1')
      const party = parties.get(name)
      if (party) party.callers.push(caller)
      else parties.set(name, { hash, calls: 0, callers: [caller] })
      callers.push(caller)
      waiting++
      timer ??= setTimeout(dismissLate, deadlineMs)
    })
  }

  function asked(): Asked[] {
    present = []
    for (const party of parties.values()) {
      party.callers = party.callers.filter(({ isWaiting }) => isWaiting)
      party.calls = party.callers.length
      if (party.calls > 0) present.push(party)
    }
    return present
  }

  function settle(rows: Row[]): C[] {
    const unclaimed: C[] = []
    const unknown = new Set(present)
    for (const row of rows) {
      const party = present[row.place - 1]!
      unknown.delete(party)
      if (row.granted !== null) unclaimed.push(...settleParty(party, row))
    }
    for (const party of unknown) {
      for (const caller of party.callers) if (release(caller)) caller.resolve(null)
    }
    return unclaimed
  }

  /** The first so many are granted, in the order in which they came, those who still wait before those who have left. */
  function settleParty(party: Party<C>, row: Row): C[] {
    let place = 0
    for (const caller of party.callers) if (release(caller)) caller.resolve(chargeOf(row, place++))
    const left = Array.from({ length: party.callers.length - place }, (_, n) => chargeOf(row, place + n))
    return left.filter(({ granted }) => granted)
  }

  function refuse(error: unknown): void {
    for (const caller of callers) if (release(caller)) caller.reject(error)
  }

  return { join, waiting: () => waiting, asked, settle, refuse, over }
}
