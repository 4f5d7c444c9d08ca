import { ipBlock, WIDE_ALLOWANCE } from '../../domain/ipBlock.ts'
import { createFairQueue } from './fairQueue.ts'

/** How much work a process accepts; calls beyond it are shed. */
export interface LoadLimits {
  /** The most calls in flight, waiting ones included. A quarter of them is accepted at any throughput, and a quarter only from accounts. */
  callsAtOnce: number
  /** The most calls of a network address without a known key at work; an account has four times as many. More wait. */
  callsPerCaller: number
  /** How long the calls in flight may take to drain, once a queue has existed for 1 s. */
  maxQueueMs: number
}

/** The limits unless settings change them (docs/decisions/0018-overload.md). */
export const DEFAULT_LOAD_LIMITS: LoadLimits = { callsAtOnce: 400, callsPerCaller: 8, maxQueueMs: 500 }

const ACCOUNT = 'account '

/** The tenant of all keys of an account. */
export function accountTenant(accountId: number) {
  return `${ACCOUNT}${accountId}`
}

/** The tenant of calls without a key, by the network address that they come from, IPv6 by /56. */
export function addressTenant(address: string) {
  return `address ${ipBlock(address, 56)}`
}

/**
 * Calls of one account share a statement that counts them, and wait for the disk together: with as few as an address has, one key gets half of
 * the calls a second. An account is known and has a limit a minute, so it may have more.
 */
// Why: a key with dozens of connections; node --import tsx bench/bench.ts --only "64 callers, one key"
const ACCOUNT_SHARE = 4

const QUEUE_TOLERATED_MS = 1_000

/** How a call goes on after it has reached the entrance. */
export interface Admitted {
  /** It is its turn. The call ends with `leave`; calling it twice is harmless. */
  start(leave: () => void): void
  /** The process has too much to do and its caller has most of it, or the turn has not come in time. */
  shed(): void
}

/**
 * Where every call enters. A caller has a few calls at work; its others wait in its own queue, and the queues are served in turn. When the
 * whole is too much, the caller with most work loses its newest waiting call, so no caller is shed for the work of another: an address first,
 * since one stranger may have many. A quarter of the calls is kept for accounts, whose calls are limited a minute.
 */
// Why: callers beside one that sends what costs nothing to send; npx vitest run test/hostile/entrance.test.ts
export function createLoadShedder(limits: LoadLimits) {
  const load = createLoad(limits)
  const isAccount = (tenant: string) => tenant.startsWith(ACCOUNT)
  const isAddress = (tenant: string) => !isAccount(tenant)
  const callsOf = (tenant: string) => {
    if (isAccount(tenant)) return limits.callsPerCaller * ACCOUNT_SHARE
    return limits.callsPerCaller * (tenant.endsWith('/56') ? WIDE_ALLOWANCE : 1)
  }
  const queue = createFairQueue(limits.callsAtOnce, callsOf)
  const makeRoom = (tenant: string) => {
    if (!isAccount(tenant)) return queue.shedForSmaller(tenant, isAddress)
    return queue.shedForSmaller(null, isAddress) || queue.shedForSmaller(tenant)
  }
  return {
    /**
     * @param waitMs how long the call may wait for its turn.
     * @returns what takes the call out while it waits; afterwards it does nothing.
     */
    enter(tenant: string, { start, shed }: Admitted, waitMs: number) {
      const ofAccount = isAccount(tenant)
      if (load.isOverloaded(ofAccount) && !makeRoom(tenant)) {
        shed()
        return () => {}
      }
      load.begin(ofAccount)
      let isWaiting = true
      let late: NodeJS.Timeout | undefined
      const begin = (release: () => void) => {
        clearTimeout(late)
        isWaiting = false
        let isOver = false
        start(() => {
          if (!isOver) load.end(ofAccount)
          isOver = true
          release()
        })
      }
      const drop = () => {
        clearTimeout(late)
        if (isWaiting) load.drop(ofAccount)
        isWaiting = false
      }
      const leaveQueue = queue.enter(tenant, begin, () => {
        drop()
        shed()
      })
      const leave = () => {
        leaveQueue()
        drop()
      }
      if (isWaiting)
        late = setTimeout(() => {
          leave()
          shed()
        }, waitMs)
      return leave
    },
  }
}

/**
 * Counts the calls in flight and decides whether one more is too many.
 *
 * Accepts a queue that comes and goes, such as a burst or a pause of the garbage collector; a queue that stays only makes
 * every call in it late (Nichols and Jacobson, Controlling Queue Delay, 2012). The time to drain is the number of calls in
 * flight divided by the throughput of the last second (Little's law), whether the processor or the database is slow.
 * @param now milliseconds of a monotonic clock.
 */
export function createLoad(
  { callsAtOnce, maxQueueMs }: Omit<LoadLimits, 'callsPerCaller'>,
  now: () => number = () => performance.now(),
) {
  const alwaysAccepted = Math.ceil(callsAtOnce / 4)
  const keptForAccounts = alwaysAccepted
  const throughput = createThroughput(now())
  let inFlight = 0
  let ofAccounts = 0
  let shortAt = now()

  const count = (change: 1 | -1, ofAccount: boolean) => {
    if (inFlight < alwaysAccepted / 2) shortAt = now()
    inFlight += change
    if (ofAccount) ofAccounts += change
  }

  return {
    isOverloaded: (ofAccount = true) => {
      if (inFlight < alwaysAccepted || (ofAccount && ofAccounts < keptForAccounts)) return false
      const unused = ofAccount ? 0 : Math.max(0, keptForAccounts - ofAccounts)
      if (inFlight >= callsAtOnce - unused) return true
      const time = now()
      const drainMs = (inFlight / throughput.perSecond(time)) * 1_000
      return time - shortAt >= QUEUE_TOLERATED_MS && drainMs >= maxQueueMs
    },
    begin: (ofAccount = true) => count(1, ofAccount),
    end: (ofAccount = true) => {
      count(-1, ofAccount)
      throughput.count(now())
    },
    /** Ends a call that was never worked on. */
    drop: (ofAccount = true) => count(-1, ofAccount),
  }
}

/** Events in the last second: those of the current second, and a share of those of the second before. */
function createThroughput(start: number) {
  let began = start
  let current = 0
  let previous = 0
  const advance = (time: number) => {
    const seconds = Math.floor((time - began) / 1_000)
    if (seconds === 0) return
    previous = seconds === 1 ? current : 0
    current = 0
    began += seconds * 1_000
  }
  return {
    count: (time: number) => {
      advance(time)
      current++
    },
    perSecond: (time: number) => {
      advance(time)
      return current + previous * (1 - (time - began) / 1_000)
    },
  }
}
